package responses

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"hermes-tui/internal/protocoltest"
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

var (
	ask     = protocoltest.Read
	collect = protocoltest.Collect
	same    = protocoltest.Same
	quote   = protocoltest.Quote
)

// failure checks that an error is of a kind, contains some words and keeps the key.
func failure(t *testing.T, err error, kind providers.ErrorKind, words string) *providers.Error {
	t.Helper()
	return protocoltest.Failed(t, err, kind, words, "sk-secret")
}
