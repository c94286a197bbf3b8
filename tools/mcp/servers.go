package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Options are what servers are kept with.
type Options struct {
	Start Start
	HTTP  HTTP
	// Pins remember what the user has agreed to.
	Pins *Pins
	// Reach remembers how servers were reached; nil does not.
	Reach *Reach
	// Scan names what in a text reads like an attempt to take over the agent.
	Scan func(string) []string
	// Log opens the log of a server, for what it says on its standard error. What cannot
	// be opened may drop it.
	Log func(name string) io.WriteCloser
	// Changed hears of every change of a state. It must not block.
	Changed func()
	Version string
	Now     func() time.Time
}

// Servers are those that run. They are safe for concurrent use.
type Servers struct {
	o Options

	mu     sync.Mutex
	list   []*server // by name, in the order of their entries
	closed bool
	gone   sync.WaitGroup
}

// New keeps no servers yet.
func New(o Options) *Servers { return &Servers{o: o} }

// Set has exactly these servers run. One whose entry has changed is begun again; the others
// stay as they are.
func (s *Servers) Set(entries []Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.set(entries)
}

// set is Set for who holds the lock.
func (s *Servers) set(entries []Config) {
	var list []*server
	for _, c := range entries {
		i := slices.IndexFunc(s.list, func(o *server) bool { return reflect.DeepEqual(o.c, c) })
		if i < 0 {
			list = append(list, newServer(&s.o, c))
			continue
		}
		list = append(list, s.list[i])
		s.list = slices.Delete(s.list, i, i+1)
	}
	for _, old := range s.list {
		s.gone.Go(old.close)
	}
	s.list = list
}

// Close ends all servers and waits for that. None is begun after it.
func (s *Servers) Close() {
	s.mu.Lock()
	s.set(nil)
	s.closed = true
	s.mu.Unlock()
	s.gone.Wait()
}

// Wait waits until no server is on its way that was not tried yet, or ctx ends.
func (s *Servers) Wait(ctx context.Context) {
	for _, one := range s.all() {
		one.tried(ctx)
	}
}

// tried waits until a server was tried once, or ctx ends.
func (s *server) tried(ctx context.Context) {
	for {
		s.mu.Lock()
		state, why, changed := s.state, s.why, s.changed
		s.mu.Unlock()
		if state != Connecting || why != "" {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			return
		case <-changed:
		}
	}
}

func (s *Servers) all() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// Status is how it is with a server.
type Status struct {
	Config
	State State
	Why   string // a sentence, empty for none
	Tools []Tool
	// Held are tools that wait for the user, Left says of others why they cannot be used.
	Held []Change
	Left []string
	// Rests says of a parked one that it was ended since no one needed it.
	Rests bool
	// Clash names a server before it in the list that has tools of the same names, empty
	// for none: those of this one are left out.
	Clash string
	// Junk says in a sentence that it sends what is no message, empty if it does not.
	Junk string
	// Says is what the server says about itself: name, version, instructions.
	Says string
}

// List says how it is with each server.
func (s *Servers) List() []Status {
	var list []Status
	taken := map[string]string{}
	for _, one := range s.all() {
		st := one.status()
		st.Left = slices.Clone(st.Left)
		st.Tools = slices.DeleteFunc(slices.Clone(st.Tools), func(t Tool) bool {
			other, is := taken[t.Name]
			if is && other != st.Name {
				st.Clash = other
				st.Left = append(st.Left, fmt.Sprintf("%s: a tool of the server %s is called %s as well; give one of the servers another name", given(t), other, t.Name))
				return true
			}
			taken[t.Name] = st.Name
			return false
		})
		list = append(list, st)
	}
	return list
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Config: s.c, State: s.state, Why: s.why, Tools: s.offered, Held: s.heldNow, Rests: s.rested}
	st.Left = slices.Concat(s.left, slices.Sorted(maps.Values(s.aside)))
	if s.older && s.state == Ready && st.Why == "" {
		st.Why = "It speaks the older transport (transport: sse), which was tried after the newer one."
	}
	if s.junk > 0 {
		words := junkWords(s.junk)
		st.Junk = strings.ToUpper(words[:1]) + words[1:] + "."
	}
	if s.session != nil {
		if r := s.session.InitializeResult(); r != nil {
			if r.ServerInfo != nil {
				st.Says = label(cmp.Or(r.ServerInfo.Title, r.ServerInfo.Name)+" "+r.ServerInfo.Version, 200)
			}
			if r.Instructions != "" {
				st.Says += "\n" + shorten.To(visible(r.Instructions), maxDescription)
			}
		}
	}
	return st
}

// Aside notes that a service of models refuses the definition of a tool, and why.
func (s *Servers) Aside(tool, why string) {
	for _, one := range s.all() {
		one.mu.Lock()
		for _, t := range one.offered {
			if t.Name == tool {
				if one.aside == nil {
					one.aside = map[string]string{}
				}
				one.aside[tool] = given(t) + ": " + label(why, 300)
			}
		}
		one.mu.Unlock()
	}
}

// errNone is a server or tool that is not there.
var errNone = errors.New("there is no such server")

func (s *Servers) named(name string) (*server, error) {
	for _, one := range s.all() {
		if one.c.Name == name {
			return one, nil
		}
	}
	return nil, errNone
}

// Again tries to connect to a server that is not there.
func (s *Servers) Again(name string) error {
	one, err := s.named(name)
	if err != nil {
		return err
	}
	one.mu.Lock()
	if one.state == Parked || one.state == NeedsLogin {
		one.state, one.why = Connecting, ""
		one.stir()
	}
	one.mu.Unlock()
	one.again()
	return nil
}

// Anew ends the connection to a server, if there is one, and makes another.
func (s *Servers) Anew(name string) {
	if one, err := s.named(name); err == nil {
		one.mu.Lock()
		if one.state == Ready {
			one.state = Connecting
			one.stir()
		}
		one.mu.Unlock()
		one.refuse(errAnew)
		one.again()
	}
}

// Allow agrees to the tools of a server that are held back, as they are now.
func (s *Servers) Allow(name string) error {
	one, err := s.named(name)
	if err != nil {
		return err
	}
	one.mu.Lock()
	c, held, listed, state, why := one.c, one.heldNow, one.listed, one.state, one.why
	one.mu.Unlock()
	var list []Tool
	for _, h := range held {
		list = append(list, h.Tool)
	}
	if err := s.o.Pins.allow(c, list); err != nil {
		return err
	}
	offered, still := s.o.Pins.sift(c, listed, s.o.Scan)
	one.mu.Lock()
	one.offered, one.heldNow = offered, still
	one.mu.Unlock()
	one.set(state, why)
	return nil
}

// Session is the session whose agents call tools.
type Session struct {
	// Save keeps what is no text, Sample has a model answer a server; nil for none.
	Save   Save
	Sample Sample
	// Name names the session for people; nil for no name.
	Name func() string
}

func (s Session) name() string {
	if s.Name == nil {
		return ""
	}
	return s.Name()
}

// Tools are the tools of some servers for the agents of a session.
func (s *Servers) Tools(wanted func(Config) bool, of Session) []tools.Tool {
	var list []tools.Tool
	taken := map[string]bool{}
	for _, one := range s.all() {
		one.mu.Lock()
		c, offered := one.c, one.offered
		one.mu.Unlock()
		if !wanted(c) {
			continue
		}
		for _, t := range offered {
			if taken[t.Name] {
				continue // of a server before it
			}
			taken[t.Name] = true
			list = append(list, one.tool(c, t, of))
		}
	}
	return list
}

// tool makes a tool for agents.
func (s *server) tool(c Config, t Tool, of Session) tools.Tool {
	made := tools.Tool{
		Name: t.Name, Toolset: Toolset(c.Name), Description: t.Description, Parameters: t.parameters(),
		ReadsOnly: c.Trusted && t.Reads, Deferred: c.Name,
		Preview: func(args json.RawMessage) tools.View {
			return tools.View{Kind: tools.KindGeneric, Subject: subject(args)}
		},
		Run: func(ctx context.Context, call tools.Call, h tools.Host, out tools.Sink) (tools.Result, error) {
			return s.answer(ctx, t, call, h, out, of)
		},
	}
	if c.Parallel || c.Trusted && t.Reads {
		made.Class = tools.ReadOnly
	}
	if !c.Trusted {
		made.Action = func(args json.RawMessage) (tools.Action, error) {
			return tools.Action{Kind: tools.ActCall, Command: indented(args), Server: c.Name, Item: given(t)}, nil
		}
	}
	return made
}

// given is the name of a tool as the server gives it, for people.
func given(t Tool) string {
	name := t.Given
	if len(name) > 0 && name[0] == 0 {
		name = name[1:]
	}
	return label(name, maxName)
}

// answer makes a call and gives what came of it.
func (s *server) answer(ctx context.Context, t Tool, call tools.Call, h tools.Host, out tools.Sink, of Session) (tools.Result, error) {
	view := tools.View{Kind: tools.KindGeneric, Subject: subject(call.Args)}
	var images []tools.Image
	save := func(ctx context.Context, kind string, data []byte) (string, error) {
		if strings.HasPrefix(kind, "image/") || strings.HasPrefix(http.DetectContentType(data), "image/") {
			images = append(images, tools.Image{Data: data})
		}
		return of.Save(ctx, kind, data)
	}
	text, mine, err := s.besideCall(ctx, t, call.Args, save)
	failed := false
	if !mine {
		r, e := s.call(ctx, t, call.Args, &running{host: h, out: out, by: call.By, of: of.name(), sample: of.Sample})
		if err = e; err == nil {
			text, failed = textOf(ctx, r, save), r.IsError
		}
	}
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, context.Cause(ctx)
	case err != nil:
		r := tools.Failure(view, err.Error())
		if _, said := errors.AsType[*saidError](err); said {
			r.Untrusted = s.source()
		}
		return r, nil
	}
	view.Body = text
	result := tools.Result{Content: text, View: view, Untrusted: s.source(), Images: images}
	if failed {
		result.Status, result.View.Summary = tools.StatusFailed, shorten.To(label(text, 200), 200)
	}
	return result, nil
}

// source says where what the server says comes from.
func (s *server) source() string { return "the MCP server " + label(s.c.Name, maxName) }

// saidError is an error with words of a server in it.
type saidError struct{ text string }

// Error implements error.
func (e *saidError) Error() string { return e.text }

// said makes an error of a text with words of a server in it.
func said(format string, args ...any) error { return &saidError{fmt.Sprintf(format, args...)} }

// subject shows the arguments of a call in a line.
func subject(args json.RawMessage) string {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil || len(m) == 0 {
		return ""
	}
	if len(m) == 1 {
		for _, v := range m {
			if text, ok := v.(string); ok {
				return shorten.Line(text, 200)
			}
		}
	}
	return shorten.Line(string(args), 200)
}

// indented shows the arguments of a call whole.
func indented(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(args)
	}
	return string(text)
}
