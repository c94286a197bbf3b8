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
	o      ServerOptions
	ctx    context.Context // of what it is told
	cancel context.CancelFunc
	calls  sync.WaitGroup
	told   order
	ready  sync.Once

	mu     sync.Mutex
	failed int // calls, one after the other
	gone   bool
}

var _ Provider = (*Server)(nil)

// NewServer makes a provider that is a server. Nothing is called yet.
func NewServer(o ServerOptions) *Server {
	s := &Server{o: o}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Name implements [Provider].
func (*Server) Name() string { return "provider" }

// Available implements [Provider].
func (s *Server) Available(ctx context.Context) error {
	_, err := s.call(ctx, VerbAvailable, request{}, askTime)
	return err
}

// Begin implements [Provider]. The tools of a server are offered as those of any server.
func (s *Server) Begin(ctx context.Context, of Session) ([]Tool, error) {
	_, err := s.call(ctx, VerbInitialize, request{Session: of}, beginTime)
	return nil, err
}

// Block implements [Provider].
func (s *Server) Block(ctx context.Context, of Session) (string, error) {
	return s.text(ctx, VerbBlock, request{Session: of}, askTime)
}

// Prefetch implements [Provider].
func (s *Server) Prefetch(ctx context.Context, of Session, q Query) (string, error) {
	text, err := s.text(ctx, VerbPrefetch, request{Session: of, Event: Event{Query: q.Text}, Chars: q.Chars}, askTime)
	return beginning(text, q.Chars), err
}

// Compressing implements [Provider].
func (s *Server) Compressing(ctx context.Context, of Session, left []Message) (string, error) {
	text, err := s.text(ctx, VerbCompress, request{Session: of, Messages: clipped(left), Chars: compressChars}, beginTime)
	return beginning(text, compressChars), err
}

// Call implements [Provider]. There is nothing that it offers.
func (*Server) Call(context.Context, Session, string, json.RawMessage) (string, error) {
	return "", errors.New("there is no such tool")
}

// text asks for a text that is to be shown to the model.
func (s *Server) text(ctx context.Context, verb string, r request, within time.Duration) (string, error) {
	text, err := s.call(ctx, verb, r, within)
	if err != nil {
		return "", err
	}
	return usable(text, s.o.Scan)
}

// call calls the tool for a verb, if there is one.
func (s *Server) call(ctx context.Context, verb string, r request, within time.Duration) (string, error) {
	tool := s.o.Tools[verb]
	if tool == "" {
		return "", nil
	}
	s.mu.Lock()
	gone := s.gone
	s.mu.Unlock()
	if gone {
		return "", errClosed
	}
	s.ready.Do(func() { within += readyTime })
	line, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	var args map[string]any
	if err := json.Unmarshal(line, &args); err != nil {
		return "", err
	}
	timed, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	text, err := s.o.Call(timed, tool, args)
	switch {
	case err == nil:
		s.mu.Lock()
		s.failed = 0
		s.mu.Unlock()
		return text, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return "", ctx.Err()
	case timed.Err() != nil:
		return "", s.fail("it did not answer in time")
	}
	return "", s.fail(strings.TrimSuffix(short(err.Error()), "."))
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
	return problem("The memory provider failed %d times and is not asked any more; the notes of this program go on. The last time: %s.", maxSlow, why)
}

// Tell implements [Provider].
func (s *Server) Tell(of Session, e Event, failed func(error)) {
	if s.o.Tools[e.Verb] == "" {
		return
	}
	s.told.add(&s.calls, func() {
		if _, err := s.call(s.ctx, e.Verb, request{Session: of, Event: e}, tellTime); err != nil {
			failed(err)
		}
	})
}

// Close implements [Provider]. The server itself goes on.
func (s *Server) Close(ctx context.Context) {
	told := make(chan struct{})
	go func() {
		s.calls.Wait()
		close(told)
	}()
	polite, cancel := context.WithTimeout(ctx, CloseTime-time.Second)
	defer cancel()
	select {
	case <-told:
	case <-polite.Done():
	}
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.cancel()
	select { // a call ends with its context
	case <-told:
	case <-time.After(time.Second):
	}
}
