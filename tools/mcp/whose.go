package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asker is the call that a question of a server is asked within. Waiting names those who
// wait for the server when the question does not say which of them it is for; it is empty
// when that is known.
type asker struct {
	*running
	waiting []string
	// ctx ends with the call, and when the server takes the question back.
	ctx context.Context
}

// until has the question end with ctx as well, which is that of the server's request. It has
// to be ended.
func (a *asker) until(ctx context.Context) (end func()) {
	both, cancel := context.WithCancelCause(a.running.ctx)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	a.ctx = both
	return func() {
		stop()
		cancel(nil)
	}
}

// whose finds the call that a question belongs to: by what it came back for, by what it says
// itself, or because there is no other. A question that could be for several is put to the
// one who began last, with all of them named. Nil: there is none that could ask anyone.
func (s *server) whose(ctx context.Context, meta sdk.Meta) *asker {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	tokens := []string{callOf(ctx)}
	for _, key := range []string{callKey, "progressToken"} {
		if v, ok := meta[key]; ok {
			tokens = append(tokens, fmt.Sprint(v))
		}
	}
	for _, token := range tokens {
		if i := slices.IndexFunc(s.calls.list, func(r *running) bool { return r.token == token }); token != "" && i >= 0 {
			return s.calls.list[i].alone()
		}
	}
	list := s.calls.list
	if len(list) == 1 {
		return list[0].alone()
	}
	var a *asker
	var waiting []string
	for _, r := range slices.Backward(list) {
		if by := r.label(); !slices.Contains(waiting, by) {
			waiting = append(waiting, by)
		}
		if a == nil && r.host != nil {
			a = &asker{running: r, ctx: r.ctx}
		}
	}
	if a != nil && len(waiting) > 1 {
		a.waiting = waiting
	}
	return a
}

// alone is the call as the only one that a question can be for; nil if it can ask no one.
func (r *running) alone() *asker {
	if r.host == nil {
		return nil
	}
	return &asker{running: r, ctx: r.ctx}
}

// label names who waits for a call, for people.
func (r *running) label() string {
	switch {
	case r.host == nil:
		return "the program itself"
	case r.of == "":
		return r.by
	}
	return r.by + " in " + r.of
}

// doubt says for a question that it may be for several; empty if it is not.
func (a *asker) doubt() string {
	if len(a.waiting) == 0 {
		return ""
	}
	return "\nThe server does not say whose call this is for. These wait for it: " + label(strings.Join(a.waiting, ", "), 500) + "."
}
