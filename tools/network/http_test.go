package network

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// A request is sent on as it is, but for what is between the process and the proxy.
func TestForwardedRequest(t *testing.T) {
	var got *http.Request
	srv := server(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "1")
		w.Header().Set("X-End", "2")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.Copy(w, r.Body)
	})
	r := newRig(t, long)
	u := r.env(nil)
	where := named("a.test", srv)
	c := r.raw()
	c.send("PUT http://anna:pw@%s/p%%2Fq?a=1;b=%%zz&&x HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic %s\r\nProxy-Connection: keep-alive\r\n"+
		"Connection: X-Mine\r\nX-Mine: 1\r\nX-Forwarded-For: 1.2.3.4\r\nContent-Length: 4\r\n\r\nbody", where, basic(u))
	resp, body := c.answer()
	if resp.StatusCode != http.StatusTeapot || body != "body" || resp.Header.Get("X-Hop") != "" || resp.Header.Get("X-End") != "2" {
		t.Errorf("%s %q %v", resp.Status, body, resp.Header)
	}
	if got.Method != http.MethodPut || got.Host != where || got.RequestURI != "/p%2Fq?a=1;b=%zz&&x" {
		t.Errorf("%s %s %s", got.Method, got.Host, got.RequestURI)
	}
	for name, want := range map[string]string{
		"Proxy-Authorization": "", "Proxy-Connection": "", "X-Mine": "", "User-Agent": "", "X-Forwarded-For": "1.2.3.4", "Authorization": "Basic YW5uYTpwdw==",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q", name, got.Header.Get(name))
		}
	}
	r.heard(&r.asked, where) // and not the host of the header
	c.send("GET http://%s/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic %s\r\n\r\n", where, basic(u))
	if resp, _ := c.answer(); resp.StatusCode != http.StatusTeapot {
		t.Error("the connection is not kept: ", resp.Status)
	}
}

// What is answered comes as it is written, in both directions at once.
func TestForwardStreams(t *testing.T) {
	srv := server(t, func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex() // the other answers show it
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			fmt.Fprintf(w, "<%s>\n", lines.Text())
			_ = rc.Flush() // as above
		}
	})
	r := newRig(t, long)
	body, in := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+named("a.test", srv)+"/", body)
	if err != nil {
		t.Fatal(err)
	}
	go fmt.Fprintln(in, "0")
	resp, err := browser(t, r.env(nil)).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("<%d>", i) {
			t.Fatalf("%d: %q %v", i, lines.Text(), lines.Err())
		}
		go fmt.Fprintln(in, i+1)
	}
	in.Close()
}

// An upgraded connection is passed on in both directions.
func TestForwardUpgrade(t *testing.T) {
	srv := server(t, func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil || r.Header.Get("Upgrade") != "echo" {
			t.Errorf("%v, %v", r.Header, err)
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.CopyN(c, rw, 5)
	})
	r := newRig(t, long)
	c := r.raw()
	c.send("GET http://%s/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\nProxy-Authorization: Basic %s\r\n\r\n", named("a.test", srv), basic(r.env(nil)))
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", resp, err)
	}
	c.send("hello")
	if rest := c.ended(); rest != "hello" {
		t.Errorf("%q", rest)
	}
}

// What can be read in two ways reaches a server in one, or not at all; what is no
// request for a proxy is refused.
func TestAmbiguousRequests(t *testing.T) {
	var hits atomic.Int32
	seen := make(chan string, 9)
	srv := server(t, func(_ http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		body, _ := io.ReadAll(r.Body)
		seen <- fmt.Sprintf("%s %s %q", r.Method, r.URL, body)
	})
	r := newRig(t, long)
	u := r.env(nil)
	where := named("a.test", srv)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, c := range map[string]struct{ request, want string }{
		"two lengths":           {"POST http://W/ HTTP/1.1\r\nHost: W\r\nA\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\nbody" + smuggled, ""},
		"two lengths in one":    {"POST http://W/ HTTP/1.1\r\nHost: W\r\nA\r\nContent-Length: 4, 40\r\n\r\nbody" + smuggled, ""},
		"a length with a sign":  {"POST http://W/ HTTP/1.1\r\nHost: W\r\nA\r\nContent-Length: +4\r\n\r\nbody" + smuggled, ""},
		"unknown encoding":      {"POST http://W/ HTTP/1.1\r\nHost: W\r\nA\r\nTransfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\nbody" + smuggled, ""},
		"length and chunks":     {"POST http://W/ HTTP/1.1\r\nHost: W\r\nA\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n" + smuggled, `POST / ""`},
		"blank before colon":    {"POST http://W/ HTTP/1.1\r\nHost: W\r\nA\r\nContent-Length : 4\r\n\r\nbody" + smuggled, ""},
		"folded header":         {"GET http://W/ HTTP/1.1\r\nHost: W\r\nA\r\nConnection: close\r\nX: a\r\n Content-Length: 4\r\n\r\n", `GET / ""`},
		"two hosts":             {"GET http://W/ HTTP/1.1\r\nHost: W\r\nHost: evil\r\nA\r\n\r\n", ""},
		"NUL in header":         {"GET http://W/ HTTP/1.1\r\nHost: W\r\nX: a\x00b\r\nA\r\n\r\n", ""},
		"line feed in host":     {"GET http://W%0d%0aX:/ HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"blank in host":         {"GET http://a b:1/ HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"another host in user":  {"GET http://localhost:1\\@W/ HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"no host":               {"GET http:///x HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"without a scheme":      {"GET / HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"https in the clear":    {"GET https://W/ HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"ftp":                   {"GET ftp://W/ HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"file":                  {"GET file:///etc/passwd HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"star":                  {"OPTIONS * HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"HTTP/2":                {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ""},
		"tunnel with a path":    {"CONNECT W/x HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"tunnel without a port": {"CONNECT a.test HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
		"tunnel to an address":  {"CONNECT http://W/ HTTP/1.1\r\nHost: W\r\nA\r\n\r\n", ""},
	} {
		hits.Store(0)
		conn := r.raw()
		request := strings.ReplaceAll(strings.ReplaceAll(c.request, "W", where), "\r\nA\r\n", "\r\nProxy-Authorization: Basic "+basic(u)+"\r\n")
		conn.send("%s", request)
		answer := conn.ended()
		switch got := hits.Load(); {
		case c.want == "" && (got != 0 || !strings.HasPrefix(answer, "HTTP/1.1 4") && !strings.HasPrefix(answer, "HTTP/1.1 5")):
			t.Errorf("%s: %d requests, %q", name, got, answer)
		case c.want != "" && got != 1:
			t.Errorf("%s: %d requests, %q", name, got, answer)
		case c.want != "":
			if got := <-seen; got != c.want {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	if slices.ContainsFunc(r.asked, func(to string) bool { return to != where }) {
		t.Errorf("asked about %q", r.asked)
	}
}

// No request reaches this machine by the proxy, itself included, whatever its header
// says; no one is asked about what is clear from the address.
func TestForwardForbids(t *testing.T) {
	srv := server(t, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	r := newRig(t, long)
	u := r.env(nil)
	own := r.address
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	for _, to := range []string{own, "127.0.0.1:" + port, "localhost:" + port, "127.1:" + port, "0x7f.1:" + port, "[::ffff:127.0.0.1]:" + port, "0.0.0.0:" + port, "169.254.169.254", "[::1]:" + port} {
		for _, c := range []struct{ line, header string }{{"GET http://" + to + "/", "public.example"}, {"CONNECT " + to, to}} {
			if strings.HasPrefix(c.line, "CONNECT") && !strings.HasSuffix(to, port) && to != own {
				continue
			}
			conn := r.raw()
			conn.send("%s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n", c.line, c.header, basic(u))
			if resp, body := conn.answer(); resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "only approvals.hosts") {
				t.Errorf("%s: %s %s", c.line, resp.Status, body)
			}
		}
	}
	r.heard(&r.asked)
	if status, _ := get(t, browser(t, u), "http://x.bad:"+port+"/"); status != http.StatusForbidden {
		t.Error(status)
	}
	r.heard(&r.asked, "x.bad:"+port)
}

// The server of a redirect is a host like any other.
func TestRedirectedRequest(t *testing.T) {
	var other *httptest.Server
	srv := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+named("b.bad", other)+"/", http.StatusFound)
	})
	other = server(t, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	r := newRig(t, long)
	if status, _ := get(t, browser(t, r.env(nil)), "http://"+named("a.test", srv)+"/"); status != http.StatusForbidden {
		t.Error(status)
	}
}
