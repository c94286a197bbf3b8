package responses

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server answers every request in the same way and keeps the newest.
type server struct {
	url string
	mu  sync.Mutex
	got *http.Request
	// body is that of the newest request.
	body string
}

func (s *server) asked() (*http.Request, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got, s.body
}

func serve(t *testing.T, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.got, s.body = r, string(body)
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// streams answers with a stream that is these bytes.
func streams(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}
}

// sse makes a stream of events.
func sse(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

// completed is a terminal event.
const completed = `{"type":"response.completed","response":{"status":"completed","output":[]}}`

// hello is a small request.
func hello() providers.Request {
	return providers.Request{Model: "gpt-4o", Messages: []providers.Message{{ID: "1", Role: providers.User, Parts: providers.TextParts("hi")}}}
}

// answer reads the answer that a stream of these bytes is.
func answer(t *testing.T, body string) ([]string, error) {
	t.Helper()
	return collect(t, newClient(t, serve(t, streams(body)).url), hello())
}

// collect reads a whole answer. The error is nil for a complete one.
func collect(t *testing.T, c *Client, r providers.Request) ([]string, error) {
	t.Helper()
	deltas, err := ask(t, c, r)
	out := make([]string, 0, len(deltas))
	for _, d := range deltas {
		out = append(out, show(d))
	}
	return out, err
}

func ask(t *testing.T, c *Client, r providers.Request) (out []providers.Delta, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Second, errors.New("the test took too long"))
	defer cancel()
	s, err := c.Stream(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, d)
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
		return fmt.Sprintf("call %d %s %s", d.Index, d.CallID, d.Name)
	case providers.DeltaArguments:
		return fmt.Sprintf("arguments %d %s", d.Index, d.Text)
	case providers.DeltaUsage:
		return fmt.Sprintf("usage %d %d %d %d %d", d.Usage.Input, d.Usage.Output, d.Usage.CacheRead, d.Usage.CacheWrite, d.Usage.Reasoning)
	case providers.DeltaItem:
		return fmt.Sprintf("item %s %s %d %s %s", d.Item.Issuer, d.Item.Model, d.Item.At, d.Item.Kind, d.Item.Raw)
	case providers.DeltaFinish:
		return "finish " + string(d.Finish)
	}
	return fmt.Sprintf("unknown delta %+v", d)
}

// same compares what came with what should have come.
func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// failure checks that an error is of a kind, contains some words and keeps the key.
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
	if all := fmt.Sprintf("%s %+v %s %v", e, *e, e.Body, e.Cause); strings.Contains(all, "sk-secret") {
		t.Errorf("the error holds the key: %s", all)
	}
	return e
}
