package network

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/tools/place"
)

func TestMain(m *testing.M) {
	if handled, code := place.SandboxMain(os.Args); handled {
		os.Exit(code)
	}
	// After an answer to a body that was not read, net/http keeps a connection half a second.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

const patience = 20 * time.Second

// rig is a proxy on a loopback port. All names below ".test" lead to 127.0.0.1, which
// they may; those below ".bad" do so, too, and may not.
type rig struct {
	t       testing.TB
	p       *Proxy
	address string

	mu      sync.Mutex
	lookups []string
	asked   []string // HOST:PORT, in this order
	refused []string
}

func newRig(t testing.TB, l limits) *rig {
	t.Helper()
	r := &rig{t: t}
	r.p = newProxy(Options{Dialer: &Dialer{
		Private: func(host string, _ int) bool { return strings.HasSuffix(host, ".test") },
		Lookup: func(_ context.Context, name string) ([]netip.Addr, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.lookups = append(r.lookups, name)
			if strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".bad") {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		},
		Timeout: patience,
	}}, l)
	listener := listen(t)
	r.address = listener.Addr().String()
	r.p.Serve(listener)
	t.Cleanup(r.p.Close)
	return r
}

var long = limits{hello: patience, idle: patience, asked: patience}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// env gives the URL of the proxy for a process that reach decides for; nil allows all.
func (r *rig) env(reach func(context.Context, string, int) error) *url.URL {
	r.t.Helper()
	u, done := r.process(reach)
	r.t.Cleanup(done)
	return u
}

func (r *rig) process(reach func(context.Context, string, int) error) (*url.URL, func()) {
	r.t.Helper()
	env, done := r.p.Env(nil, func(ctx context.Context, host string, port int) error {
		r.mu.Lock()
		r.asked = append(r.asked, fmt.Sprintf("%s:%d", host, port))
		r.mu.Unlock()
		if reach == nil {
			return nil
		}
		return reach(ctx, host, port)
	}, func(address string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.refused = append(r.refused, address)
	})
	i := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(v, "HTTP_PROXY=") })
	u, err := url.Parse(strings.TrimPrefix(env[i], "HTTP_PROXY="))
	if err != nil {
		r.t.Fatal(err)
	}
	return u, done
}

func (r *rig) heard(list *[]string, want ...string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(*list, want) {
		r.t.Errorf("%q, want %q", *list, want)
	}
	*list = nil
}

// browser sends requests through the proxy.
func browser(t testing.TB, proxy *url.URL) *http.Client {
	tr := &http.Transport{}
	if proxy != nil {
		tr.Proxy = http.ProxyURL(proxy)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

func get(t testing.TB, c *http.Client, address string) (status int, body string) {
	t.Helper()
	resp, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// raw is a connection to the proxy for bytes of one's own.
type raw struct {
	t testing.TB
	*net.TCPConn
	r *bufio.Reader
}

func (r *rig) raw() *raw {
	r.t.Helper()
	c, err := net.Dial("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return &raw{r.t, c.(*net.TCPConn), bufio.NewReader(c)}
}

func (c *raw) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c, format, args...); err != nil {
		c.t.Fatal(err)
	}
}

// answer reads a response.
func (c *raw) answer() (*http.Response, string) {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, string(body)
}

// connect asks for a tunnel and wants it.
func (c *raw) connect(proxy *url.URL, to string) *raw {
	c.t.Helper()
	c.send("CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n", to, to, basic(proxy))
	line, err := c.r.ReadString('\n')
	if err != nil || line != "HTTP/1.1 200 Connection established\r\n" {
		c.t.Fatalf("%q, %v", line, err)
	}
	if line, err = c.r.ReadString('\n'); line != "\r\n" {
		c.t.Fatalf("%q, %v", line, err)
	}
	return c
}

// ended wants the connection closed by the proxy, whatever comes before.
func (c *raw) ended() string {
	c.t.Helper()
	rest, err := io.ReadAll(c.r)
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		c.t.Fatalf("the connection stays open after %q", rest)
	}
	return string(rest)
}

func basic(proxy *url.URL) string {
	password, _ := proxy.User.Password()
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(proxy.User.Username(), password)
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
}

// named is the address of a test server by a name: the name with the server's port.
func named(name string, srv *httptest.Server) string {
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	return net.JoinHostPort(name, port)
}

// server answers with what handler says.
func server(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return srv
}

// echo sends back what it gets, until that ends.
func echo(t testing.TB) net.Listener {
	l := listen(t)
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			})
		}
	})
	return l
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }
