package network

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/proxy"
)

// routes sends requests through the parent proxies of a dialer, each after its host is
// judged, and directly where none is named.
type routes struct {
	*http.Transport
	d *Dialer
}

// parentKey finds the parent proxy in the context of a request.
type parentKey struct{}

func parentOf(ctx context.Context) *url.URL {
	parent, _ := ctx.Value(parentKey{}).(*url.URL) // or nil
	return parent
}

// routes completes a transport.
func (d *Dialer) routes(t *http.Transport) *routes {
	t.DialContext = d.DialContext
	t.Proxy = func(r *http.Request) (*url.URL, error) { return parentOf(r.Context()), nil }
	t.OnProxyConnectResponse = func(_ context.Context, parent *url.URL, _ *http.Request, resp *http.Response) error {
		return tunnelRefused(parent, resp)
	}
	return &routes{t, d}
}

// RoundTrip implements [http.RoundTripper].
func (s *routes) RoundTrip(r *http.Request) (*http.Response, error) {
	parent, err := s.d.parent(r)
	if err == nil && parent != nil {
		var name Name
		var port int
		if name, port, err = splitAddress(hostPort(r.URL)); err == nil {
			err = s.d.judgeUnresolved(r.Context(), name, port)
		}
		r = r.WithContext(context.WithValue(r.Context(), parentKey{}, parent))
	}
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return s.Transport.RoundTrip(r)
}

// parent is the proxy that a request goes through, nil for none.
func (d *Dialer) parent(r *http.Request) (*url.URL, error) {
	if d.Parent == nil {
		return nil, nil
	}
	return d.Parent(r)
}

// hostPort is the HOST:PORT that a URL leads to.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// inside are the ends of names that no public name has, by RFC 6762 and 8375 and by custom.
var inside = []string{".local", ".localhost", ".localdomain", ".internal", ".intranet", ".private", ".corp", ".home", ".lan", ".home.arpa"}

// judgeUnresolved judges a host whose name a parent proxy looks up: by its address if it is
// one, otherwise by the name alone.
func (d *Dialer) judgeUnresolved(ctx context.Context, name Name, port int) error {
	if _, literal := name.Addr(); literal {
		_, err := d.addresses(ctx, name, port) // looks nothing up
		return err
	}
	private := !strings.Contains(name.text, ".") || slices.ContainsFunc(inside, func(end string) bool { return strings.HasSuffix(name.text, end) })
	if private && (d.Private == nil || !d.Private(name.text, port)) {
		return &ForbiddenError{Host: name.text, Port: port}
	}
	return nil
}

// open connects to a host, through a tunnel of the parent proxy where one is named.
func (d *Dialer) open(ctx context.Context, name Name, port int) (net.Conn, error) {
	u := &url.URL{Scheme: "https", Host: net.JoinHostPort(name.text, strconv.Itoa(port))}
	if port == 80 {
		u.Scheme = "http"
	}
	parent, err := d.parent(&http.Request{URL: u})
	switch {
	case err != nil:
		return nil, err
	case parent == nil:
		return d.dial(ctx, name, port)
	}
	if err := d.judgeUnresolved(ctx, name, port); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout())
	defer cancel()
	c, err := dialParent(ctx, hostPort(parent))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	tunnel, err := ask(ctx, c, parent, u.Host)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return tunnel, nil
}

// dialParent connects to a parent proxy, which the user has named and no one judges.
func dialParent(ctx context.Context, address string) (net.Conn, error) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the proxy of the environment cannot be reached: %w", err)
	}
	return c, nil
}

// ask has a parent proxy open a tunnel.
func ask(ctx context.Context, c net.Conn, parent *url.URL, to string) (net.Conn, error) {
	if strings.HasPrefix(parent.Scheme, "socks5") {
		var auth *proxy.Auth
		if parent.User != nil {
			auth = &proxy.Auth{User: parent.User.Username()}
			auth.Password, _ = parent.User.Password() // none is the empty one
		}
		socks, err := proxy.SOCKS5("tcp", hostPort(parent), auth, connected{c})
		if err != nil {
			return nil, err
		}
		return socks.Dial("tcp", to)
	}
	if parent.Scheme == "https" {
		secure := tls.Client(c, &tls.Config{ServerName: parent.Hostname(), MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		c = secure
	}
	head := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n"
	if user := parent.User; user != nil {
		password, _ := user.Password() // as above
		head += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)) + "\r\n"
	}
	if _, err := io.WriteString(c, head+"\r\n"); err != nil {
		return nil, err
	}
	resp, err := readHead(c)
	if err != nil {
		return nil, fmt.Errorf("the proxy %s: %w", parent.Host, err)
	}
	defer resp.Body.Close()
	return c, tunnelRefused(parent, resp)
}

// connected is a [proxy.Dialer] of one connection.
type connected struct{ c net.Conn }

// Dial implements [proxy.Dialer].
func (d connected) Dial(string, string) (net.Conn, error) { return d.c, nil }

// readHead reads the header of an answer and not a byte of what follows.
func readHead(c net.Conn) (*http.Response, error) {
	var head strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(head.String(), "\r\n\r\n"); head.Write(b) {
		if head.Len() > headerBytes {
			return nil, errors.New("its answer has no end")
		}
		if _, err := io.ReadFull(c, b); err != nil {
			return nil, err
		}
	}
	return http.ReadResponse(bufio.NewReader(strings.NewReader(head.String())), &http.Request{Method: http.MethodConnect})
}

// tunnelRefused is an error where a parent proxy opened no tunnel.
func tunnelRefused(parent *url.URL, resp *http.Response) error {
	if resp.StatusCode/100 == 2 {
		return nil
	}
	return fmt.Errorf("the proxy %s answered %s", parent.Host, strings.TrimSpace(printable(resp.Status)))
}
