package network

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Whatever a process speaks, it reaches the host that it names, after that was
// decided once, by name.
func TestReachedByName(t *testing.T) {
	srv := server(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s", r.Method, r.Host, r.RequestURI)
	})
	r := newRig(t, long)
	u := r.env(nil)
	socks := *u
	socks.Scheme = "socks5h"
	where := named("Reached.test", srv)
	for _, proxy := range []*url.URL{u, &socks} {
		if status, body := get(t, browser(t, proxy), "http://"+where+"/a?b;c=%zz"); status != 200 || body != "GET "+where+" /a?b;c=%zz" && body != "GET "+strings.ToLower(where)+" /a?b;c=%zz" {
			t.Errorf("%s: %d %s", proxy.Scheme, status, body)
		}
	}
	tunnel := r.raw().connect(u, where)
	tunnel.send("GET /through HTTP/1.1\r\nHost: other\r\n\r\n")
	if _, body := tunnel.answer(); body != "GET other /through" {
		t.Error(body)
	}
	r.heard(&r.asked, strings.ToLower(where))
	r.heard(&r.refused)
}

func TestEnv(t *testing.T) {
	r := newRig(t, long)
	env, done := r.p.Env(nil, nil, nil)
	defer done()
	all := strings.Join(env, "\n") + "\n"
	for _, name := range []string{"HTTP_PROXY", "https_proxy", "ALL_PROXY", "npm_config_proxy"} {
		if !strings.Contains(all, "\n"+name+"=http://") && !strings.HasPrefix(all, name+"=http://") || !strings.Contains(all, "@"+r.address+"\n") {
			t.Errorf("no %s in %s", name, all)
		}
	}
	if !strings.Contains(all, "\nNO_PROXY=localhost,127.0.0.1,::1\n") {
		t.Error(all)
	}
	other, done := r.p.Env(nil, nil, nil)
	defer done()
	if other[0] == env[0] {
		t.Error("two processes have the same credentials")
	}
}

// Without credentials nothing is done, and no one is asked.
func TestCredentials(t *testing.T) {
	r := newRig(t, long)
	good, ended := r.process(nil)
	password, _ := good.User.Password()
	other := r.env(nil)
	for name, user := range map[string]*url.Userinfo{
		"none":              nil,
		"wrong password":    url.UserPassword(good.User.Username(), "x"),
		"no password":       url.User(good.User.Username()),
		"unknown user":      url.UserPassword("x", password),
		"another's":         url.UserPassword(good.User.Username(), mustPassword(other)),
		"swapped":           url.UserPassword(password, good.User.Username()),
		"of an ended one":   nil,
		"with a blank more": url.UserPassword(good.User.Username(), password+" "),
	} {
		u := *good
		u.User = user
		if name == "of an ended one" {
			u = *good
			ended()
		}
		if status, _ := get(t, browser(t, &u), "http://some.test/"); status != http.StatusProxyAuthRequired {
			t.Errorf("%s: status %d", name, status)
		}
		c := r.raw()
		c.send("CONNECT some.test:443 HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", basic(&u))
		if resp, _ := c.answer(); resp.StatusCode != http.StatusProxyAuthRequired {
			t.Errorf("%s: connect: %s", name, resp.Status)
		}
		c = r.raw()
		userName, pass := "", ""
		if u.User != nil {
			userName, pass = u.User.Username(), mustPassword(&u)
		}
		c.send("\x05\x01\x02\x01%c%s%c%s", len(userName), userName, len(pass), pass)
		if got := c.ended(); got != "\x05\x02\x01\x01" {
			t.Errorf("%s: SOCKS: %q", name, got)
		}
	}
	c := r.raw()
	c.send("\x05\x01\x00")
	if got := c.ended(); got != "\x05\xff" {
		t.Errorf("SOCKS without a password: %q", got)
	}
	r.heard(&r.asked)
	r.heard(&r.lookups)
}

func mustPassword(u *url.URL) string {
	p, _ := u.User.Password()
	return p
}

// A connection stays that of the process which has opened it.
func TestConnectionOfAnother(t *testing.T) {
	srv := server(t, func(http.ResponseWriter, *http.Request) {})
	r := newRig(t, long)
	one, two := r.env(nil), r.env(nil)
	c := r.raw()
	request := "GET http://" + named("a.test", srv) + "/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic %s\r\n\r\n"
	c.send(request, basic(one))
	if resp, _ := c.answer(); resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
	c.send(request, basic(two))
	if resp, _ := c.answer(); resp.StatusCode != http.StatusProxyAuthRequired {
		t.Error(resp.Status)
	}
}

// What one process may reach, another has to be asked about.
func TestDecisionsOfOneProcess(t *testing.T) {
	srv := server(t, func(http.ResponseWriter, *http.Request) {})
	r := newRig(t, long)
	where := named("a.test", srv)
	for range 2 {
		u := r.env(nil)
		for range 3 {
			get(t, browser(t, u), "http://"+where+"/")
		}
	}
	r.heard(&r.asked, where, where)
}

// Connections to one host wait for one decision; a no holds as a yes does.
func TestOneDecision(t *testing.T) {
	for _, answer := range []error{nil, errors.New("you said no")} {
		r := newRig(t, long)
		release := make(chan struct{})
		u := r.env(func(context.Context, string, int) error { <-release; return answer })
		where := fmt.Sprintf("a.test:%d", portOf(echo(t)))
		want := "200 OK"
		if answer != nil {
			want = "403 you said no"
		}
		var all sync.WaitGroup
		for range 20 {
			c := r.raw()
			c.send("CONNECT %s HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", where, basic(u))
			all.Go(func() {
				line, _ := c.r.ReadString('\n')
				if answer == nil && !strings.HasPrefix(line, "HTTP/1.1 200 ") || answer != nil && line != "HTTP/1.1 "+want+"\r\n" {
					t.Errorf("%q", line)
				}
			})
		}
		r.until(func() bool {
			r.p.mu.Lock()
			defer r.p.mu.Unlock()
			return len(r.p.clients[u.User.Username()].conns) == 20
		})
		close(release)
		all.Wait()
		c := r.raw()
		c.send("CONNECT %s HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", where, basic(u))
		if line, _ := c.r.ReadString('\n'); answer != nil && line != "HTTP/1.1 "+want+"\r\n" {
			t.Errorf("asked again: %q", line)
		}
		r.heard(&r.asked, where)
		if answer != nil {
			r.heard(&r.refused, where)
		}
	}
}

// until waits for a condition.
func (r *rig) until(ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			r.t.Fatal("it did not come to that")
		}
		<-time.After(time.Millisecond)
	}
}

// A program that gives up and tries again finds the question as it was; when none
// comes back it is withdrawn.
func TestProgramGivesUp(t *testing.T) {
	for _, socks := range []bool{false, true} {
		r := newRig(t, limits{hello: patience, idle: patience, asked: 300 * time.Millisecond})
		asked, withdrawn, release := make(chan struct{}, 9), make(chan error, 9), make(chan struct{})
		u := r.env(func(ctx context.Context, _ string, _ int) error {
			asked <- struct{}{}
			select {
			case <-ctx.Done():
				withdrawn <- context.Cause(ctx)
				return ctx.Err()
			case <-release:
				return nil
			}
		})
		port := portOf(echo(t))
		begin := func() *raw {
			c := r.raw()
			if socks {
				c.socks(u, "\x03\x06a.test", port)
			} else {
				c.send("CONNECT a.test:%d HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", port, basic(u))
			}
			return c
		}
		waiting := func(n int) func() bool {
			return func() bool {
				r.p.mu.Lock()
				c := r.p.clients[u.User.Username()]
				r.p.mu.Unlock()
				c.mu.Lock()
				defer c.mu.Unlock()
				d := c.hosts[target{"a.test", port}]
				return d != nil && d.waiting == n
			}
		}
		c := begin()
		<-asked
		c.Close()
		r.until(waiting(0))
		c = begin() // in time
		r.until(waiting(1))
		c.Close()
		if err := <-withdrawn; !errors.Is(err, errAbandoned) {
			t.Error(err)
		}
		c = begin()
		<-asked
		close(release)
		first, err := c.r.ReadByte()
		if err != nil || socks && first != 5 || !socks && first != 'H' {
			t.Errorf("%q, %v", first, err)
		}
		if len(asked) != 0 {
			t.Error("asked once more")
		}
		r.heard(&r.refused)
	}
}

// socks asks for a tunnel; to is the type of the address and the address.
func (c *raw) socks(u *url.URL, to string, port int) {
	c.t.Helper()
	user, password := u.User.Username(), mustPassword(u)
	c.send("\x05\x01\x02\x01%c%s%c%s", len(user), user, len(password), password)
	head := make([]byte, 4)
	if _, err := io.ReadFull(c.r, head); err != nil || string(head) != "\x05\x02\x01\x00" {
		c.t.Fatalf("%q, %v", head, err)
	}
	c.send("\x05\x01\x00%s%s", to, binary.BigEndian.AppendUint16(nil, uint16(port)))
}

// The end of a process ends its questions and its connections.
func TestProcessEnds(t *testing.T) {
	r := newRig(t, long)
	asked := make(chan struct{})
	u, done := r.process(func(ctx context.Context, host string, _ int) error {
		if host == "open.test" {
			return nil
		}
		close(asked)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	tunnel := r.raw().connect(u, fmt.Sprintf("open.test:%d", portOf(echo(t))))
	tunnel.send("x")
	if b, err := tunnel.r.ReadByte(); b != 'x' || err != nil {
		t.Fatal(b, err)
	}
	c := r.raw()
	c.send("CONNECT slow.test:443 HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", basic(u))
	<-asked
	done()
	if rest := c.ended(); strings.Contains(rest, "200") {
		t.Error(rest)
	}
	tunnel.ended()
	r.heard(&r.refused, "slow.test:443")
	if len(r.p.clients) != 0 {
		t.Error("the process is still known")
	}
}

// Another listener takes over, as when the process that holds it is started again.
func TestServeAgain(t *testing.T) {
	r := newRig(t, long)
	r.env(nil)
	again := listen(t)
	r.p.Serve(again)
	u := r.env(nil)
	if u.Host != again.Addr().String() {
		t.Error(u.Host)
	}
	if status, _ := get(t, browser(t, u), "http://nowhere.example/"); status != http.StatusBadGateway {
		t.Error(status)
	}
	again.Close()
	r.p.Close()
	late := listen(t)
	r.p.Serve(late)
	if _, err := late.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	env, done := r.p.Env(nil, nil, nil)
	defer done()
	if env != nil {
		t.Error(env)
	}
}

// An error says why in a way that a program shows.
func TestRefusalInWords(t *testing.T) {
	r := newRig(t, long)
	u := r.env(func(_ context.Context, host string, _ int) error {
		if host == "no.test" {
			return errors.New("you said no: \"not\r\nthat\" — really")
		}
		return nil
	})
	closed := listen(t)
	port := portOf(closed)
	closed.Close()
	for _, c := range []struct {
		to     string
		status int
		kind   string
		body   string
		socks  byte
	}{
		{"no.test:443", 403, "http_request_denied", "you said no: \"not\r\nthat\" — really\n", 2},
		{"localhost:443", 403, "destination_ip_prohibited", "localhost (127.0.0.1) is on this machine or in a private network; only approvals.hosts in the settings can allow localhost:443\n", 2},
		{"x.bad:443", 403, "destination_ip_prohibited", "x.bad (127.0.0.1) is on this machine or in a private network; only approvals.hosts in the settings can allow x.bad:443\n", 2},
		{"nowhere.example:443", 502, "dns_error", "look up nowhere.example: lookup nowhere.example: no such host\n", 4},
		{fmt.Sprintf("closed.test:%d", port), 502, "connection_refused", fmt.Sprintf("connect to closed.test: dial tcp 127.0.0.1:%d: connect: connection refused\n", port), 5},
		{"a b:443", 400, "http_protocol_error", "", 1},
		{"a.test:0", 400, "http_protocol_error", "\"0\" is no port\n", 1},
		{"a.test:99999", 400, "http_protocol_error", "\"99999\" is no port\n", 0},
		{"a.test", 400, "http_protocol_error", "\"a.test\" is not HOST:PORT\n", 0},
	} {
		conn := r.raw()
		conn.send("CONNECT %s HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic %s\r\n\r\n", c.to, basic(u))
		resp, body := conn.answer()
		if c.body == "" { // net/http has refused it
			continue
		}
		if resp.StatusCode != c.status || body != c.body || !strings.HasPrefix(resp.Header.Get("Proxy-Status"), "proxy; error="+c.kind+"; details=\"") {
			t.Errorf("%s: %s, %q, %q", c.to, resp.Status, body, resp.Header)
		}
		if want := fmt.Sprint(c.status, " ", printable(strings.TrimSuffix(c.body, "\n"))); resp.Status != want {
			t.Errorf("%s: %q, want %q", c.to, resp.Status, want)
		}
		if c.socks == 0 {
			continue
		}
		conn = r.raw()
		host, portText, _ := strings.Cut(c.to, ":")
		var n int
		_, _ = fmt.Sscan(portText, &n)
		conn.socks(u, fmt.Sprintf("\x03%c%s", len(host), host), n)
		if reply := conn.ended(); len(reply) != 10 || reply[1] != c.socks {
			t.Errorf("%s: SOCKS: %q", c.to, reply)
		}
	}
	r.heard(&r.refused, "no.test:443", "localhost:443", "x.bad:443")
	// A request with a body is answered as well.
	resp, err := browser(t, u).Post("http://no.test/", "text/plain", strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusForbidden || !strings.Contains(string(body), "really") {
		t.Error(resp.Status, string(body))
	}
}
