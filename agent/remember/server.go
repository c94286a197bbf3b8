package remember

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
)

// ServerOptions say which server a [Server] asks, and how.
type ServerOptions struct {
	// Call calls a tool of the server with those of the arguments that it takes. It ends
	// with ctx.
	Call func(ctx context.Context, tool string, args map[string]any) (string, error)
	// Tools are the tools by the verb that they are called for. One that has none is not
	// told.
	Tools map[string]string
	// Scan names what in a text tries to take over the agent; such a text is not used.
	Scan func(string) []string
}

// readyTime is how much longer the first call may take, for the server to connect.
const readyTime = 10 * time.Second

// Server is a [Provider] that is a server of the Model Context Protocol: what a command gets
// as members of a request its tools get as arguments. One that fails again and again is not
// asked any more.
type Server struct {
	asked
	o     ServerOptions
	ready sync.Once

	mu     sync.Mutex
	failed int // calls, one after the other
	gone   bool
}

var _ Provider = (*Server)(nil)

// NewServer makes a provider that is a server. Nothing is called yet.
func NewServer(o ServerOptions) *Server {
	s := &Server{o: o}
	s.asked = asked{scan: o.Scan, ask: s.request, hears: func(verb string) bool { return o.Tools[verb] != "" }}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Available implements [Provider].
func (s *Server) Available(ctx context.Context) error {
	_, err := s.ask(ctx, request{Verb: VerbAvailable}, askTime)
	return err
}

// request calls the tool for a verb, if there is one. The tools of the server itself are
// offered as those of any server.
func (s *Server) request(ctx context.Context, r request, within time.Duration) (answer, error) {
	tool := s.o.Tools[r.Verb]
	if tool == "" {
		return answer{}, nil
	}
	r.Verb = ""
	s.mu.Lock()
	gone := s.gone
	s.mu.Unlock()
	if gone {
		return answer{}, errClosed
	}
	s.ready.Do(func() { within += readyTime })
	line, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	var args map[string]any
	if err := json.Unmarshal(line, &args); err != nil {
		return answer{}, err
	}
	timed, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	text, err := s.o.Call(timed, tool, args)
	switch {
	case err == nil:
		s.mu.Lock()
		s.failed = 0
		s.mu.Unlock()
		return answer{Text: text}, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return answer{}, ctx.Err()
	case timed.Err() != nil:
		return answer{}, s.fail("it did not answer in time")
	}
	return answer{}, s.fail(strings.TrimSuffix(short(err.Error()), "."))
}

// fail counts a call that failed and says so, the last time that it is not asked any more.
func (s *Server) fail(why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed++; s.failed < maxSlow {
		return problem("The memory provider gave nothing: %s. This goes on without it.", why)
	}
	if s.gone {
		return errClosed
	}
	s.gone = true
	return problem("The memory provider failed %d times"+givenUp+" The last time: %s.", maxSlow, why)
}

// Close implements [Provider]. The server itself goes on.
func (s *Server) Close(ctx context.Context) {
	heard := s.heard()
	polite, cancel := context.WithTimeout(ctx, CloseTime-time.Second)
	defer cancel()
	until(heard, polite.Done())
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.cancel()
	select { // a call ends with its context
	case <-heard:
	case <-time.After(time.Second):
	}
}
