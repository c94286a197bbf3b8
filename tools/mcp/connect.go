package mcp

import (
	"context"
	"errors"
	"fmt"
	"hermes-tui/tools"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// within is how long the server may take to answer for the first time.
func (s *server) within() time.Duration {
	if s.c.ConnectTimeout <= 0 {
		return DefaultConnectTimeout
	}
	return s.c.ConnectTimeout
}

// connect begins a session.
func (s *server) connect(parent context.Context) (*sdk.ClientSession, *child, error) {
	within := s.within()
	ctx, cancel := context.WithTimeoutCause(parent, within, fmt.Errorf("it did not answer within %v", within))
	defer cancel()
	s.mu.Lock()
	modern := s.modern || s.c.Era == Stateless
	s.mu.Unlock()
	session, kid, err := s.try(parent, ctx, modern)
	if err == nil && s.c.Era == Stateless && session.InitializeResult().ProtocolVersion <= legacyVersion {
		kid.end()
		_ = session.Close()
		return nil, kid, fmt.Errorf("%w: it does not speak the stateless protocol that its entry asks for", errStart)
	}
	if err != nil && s.tryOlder() {
		if session, kid, err2 := s.try(parent, ctx, false); err2 == nil {
			return session, kid, nil
		}
		s.mu.Lock()
		s.older = false // what the newer transport said says more
		s.mu.Unlock()
	}
	if unknown(err) && !modern && s.c.Era != Legacy {
		kid.end()
		if session, kid, err = s.try(parent, ctx, true); err == nil {
			s.mu.Lock()
			s.modern = true
			s.mu.Unlock()
		}
	}
	junk, breach := s.sent()
	switch {
	case err == nil:
		return session, kid, nil
	case breach != nil:
		err = breach
	case ctx.Err() != nil:
		if err = context.Cause(ctx); junk > 0 {
			err = fmt.Errorf("%w; %s", err, junkWords(junk))
		}
	case kid != nil && kid.err() != nil && !answered(err):
		err = kid.err()
	}
	return nil, kid, err
}

// tryOlder reports whether a server that cannot be reached may speak the older transport, which
// is then tried.
func (s *server) tryOlder() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	may := s.refuses && !s.older && !s.c.SSE && s.c.Era != Stateless
	s.older = s.older || may
	return may
}

// try connects in one era of the protocol, within ctx; what is connected lasts no longer
// than long.
func (s *server) try(long, ctx context.Context, modern bool) (*sdk.ClientSession, *child, error) {
	s.mu.Lock()
	s.breach, s.junk, s.refuses = nil, 0, false
	s.mu.Unlock()
	client := sdk.NewClient(&sdk.Implementation{Name: "hermes-tui", Version: s.o.Version}, s.options())
	o := &sdk.ClientSessionOptions{ProtocolVersion: legacyVersion}
	if modern {
		o = nil
	}
	if s.c.Command == "" {
		t, err := s.remote(long, ctx)
		if err != nil {
			return nil, nil, err
		}
		session, err := client.Connect(ctx, t, o)
		return session, nil, err
	}
	kid, err := startChild(s.o.Start, s.c, s.log, s.skip)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errStart, err)
	}
	session, err := client.Connect(ctx, kid, o)
	if err != nil {
		select { // how it ended says more than that it did
		case <-kid.ended:
		case <-time.After(100 * time.Millisecond):
		}
	}
	return session, kid, err
}

// skip notes what a server has sent that is no message, and writes it into the log.
func (s *server) skip(data []byte) {
	s.mu.Lock()
	s.junk++
	s.mu.Unlock()
	_, _ = s.log.Write(append(data[:min(len(data), 1000):min(len(data), 1000)], '\n'))
}

// junkWords say how much that was.
func junkWords(n int) string {
	return fmt.Sprintf("it has written %s that %s no message, which its log has: what it writes there belongs on its standard error", tools.Plural(n, "line", "lines"), map[bool]string{true: "is", false: "are"}[n == 1])
}

// breaks ends the connection since the server has sent what cannot be taken.
func (s *server) breaks(err error) {
	s.mu.Lock()
	s.breach = err
	s.mu.Unlock()
	s.refuse(err)
}

// sent says what of what the server has sent cannot be taken: why the connection ends, and
// how much was passed over.
func (s *server) sent() (junk int, breach error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.junk, s.breach
}

// end is kill for a child that may not be there.
func (k *child) end() {
	if k != nil {
		k.kill()
	}
}

// unknown reports whether a server does not know "initialize".
func unknown(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && (e.Code == jsonrpc.CodeMethodNotFound || e.Code == sdk.CodeUnsupportedProtocolVersion)
}

// answered reports whether an error is an answer of the server.
func answered(err error) bool {
	_, ok := errors.AsType[*jsonrpc.Error](err)
	return ok
}

// options are those of a session.
func (s *server) options() *sdk.ClientOptions {
	again := func(list chan struct{}) {
		select {
		case list <- struct{}{}:
		default:
		}
	}
	o := &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{}, // no roots
		KeepAlive:                   s.c.Keepalive,
		KeepAliveFailureThreshold:   2,
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { again(s.list) },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { again(s.offers) },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { again(s.offers) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.calls.progress(r.Params) },
	}
	if !s.c.NoElicitation {
		o.ElicitationHandler = s.elicit
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
	}
	if s.c.SamplesPerMinute > 0 {
		o.CreateMessageHandler = s.sample //nolint:staticcheck // servers use it for as long as it is in the protocol
	}
	return o
}
