package transport

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/providers"
)

func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	e := fail(t, newTransport(t, Options{}), request(t, t.Context(), "http://user:hunter2@"+address+"/v1?key=query-secret"))
	want(t, "kind", e.Kind, providers.ErrorConnect)
	want(t, "message", e.Message, "connection refused by "+address)
	want(t, "endpoint", e.Endpoint, "http://"+address+"/v1")
	noSecrets(t, e)
}

// emptyDNS is a name server on this machine that knows no name.
func emptyDNS(t *testing.T) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			if n < 12 {
				continue
			}
			buf[2] |= 0x80                  // a response
			buf[3] = buf[3]&0xf0 | 0x80 | 3 // no such name
			_, _ = pc.WriteTo(buf[:n], from)
		}
	}()
	t.Cleanup(func() { pc.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

func TestUnknownName(t *testing.T) {
	tr := newTransport(t, Options{Resolver: emptyDNS(t)})
	e := fail(t, tr, request(t, t.Context(), "http://models.invalid./v1"))
	want(t, "kind", e.Kind, providers.ErrorConnect)
	wantIn(t, e.Message, "there is no host named models.invalid")
}

func TestTLSFailures(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)

	t.Run("known authority", func(t *testing.T) {
		resp, err := newTransport(t, Options{RootCAs: pool}).Do(request(t, t.Context(), srv.URL))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		want(t, "protocol", resp.ProtoMajor, 2)
	})
	for _, c := range []struct {
		name, url, message string
		pool               *x509.CertPool
	}{
		{"unknown authority", srv.URL, "is not signed by an authority", x509.NewCertPool()},
		{"other name", strings.Replace(srv.URL, "127.0.0.1", "localhost", 1), "was made for another name", pool},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS", pool},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fail(t, newTransport(t, Options{RootCAs: c.pool}), request(t, t.Context(), c.url))
			want(t, "kind", e.Kind, providers.ErrorConnect)
			wantIn(t, e.Message, c.message)
		})
	}
}

func TestServersThatBreakOff(t *testing.T) {
	for _, c := range []struct {
		name    string
		script  func(net.Conn, *http.Request)
		kind    providers.ErrorKind
		message string
	}{
		{"close before the answer", func(net.Conn, *http.Request) {}, providers.ErrorBroken, "the connection was closed by"},
		{"reset before the answer", func(c net.Conn, _ *http.Request) { reset(c) }, providers.ErrorBroken, "connection reset by peer"},
		{"no HTTP", func(c net.Conn, _ *http.Request) { write(c, "SSH-2.0-OpenSSH_9.2\r\n\r\n") }, providers.ErrorProtocol, "does not answer in HTTP"},
		{"close in the body", func(c net.Conn, _ *http.Request) {
			write(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		}, providers.ErrorBroken, "in the middle of the answer"},
		{"reset in the body", func(c net.Conn, _ *http.Request) {
			write(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			reset(c)
		}, providers.ErrorBroken, "in the middle of the answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fail(t, newTransport(t, Options{}), request(t, t.Context(), rawServer(t, c.script)))
			want(t, "kind", e.Kind, c.kind)
			wantIn(t, e.Message, c.message)
		})
	}
}

// reset closes a connection with RST.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

func TestSilence(t *testing.T) {
	for name, script := range map[string]func(net.Conn, *http.Request){
		"before the headers": func(c net.Conn, _ *http.Request) { hang(c) },
		"in the body": func(c net.Conn, _ *http.Request) {
			write(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
			hang(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTransport(t, Options{ReadTimeout: 30 * time.Millisecond})
			within(t, 5*time.Second, func() {
				e := fail(t, tr, request(t, t.Context(), rawServer(t, script)))
				want(t, "kind", e.Kind, providers.ErrorBroken)
				wantIn(t, e.Message, "no data came for 30ms")
			})
		})
	}
}

// Time during which no one reads is not the server's.
func TestSilenceCountsOnlyWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		x := &exchange{t: New(Options{}), parent: t.Context(), ctx: ctx, cancel: cancel, watch: newWatchdog(time.Second, cancel)}
		src := strings.NewReader("ab")
		b := &body{x: x, raw: io.NopCloser(src), src: src}
		for range 2 {
			if _, err := b.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Minute)
		}
		if x.ended() != nil {
			t.Errorf("the exchange was cancelled: %v", x.ended())
		}
		b.Close()
	})
}

func TestHowLongSilenceMayLast(t *testing.T) {
	for _, c := range []struct {
		option time.Duration
		host   string
		want   time.Duration
	}{
		{0, "api.example.com", 120 * time.Second},
		{0, "127.0.0.1", 0},
		{time.Second, "127.0.0.1", time.Second},
		{-1, "api.example.com", 0},
	} {
		want(t, c.host, New(Options{ReadTimeout: c.option}).silence(c.host), c.want)
	}
}

func TestCancelling(t *testing.T) {
	cause := errors.New("the user said stop")
	for name, head := range map[string]string{"before the headers": "", "in the body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{})
			url := rawServer(t, func(c net.Conn, _ *http.Request) {
				write(c, head)
				close(arrived)
				hang(c)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-arrived; cancel(cause) }()
			within(t, 5*time.Second, func() {
				if _, err := get(newTransport(t, Options{}), request(t, ctx, url)); !errors.Is(err, cause) {
					t.Errorf("got %v, want the cause", err)
				}
			})
		})
	}
}

func TestCloseMakesAReadReturn(t *testing.T) {
	url := rawServer(t, func(c net.Conn, _ *http.Request) {
		write(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
		hang(c)
	})
	resp, err := newTransport(t, Options{}).Do(request(t, t.Context(), url))
	if err != nil {
		t.Fatal(err)
	}
	reading := make(chan error, 1)
	go func() { _, err := resp.Body.Read(make([]byte, 1)); reading <- err }()
	within(t, 5*time.Second, func() {
		resp.Body.Close()
		resp.Body.Close()
		var e *providers.Error
		if err := <-reading; !errors.As(err, &e) || e.Kind != providers.ErrorBroken {
			t.Errorf("got %v", err)
		}
	})
}
