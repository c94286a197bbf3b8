// Package scripttest plays the scenarios of package script over loopback HTTP in the
// Chat Completions format, for tests of what talks to a model. A server has ended all
// goroutines of its own when Close returns.
package scripttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"hermes-tui/providers/script"
)

// Options are the choices of [Serve].
type Options struct {
	// Addr is where to listen, a loopback address; empty is a free port of
	// 127.0.0.1.
	Addr string
	// Clock paces the answers; nil is the machine's.
	Clock script.Clock
}

// Server plays a scenario over HTTP. It is safe for concurrent use.
type Server struct {
	player *script.Player
	http   *http.Server
	addr   string
	stop   context.CancelCauseFunc
	busy   sync.WaitGroup // accepting, connections, answers

	mu       sync.Mutex
	recorded []Recorded
	kept     int           // bytes of bodies in recorded
	first    int           // the oldest in recorded that may have a body
	changed  chan struct{} // closed at the next recorded request
}

// Recorded is a request that reached a server.
type Recorded struct {
	At     time.Time
	Header http.Header
	// Body is the request body. Bodies are kept up to 64 MB in all, then the
	// oldest become nil.
	Body json.RawMessage
	// Rule is the index of the rule that answered, -1 if none did.
	Rule int
}

// Limits of a server, in bytes.
const (
	maxBody   = 64 << 20
	maxBodies = 64 << 20
)

// Serve plays a scenario, which must not change afterwards, at
// POST URL/chat/completions, and lists its models at GET URL/models. It is
// reachable from this machine only and asks for no key. Close ends it.
func Serve(s *script.Scenario, o Options) (*Server, error) {
	p, err := script.NewPlayer(s, script.Options{Clock: o.Clock})
	if err != nil {
		return nil, err
	}
	listener, err := listen(o.Addr)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(context.Background())
	srv := &Server{
		player: p, addr: listener.Addr().String(), stop: stop, changed: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", srv.answer)
	mux.HandleFunc("GET /v1/models", srv.models)
	mux.HandleFunc("/", srv.unknown)
	srv.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: 30 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnState:   srv.connection,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	srv.busy.Go(func() { _ = srv.http.Serve(listener) })
	return srv, nil
}

// listen opens a loopback port.
func listen(addr string) (net.Listener, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve scenario: %w", err)
	}
	if !at.IP.IsLoopback() {
		return nil, fmt.Errorf("serve scenario: %s is not a loopback address; use 127.0.0.1 and a port", addr)
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("serve scenario: %w", err)
	}
	return l, nil
}

// connection counts the connections that are served.
func (s *Server) connection(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.busy.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.busy.Done()
	}
}

// URL is the base URL for clients, with the path /v1.
func (s *Server) URL() string { return "http://" + s.addr + "/v1" }

// Requests are the chat requests so far, in the order in which they came.
func (s *Server) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.recorded)
}

// WaitRequests waits until n chat requests have come, counted from the start of
// the server, and returns all of them. When ctx ends first it returns those
// that have come and the context's cause.
func (s *Server) WaitRequests(ctx context.Context, n int) ([]Recorded, error) {
	for {
		s.mu.Lock()
		got, changed := slices.Clone(s.recorded), s.changed
		s.mu.Unlock()
		if len(got) >= n {
			return got, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return got, context.Cause(ctx)
		}
	}
}

// record keeps a request.
func (s *Server) record(r Recorded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recorded = append(s.recorded, r)
	for s.kept += len(r.Body); s.kept > maxBodies && s.first < len(s.recorded)-1; s.first++ {
		s.kept -= len(s.recorded[s.first].Body)
		s.recorded[s.first].Body = nil
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// errServerClosed ends the answers of a server that is closed.
var errServerClosed = errors.New("the server was closed")

// Close ends all answers and connections and waits for them. It may be called
// more than once.
func (s *Server) Close() error {
	s.stop(errServerClosed)
	err := s.http.Close()
	s.busy.Wait()
	if err != nil {
		return fmt.Errorf("close scenario server: %w", err)
	}
	return nil
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	var list []map[string]any
	for _, m := range s.player.Models() {
		entry := map[string]any{"id": m.ID, "object": "model", "created": 0, "owned_by": "script"}
		if m.ContextLength > 0 {
			entry["context_length"] = m.ContextLength
		}
		list = append(list, entry)
	}
	send(w, script.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: encode(map[string]any{"object": "list", "data": list})})
}

func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	send(w, script.Failure{Status: http.StatusNotFound, Type: "invalid_request_error",
		Message: fmt.Sprintf("There is no %s %.60s here.", r.Method, r.URL.Path)}.Response())
}

// send writes a response as a whole.
func send(w http.ResponseWriter, r script.Response) {
	for k, v := range r.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body)
}

// encode writes JSON without HTML escapes. It is called with values that can be
// encoded.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
