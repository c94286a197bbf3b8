package network

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// source sends what it is asked for: as many bytes as stand in eight digits.
func source(t testing.TB) net.Listener {
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				var mb int64
				if _, err := fmt.Fscanf(io.LimitReader(c, 8), "%d", &mb); err == nil {
					_, _ = io.CopyN(c, zeros{}, mb<<20) // the reader counts
				}
			}()
		}
	}()
	return l
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

const benchMB = 1024

func fetch(b testing.TB, c net.Conn, r io.Reader) {
	b.Helper()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(c, "%8d", benchMB)
	if n, err := io.Copy(sink{}, r); err != nil || n != benchMB<<20 {
		b.Fatal(n, err)
	}
}

// sink takes bytes with a buffer of the usual size.
type sink struct{}

func (sink) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkDirect and BenchmarkTunnel fetch 1 GiB over loopback, without the proxy
// and through it.
func BenchmarkDirect(b *testing.B) {
	l := source(b)
	b.SetBytes(benchMB << 20)
	for b.Loop() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		fetch(b, c, c)
		c.Close()
	}
}

func BenchmarkTunnel(b *testing.B) {
	r := newRig(b, long)
	u := r.env(nil)
	l := source(b)
	b.SetBytes(benchMB << 20)
	for b.Loop() {
		c := r.raw().connect(u, fmt.Sprintf("a.test:%d", portOf(l)))
		fetch(b, c, c.TCPConn)
		c.Close()
	}
}

// BenchmarkRequest and BenchmarkRequestDirect make small requests one after another
// on one connection; BenchmarkConnect opens a tunnel each time.
func BenchmarkRequestDirect(b *testing.B) {
	srv := server(b, func(http.ResponseWriter, *http.Request) {})
	c := browser(b, nil)
	for b.Loop() {
		get(b, c, srv.URL)
	}
}

func BenchmarkRequest(b *testing.B) {
	srv := server(b, func(http.ResponseWriter, *http.Request) {})
	r := newRig(b, long)
	c := browser(b, r.env(nil))
	for b.Loop() {
		get(b, c, "http://"+named("a.test", srv)+"/")
	}
}

func BenchmarkConnect(b *testing.B) {
	r := newRig(b, long)
	u := r.env(nil)
	to := fmt.Sprintf("a.test:%d", portOf(echo(b)))
	for b.Loop() {
		r.raw().connect(u, to).Close()
	}
}
