package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/proxytest"
)

// company is a proxy behind which every host answers with what it was asked for.
type company struct {
	*proxytest.Proxy
	t testing.TB
}

func newCompany(t testing.TB) *company {
	t.Helper()
	return &company{proxytest.Start(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, map[bool]string{true: "forwarded ", false: "secure " + r.Host}[r.URL.IsAbs()]+r.RequestURI)
	}), t}
}

func (c *company) heard(want ...string) {
	c.t.Helper()
	if got := c.Asked(); !slices.Equal(got, want) {
		c.t.Errorf("the proxy heard %q, want %q", got, want)
	}
}

// dialer goes through the proxy but for hosts below .direct.test; no name is looked up here.
func (c *company) dialer() *Dialer {
	return &Dialer{
		Timeout: patience,
		Private: func(host string, _ int) bool { return host == "wiki.corp" || host == "10.1.2.3" },
		Parent: func(r *http.Request) (*url.URL, error) {
			if strings.HasSuffix(r.URL.Hostname(), ".direct.test") {
				return nil, nil
			}
			return c.URL, nil
		},
		Lookup: func(_ context.Context, name string) ([]netip.Addr, error) {
			if !strings.HasSuffix(name, ".direct.test") {
				c.t.Errorf("%s was looked up", name)
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}
}

// TestParent sends requests through a proxy that alone reaches the Internet.
func TestParent(t *testing.T) {
	for name, client := range map[string]func(*company) *http.Client{
		"client": func(c *company) *http.Client {
			client := c.dialer().Client()
			client.Transport.(*routes).TLSClientConfig = c.TLS()
			return client
		},
		"streams": func(c *company) *http.Client {
			return c.dialer().Streams(c.TLS())
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCompany(t)
			client := client(c)
			t.Cleanup(client.CloseIdleConnections)
			for range 2 {
				for address, want := range map[string]string{
					"https://some.example/a": "secure some.example/a", "http://some.example:8080/b": "forwarded http://some.example:8080/b",
					"http://wiki.corp/": "forwarded http://wiki.corp/", "http://10.1.2.3/": "forwarded http://10.1.2.3/", "https://8.8.8.8.example/": "secure 8.8.8.8.example/",
				} {
					if status, body := get(t, client, address); status != 200 || body != want {
						t.Errorf("%s: %d, %q", address, status, body)
					}
				}
			}
			c.Asked()
			for address, want := range map[string]string{
				"http://10.1.2.4/": "private network", "https://127.0.0.1/": "private network", "http://0x7f.1/": "private network", "https://[::1]/": "private network",
				"http://169.254.169.254/": "private network", "https://metadata.google.internal/": "private network", "http://printer/": "private network",
				"http://nas.local./": "private network", "http://a.direct.test/": "private network", "https://localhost/": "private network",
			} {
				if r, err := client.Get(address); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "invalid") {
					t.Errorf("%s: %v, %v", address, r, err)
				}
			}
			c.heard()
			if _, err := client.Get("https://closed.example/"); err == nil || !strings.Contains(err.Error(), "answered 403 Forbidden") || strings.Contains(err.Error(), "pa") && strings.Contains(err.Error(), "me:") {
				t.Errorf("closed: %v", err)
			}
		})
	}
}

// TestParentOfConfined chains the proxy of confined commands to the one of the environment,
// behind the question about the host.
func TestParentOfConfined(t *testing.T) {
	c := newCompany(t)
	r := &rig{t: t, p: newProxy(Options{Dialer: c.dialer()}, long)}
	l := listen(t)
	r.address = l.Addr().String()
	r.p.Serve(l)
	t.Cleanup(r.p.Close)
	own := r.env(func(_ context.Context, host string, _ int) error {
		if strings.HasPrefix(host, "no.") {
			return errors.New("you said no")
		}
		return nil
	})
	client := &http.Client{Timeout: patience, Transport: &http.Transport{Proxy: http.ProxyURL(own), TLSClientConfig: c.TLS()}}
	t.Cleanup(client.CloseIdleConnections)
	if status, body := get(t, client, "https://some.example/x"); status != 200 || body != "secure some.example/x" {
		t.Errorf("%d, %q", status, body)
	}
	c.heard("CONNECT some.example:443")
	if status, body := get(t, client, "http://some.example/x"); status != 200 || body != "forwarded http://some.example/x" {
		t.Errorf("%d, %q", status, body)
	}
	c.heard("GET http://some.example/x")
	r.heard(&r.asked, "some.example:443", "some.example:80")
	up := r.raw().connect(own, "mail.example:7")
	up.send("again")
	_ = up.CloseWrite()
	if got := up.ended(); got != "hello again" {
		t.Errorf("%q", got)
	}
	c.heard("CONNECT mail.example:7")
	for _, host := range []string{"no.example:443", "10.9.9.9:443", "metadata.google.internal:80", "localhost:5432", "x.direct.test:443"} {
		up := r.raw()
		up.send("CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n", host, host, basic(own))
		if resp, body := up.answer(); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s, %q", host, resp.Status, body)
		}
	}
	c.heard()
	closed := r.raw()
	closed.send("CONNECT closed.example:443 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic %s\r\n\r\n", basic(own))
	if resp, body := closed.answer(); resp.StatusCode != http.StatusBadGateway || !strings.Contains(body, "answered 403 Forbidden") {
		t.Errorf("%s, %q", resp.Status, body)
	}
}

// TestParentSOCKS opens tunnels through proxies that speak SOCKS 5 and TLS.
func TestParentSOCKS(t *testing.T) {
	outer := newRig(t, long) // a proxy of the same kind stands for one elsewhere
	e := echo(t)
	own := *outer.env(nil)
	own.Scheme = "socks5h"
	d := &Dialer{Timeout: patience, Parent: func(*http.Request) (*url.URL, error) { return &own, nil }}
	c, err := d.open(t.Context(), Name{text: "far.test"}, portOf(e))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "ping"); err != nil || !closeWrite(c) {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || string(got) != "ping" {
		t.Errorf("%q, %v", got, err)
	}
	outer.heard(&outer.asked, fmt.Sprintf("far.test:%d", portOf(e)))
	own.User = url.UserPassword("a", "b")
	if c, err := d.open(t.Context(), Name{text: "far.test"}, portOf(e)); err == nil {
		t.Errorf("let in: %v", c.RemoteAddr())
	}
}

// TestParentSilent ends when a proxy says nothing, and when it cannot be reached.
func TestParentSilent(t *testing.T) {
	l := listen(t)
	at := &url.URL{Scheme: "http", Host: l.Addr().String()}
	d := &Dialer{Timeout: 50 * time.Millisecond, Parent: func(*http.Request) (*url.URL, error) { return at, nil }}
	if _, err := d.open(t.Context(), Name{text: "a.example"}, 443); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silent: %v", err)
	}
	l.Close()
	d.Timeout = patience
	if _, err := d.open(t.Context(), Name{text: "a.example"}, 443); err == nil || !strings.Contains(err.Error(), "the proxy of the environment cannot be reached") {
		t.Errorf("gone: %v", err)
	}
}
