package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Who opens connections and says nothing drives out its own, and they end by
// themselves; a command is served meanwhile.
func TestFlood(t *testing.T) {
	srv := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") })
	r := newRig(t, limits{hello: time.Second, idle: patience, asked: patience})
	u := r.env(nil)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var open []net.Conn
			for i := range 1000 {
				c, err := net.Dial("tcp", r.address)
				if err != nil {
					break
				}
				if open = append(open, c); len(open) > 200 {
					open[0].Close()
					open = open[1:]
				}
				_, _ = c.Write([]byte{"\x05G\x04\x16\x00"[i%5]}) // or it was closed already
			}
			<-stop
			for _, c := range open {
				c.Close()
			}
		})
	}
	for i := range 20 {
		if status, body := get(t, browser(t, u), "http://"+named(fmt.Sprintf("h%d.test", i), srv)+"/"); status != 200 || body != "served" {
			t.Errorf("%d %s", status, body)
		}
		r.p.mu.Lock()
		if n := len(r.p.fresh); n > maxFresh {
			t.Errorf("%d connections of no one", n)
		}
		r.p.mu.Unlock()
	}
	r.until(func() bool { r.p.mu.Lock(); defer r.p.mu.Unlock(); return len(r.p.fresh) == 0 })
	close(stop)
	all.Wait()
}

// A request that is not complete in time, or too long, ends with its connection.
func TestSlowAndLongRequests(t *testing.T) {
	r := newRig(t, limits{hello: 200 * time.Millisecond, idle: patience, asked: patience})
	u := r.env(nil)
	for name, begin := range map[string]string{
		"nothing":     "",
		"SOCKS":       "\x05",
		"SOCKS later": "\x05\x01\x02\x01",
		"a line":      "GET http://a.test/ HT",
		"a header":    "GET http://a.test/ HTTP/1.1\r\nX: y\r\n",
		"TLS":         "\x16\x03\x01",
	} {
		c := r.raw()
		began := time.Now()
		c.send("%s", begin)
		if rest := c.ended(); strings.Contains(rest, "200") || time.Since(began) > patience/2 {
			t.Errorf("%s: %q after %v", name, rest, time.Since(began))
		}
	}
	c := r.raw()
	c.send("CONNECT a.test:443 HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n", basic(u))
	_, err := io.Copy(c, io.LimitReader(endless{}, 1<<20))
	if rest := c.ended(); err == nil && !strings.HasPrefix(rest, "HTTP/1.1 431 ") {
		t.Errorf("%q", rest)
	}
	r.heard(&r.asked)
}

// endless is a header that does not end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	n := copy(b, "X-Long: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n")
	return n, nil
}

// A process may have so many connections and ask for so many hosts, not more, and
// what it gives back it may have again.
func TestLimitsOfAProcess(t *testing.T) {
	r := newRig(t, long)
	u := r.env(nil)
	where := fmt.Sprintf("a.test:%d", portOf(echo(t)))
	var open []*raw
	for range MaxConnections {
		open = append(open, r.raw().connect(u, where))
	}
	c := r.raw()
	c.send("CONNECT %s HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", where, basic(u))
	if resp, body := c.answer(); resp.StatusCode != http.StatusServiceUnavailable || body != "a command may have 128 connections open\n" {
		t.Error(resp.Status, body)
	}
	r.raw().connect(r.env(nil), where) // another process is not held up
	open[0].Close()
	r.until(func() bool {
		r.p.mu.Lock()
		defer r.p.mu.Unlock()
		return len(r.p.clients[u.User.Username()].conns) < MaxConnections
	})
	r.raw().connect(u, where)

	u = r.env(func(context.Context, string, int) error { return errors.New("no") })
	conn := browser(t, u)
	for i := range MaxHosts {
		if status, _ := get(t, conn, fmt.Sprintf("http://h%d.test/", i)); status != http.StatusForbidden {
			t.Fatal(status)
		}
	}
	if _, body := get(t, conn, "http://one-more.test/"); body != "this command has asked for 1024 hosts, more than one may\n" {
		t.Error(body)
	}
}

// At most so many questions of one process wait at a time.
func TestQuestionsAtATime(t *testing.T) {
	r := newRig(t, long)
	var mu sync.Mutex
	now, most := 0, 0
	release := make(chan struct{})
	u := r.env(func(context.Context, string, int) error {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		<-release
		mu.Lock()
		defer mu.Unlock()
		now--
		return errors.New("no")
	})
	var all sync.WaitGroup
	for i := range 30 {
		c := r.raw()
		c.send("CONNECT h%d.test:443 HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n", i, basic(u))
		all.Go(func() { c.ended() })
	}
	r.until(func() bool {
		r.p.mu.Lock()
		defer r.p.mu.Unlock()
		return len(r.p.clients[u.User.Username()].conns) == 30
	})
	r.until(func() bool { mu.Lock(); defer mu.Unlock(); return now == maxAsked })
	close(release)
	all.Wait()
	if most != maxAsked {
		t.Error(most)
	}
}

// A tunnel stays while bytes pass in one direction, slowly; one that is silent ends.
// Each direction ends by itself.
func TestTunnelEnds(t *testing.T) {
	const idle = 300 * time.Millisecond
	r := newRig(t, limits{hello: patience, idle: idle, asked: patience})
	u := r.env(nil)
	drip := listen(t)
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		c, err := drip.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		tick := time.NewTicker(idle / 3)
		defer tick.Stop()
		for range 15 { // five times as long as it may be silent
			<-tick.C
			_, _ = c.Write([]byte("x"))
		}
	})
	if got := r.raw().connect(u, fmt.Sprintf("a.test:%d", portOf(drip))).ended(); got != strings.Repeat("x", 15) {
		t.Errorf("%q", got)
	}
	where := fmt.Sprintf("a.test:%d", portOf(echo(t)))
	silent := r.raw().connect(u, where)
	began := time.Now()
	silent.ended()
	if took := time.Since(began); took < idle/2 {
		t.Errorf("closed after %v", took)
	}
	half := r.raw().connect(u, where)
	half.send("all of it")
	_ = half.CloseWrite() // the answer shows it
	if got := half.ended(); got != "all of it" {
		t.Errorf("%q", got)
	}
	socks := r.raw()
	socks.socks(u, "\x03\x06a.test", portOf(drip)) // no one accepts any more, but the kernel does
	reply := make([]byte, 10)
	if _, err := io.ReadFull(socks.r, reply); err != nil || reply[1] != socksDone {
		t.Errorf("%q %v", reply, err)
	}
	socks.ended()
	r.until(func() bool {
		r.p.mu.Lock()
		defer r.p.mu.Unlock()
		return len(r.p.clients[u.User.Username()].conns) == 0
	})
}

// A process that takes nothing holds up neither the proxy nor its end.
func TestProcessTakesNothing(t *testing.T) {
	r := newRig(t, limits{hello: patience, idle: 100 * time.Millisecond, asked: patience})
	u := r.env(nil)
	flood := listen(t)
	sent := make(chan error, 1)
	go func() {
		c, err := flood.Accept()
		if err == nil {
			_, err = io.Copy(c, endless{})
			c.Close()
		}
		sent <- err
	}()
	r.raw().connect(u, fmt.Sprintf("a.test:%d", portOf(flood)))
	if err := <-sent; err == nil {
		t.Error("the other side was taken all of it")
	}
}

// What programs send early, behind the request for a tunnel, is not lost.
func TestEarlyBytes(t *testing.T) {
	r := newRig(t, long)
	release := make(chan struct{})
	u := r.env(func(context.Context, string, int) error { <-release; return nil })
	port := portOf(echo(t))
	early := strings.Repeat("early ", 100)
	c := r.raw()
	c.send("CONNECT a.test:%d HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n%s", port, basic(u), early)
	s := r.raw()
	s.socks(u, "\x03\x06a.test", port)
	s.send("%s", early)
	close(release)
	for conn, head := range map[*raw]string{c: "HTTP/1.1 200 Connection established\r\n\r\n", s: "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"} {
		got := make([]byte, len(head+early))
		if n, err := io.ReadFull(conn, got); err != nil || string(got) != head+early {
			t.Errorf("%q, %v", got[:n], err)
		}
	}
}

// FuzzProxy sends anything to a proxy, which must go on serving, ask about nothing
// without credentials, and reach nothing.
func FuzzProxy(f *testing.F) {
	for _, seed := range []string{"", "\x05\x01\x02\x01\x01a\x01b", "\x04\x01", "GET http://a.test/ HTTP/1.1\r\n\r\n", "CONNECT a.test:1 HTTP/1.1\r\nProxy-Authorization: Basic !!\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newRig(t, limits{hello: 50 * time.Millisecond, idle: patience, asked: patience})
		r.env(nil)
		c := r.raw()
		_, _ = c.Write(data) // or it was closed before that
		_ = c.CloseWrite()   // as above
		if got := c.ended(); strings.Contains(got, " 200 ") {
			t.Errorf("%q", got)
		}
		r.heard(&r.asked)
		r.heard(&r.lookups)
	})
}

// FuzzParseName holds names to one form, which reads as itself.
func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"a.b", "0x7f.1", "[::1]", "bücher.example", "１２７.0.0.1", "a。b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		name, err := ParseName(host)
		if err != nil {
			return
		}
		again, err := ParseName(name.String())
		if err != nil || again != name || strings.ContainsAny(name.String(), "\r\n\x00/@%[] ") {
			t.Errorf("%q is %q, which is %q, %v", host, name, again, err)
		}
		if _, is := name.Addr(); !is && net.ParseIP(name.String()) != nil {
			t.Errorf("%q is an address", name)
		}
	})
}
