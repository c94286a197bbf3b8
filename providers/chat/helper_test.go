package chat

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asked is a request as a server saw it.
type asked struct {
	path   string // with query
	header http.Header
	body   string
}

// server answers each connection with a script that writes bytes itself, and
// keeps the newest request.
type server struct {
	url string
	mu  sync.Mutex
	got asked
}

func (s *server) asked() asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

func serve(t *testing.T, script func(c net.Conn)) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{url: "http://" + l.Addr().String()}
	var (
		wg   sync.WaitGroup
		open []net.Conn
	)
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			open = append(open, c)
			s.mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				if s.read(c) {
					script(c)
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for _, c := range open {
			c.Close()
		}
		s.mu.Unlock()
		wg.Wait()
	})
	return s
}

// read takes a request; it is false when the client hung up.
func (s *server) read(c net.Conn) bool {
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return false
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = asked{path: req.RequestURI, header: req.Header, body: string(body)}
	return true
}

// The heads of answers that end with the connection.
const (
	sseHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	jsonHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
	htmlHead = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
)

// write sends parts, each in a packet of its own if the system allows; a client
// that is gone is no matter of the server.
func write(c net.Conn, parts ...string) {
	for _, p := range parts {
		_, _ = io.WriteString(c, p)
	}
}

// hang waits until the client goes away.
func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// newClient makes a client of a server.
func newClient(t *testing.T, url string, change ...func(*Config)) *Client {
	t.Helper()
	tr := transport.New(transport.Options{Version: "test"})
	t.Cleanup(tr.CloseIdle)
	config := Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "acme", BaseURL: url, Key: "sk-secret-0123456789"}, Transport: tr}}
	for _, f := range change {
		f(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hello is a small request.
func hello() providers.Request {
	return providers.Request{Model: "m-1", Messages: []providers.Message{{ID: "1", Role: providers.User, Parts: providers.TextParts("hi")}}}
}

// answer streams hello's answer from a script that sends parts and closes.
func answer(t *testing.T, head string, parts ...string) ([]string, error) {
	t.Helper()
	s := serve(t, func(c net.Conn) { write(c, head); write(c, parts...) })
	return collect(t, newClient(t, s.url), hello())
}

var (
	collect = protocoltest.Collect
	show    = protocoltest.Show
	same    = protocoltest.Same
	quote   = protocoltest.Quote
)

// sse makes the body of a stream.
func sse(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

// delta makes an event that holds a delta.
func delta(fields string) string {
	return `{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

// finish makes an event that holds a finish reason.
func finish(reason string) string {
	return `{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// failure checks that an error is of a kind, contains some words and keeps the key.
func failure(t *testing.T, err error, kind providers.ErrorKind, words string) *providers.Error {
	t.Helper()
	return protocoltest.Failed(t, err, kind, words, "sk-secret")
}
