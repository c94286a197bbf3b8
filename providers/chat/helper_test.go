package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

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

// collect reads a whole answer. The error is nil for a complete one.
func collect(t *testing.T, c *Client, r providers.Request) ([]string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Second, errors.New("the test took too long"))
	defer cancel()
	s, err := c.Stream(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return drain(s)
}

func drain(s providers.Stream) (out []string, err error) {
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, show(d))
	}
}

// show writes a delta as one line.
func show(d providers.Delta) string {
	switch d.Kind {
	case providers.DeltaOpen:
		return "open"
	case providers.DeltaText:
		return "text " + d.Text
	case providers.DeltaReasoning:
		return "reasoning " + d.Text
	case providers.DeltaCall:
		return strings.TrimSpace(fmt.Sprintf("call %d %s %s %s", d.Index, d.CallID, d.Name, d.Extra))
	case providers.DeltaArguments:
		return fmt.Sprintf("arguments %d %s", d.Index, d.Text)
	case providers.DeltaUsage:
		return fmt.Sprintf("usage %d %d %d %d %d", d.Usage.Input, d.Usage.Output, d.Usage.CacheRead, d.Usage.CacheWrite, d.Usage.Reasoning)
	case providers.DeltaItem:
		return fmt.Sprintf("item %s %s %s %s", d.Item.Issuer, d.Item.Model, d.Item.Kind, d.Item.Raw)
	case providers.DeltaFinish:
		return "finish " + string(d.Finish)
	}
	return fmt.Sprintf("unknown delta %+v", d)
}

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

// same compares what came with what should have come.
func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// failure checks that an error is of a kind and contains some words.
func failure(t *testing.T, err error, kind providers.ErrorKind, words string) *providers.Error {
	t.Helper()
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	if e.Kind != kind || !strings.Contains(e.Message, words) {
		t.Errorf("got %s %q, want %s with %q", e.Kind, e.Message, kind, words)
	}
	if e.Endpoint == "" {
		t.Error("the error names no endpoint")
	}
	if all := fmt.Sprintf("%+v %s", *e, e.Body); strings.Contains(all, "sk-secret") {
		t.Errorf("the error holds the key: %s", all)
	}
	return e
}
