package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// State says how it is with a server.
type State string

// The states.
const (
	Off        State = "off"        // the user does not want it
	Held       State = "held"       // it waits for the user's consent
	Connecting State = "connecting" // tried just now, or again in a moment
	Ready      State = "ready"
	NeedsLogin State = "needs login"
	Parked     State = "parked" // not reached; a call tries again
	Failed     State = "failed" // its entry cannot be used
)

// How often and how soon a server is tried again.
const (
	tries      = 3 // until it is parked that was never reached
	triesAgain = 5 // until it is parked that was lost
	firstPause = time.Second
	longPause  = time.Minute
	// lately is for how long a call does not try again what was not reached.
	lately = 20 * time.Second
	// leastTry is how long a try has to last that was broken off to count as one.
	leastTry = time.Second
	// steady is how long a connection has to hold to count as one that works.
	steady = time.Minute
)

// legacyVersion has the SDK say "initialize" first.
const legacyVersion = "2025-11-25"

// server keeps the connection to one server.
type server struct {
	o     *Options
	c     Config
	log   io.WriteCloser
	stop  context.CancelFunc
	ended chan struct{}
	wake  chan struct{} // asks for another try at once
	list  chan struct{} // the server says that its tools have changed
	// offers is the same of prompts and resources.
	offers  chan struct{}
	refused chan refusal // a call was told to log in, or the connection is unwanted

	mu        sync.Mutex
	state     State
	why       string // a sentence
	session   *sdk.ClientSession
	kid       *child        // its process, nil for none
	client    *Client       // that connects to it, nil for a process
	changed   chan struct{} // closed at every change
	listed    []Tool        // all that it offers and that can be used
	offered   []Tool
	heldNow   []Change
	left      []string          // tools that cannot be used, and why
	aside     map[string]string // tools that a service of models refuses, by name, and why
	modern    bool              // it does not know "initialize"
	older     bool              // it speaks the transport of 2024, though its entry does not say so
	refuses   bool              // it takes no messages where the newer transport sends them
	calls     calls
	offering  bool // its prompts and resources are being listed for the first time
	prompts   []Prompt
	resources []Resource
	sampledAt []time.Time // when it wanted answers of a model, the last minute
	using     int         // calls that run or are about to
	used      time.Time   // when the last one ended
	rested    bool        // it was ended since no one needed it
	vain      time.Time   // when the last try to reach it was over that did not
	breach    error       // what it sent that cannot be taken, on this connection
	junk      int         // what it sent that is no message, on this connection
}

// newServer begins to connect to a server.
func newServer(o *Options, c Config) *server {
	ctx, stop := context.WithCancel(context.Background())
	s := &server{
		o: o, c: c, stop: stop, ended: make(chan struct{}), wake: make(chan struct{}, 1), list: make(chan struct{}, 1), offers: make(chan struct{}, 1), refused: make(chan refusal, 1),
		state: Connecting, changed: make(chan struct{}), log: o.Log(c.Name),
	}
	go func() {
		defer close(s.ended)
		defer s.log.Close()
		s.run(ctx)
	}()
	return s
}

// close ends the connection and the process. It waits for that.
func (s *server) close() {
	s.stop()
	<-s.ended
}

// set notes a state.
func (s *server) set(state State, why string) {
	s.mu.Lock()
	s.state, s.why = state, why
	s.stir()
	s.mu.Unlock()
	s.o.Changed()
}

// stir wakes those who wait for a change. The caller holds the lock.
func (s *server) stir() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// run connects, again and again.
func (s *server) run(ctx context.Context) {
	if why := s.c.Check(); why != "" {
		s.set(Failed, "Its entry cannot be used: "+why+".")
		return
	}
	failed, pause, most := 0, firstPause, tries
	for {
		s.rest(false)
		s.set(Connecting, "")
		began := s.o.Now()
		was, err := s.serve(ctx)
		if took := s.o.Now().Sub(began); !was && (ctx.Err() == nil || took > leastTry) && wantsLogin(err) == "" {
			s.o.Reach.note(s.c, 0, false)
		}
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		s.vain = time.Time{}
		if !was {
			s.vain = s.o.Now()
		}
		s.mu.Unlock()
		_, _ = fmt.Fprintf(s.log, "%s hermes-tui: %v\n", s.o.Now().UTC().Format(time.RFC3339), err)
		if was {
			most = triesAgain
			if s.o.Now().Sub(began) > steady {
				failed, pause = 0, firstPause
			}
		}
		failed++
		switch {
		case errors.Is(err, errAnew):
			continue
		case errors.Is(err, errRest):
			s.rest(true)
			s.set(Parked, "It rests until it is called.")
		case wantsLogin(err) != "":
			s.set(NeedsLogin, wantsLogin(err))
		case errors.Is(err, errStart):
			why := sentence(err)
			s.set(Parked, strings.ToUpper(why[:1])+why[1:])
		case failed >= most:
			s.set(Parked, "It was not reached: "+sentence(err))
		default:
			s.set(Connecting, "It was not reached, and is tried again in a moment: "+sentence(err))
			select {
			case <-ctx.Done():
				return
			case <-s.wake:
			case <-time.After(pause):
			}
			pause = min(2*pause, longPause)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			failed, pause = 0, firstPause
		}
	}
}

// keyRefused is a server that refuses the key in the headers of its entry.
type keyRefused struct{}

// Error implements error.
func (keyRefused) Error() string { return "it wants a login" }

// NeedsLogin says why in a sentence.
func (keyRefused) NeedsLogin() string {
	return "It wants a key, or another one than headers of its entry has."
}

// wantsLogin says why the user has to log in at a server, empty if that is not what an
// error says. Such an error has a method NeedsLogin that gives the sentence.
func wantsLogin(err error) string {
	var e interface {
		error
		NeedsLogin() string
	}
	if errors.As(err, &e) {
		return e.NeedsLogin()
	}
	return ""
}

var (
	// errStart is a server that cannot be started, which does not get better by itself.
	errStart = errors.New("it cannot be started")
	// errAnew is a connection that is to be made again.
	errAnew = errors.New("it is connected to anew")
	// errRest is a server that is idle until it is called.
	errRest = errors.New("it rests until it is called")
)

// serve connects once and stays until the connection ends. was says that it was ready.
func (s *server) serve(ctx context.Context) (was bool, err error) {
	defer s.letGo()
	began := s.o.Now()
	session, kid, err := s.connect(ctx)
	if err != nil {
		kid.end()
		return false, err
	}
	if kid != nil {
		defer kid.close()
	}
	defer s.drop(session, kid)
	select {
	case <-s.refused: // about the connection before
	default:
	}
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()
	if err := s.read(ctx, session); err != nil {
		return false, err
	}
	s.mu.Lock()
	s.session, s.kid, s.used, s.offering = session, kid, s.o.Now(), true
	s.mu.Unlock()
	s.o.Reach.note(s.c, s.o.Now().Sub(began), true)
	s.set(Ready, "")
	began = s.o.Now()
	var listing sync.WaitGroup
	defer listing.Wait()
	offers := func() { listing.Go(func() { s.readOffers(ctx, session) }) }
	offers()
	due := time.NewTimer(s.restIn(began))
	defer due.Stop()
	for {
		select {
		case <-due.C:
			if s.letRest(began) {
				return true, errRest
			}
			due.Reset(max(s.restIn(began), time.Second/10))
		case <-ctx.Done():
			return true, context.Cause(ctx)
		case err := <-over:
			return true, s.lost(err, kid)
		case r := <-s.refused:
			return true, r.why
		case <-s.wake: // it is there
		case <-s.offers:
			offers()
		case <-s.list:
			if err := s.read(ctx, session); err != nil {
				return true, err
			}
			s.set(Ready, "")
		}
	}
}

// letGo closes what connections to an address are left.
func (s *server) letGo() {
	s.mu.Lock()
	client := s.client
	s.client = nil
	s.mu.Unlock()
	if client != nil {
		client.CloseIdleConnections()
	}
}

// lost says why a connection ended.
func (s *server) lost(err error, kid *child) error {
	if kid != nil && kid.err() != nil {
		return kid.err()
	}
	if err == nil {
		err = errors.New("it closed the connection")
	}
	return err
}

// whyEnded says how a process has ended, nil if it has not or there is none.
func (k *child) whyEnded() error {
	if k == nil {
		return nil
	}
	if k.err() == nil {
		select { // it may be about to
		case <-k.ended:
		case <-time.After(200 * time.Millisecond):
		}
	}
	return k.err()
}

// drop ends a session.
func (s *server) drop(session *sdk.ClientSession, kid *child) {
	s.mu.Lock()
	s.session, s.kid = nil, nil
	s.mu.Unlock()
	if kid != nil {
		kid.close() // first: the session waits for it
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = session.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
}

// sentence is an error as one.
func sentence(err error) string {
	text := label(strings.TrimPrefix(err.Error(), errStart.Error()+": "), 400)
	if text == "" {
		return "No reason was given."
	}
	return strings.TrimRight(text, ".") + "."
}

// use gives the session for a call, and the process behind it, if any. It tries to connect
// to one that is not there.
func (s *server) use(ctx context.Context) (*sdk.ClientSession, *child, error) {
	ctx, cancel := context.WithTimeout(ctx, s.within())
	defer cancel()
	woken := false
	for {
		s.mu.Lock()
		session, kid, state, why, changed := s.session, s.kid, s.state, s.why, s.changed
		justNow := state == Parked && !s.rested && s.o.Now().Sub(s.vain) < lately
		s.mu.Unlock()
		switch {
		case state == Ready && session != nil:
			return session, kid, nil
		case state == NeedsLogin:
			return nil, nil, fmt.Errorf("the MCP server %s wants the user to log in: they can with hermes-tui mcp login, or under /mcp", s.c.Name)
		case state == Failed, state == Parked && woken, justNow:
			return nil, nil, said("the MCP server %s cannot be called (%s). %s", s.c.Name, state, why)
		case state == Parked, state == Connecting && why != "" && !woken: // it waits before it tries again
			woken = true
			s.again()
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("the MCP server %s is not there yet: %s", s.c.Name, state)
		case <-s.ended:
			return nil, nil, fmt.Errorf("the MCP server %s was ended", s.c.Name)
		case <-changed:
		}
	}
}

// again asks for another try.
func (s *server) again() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
