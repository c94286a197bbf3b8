package agent

import (
	"context"
	"errors"
	"fmt"

	"hermes-tui/agent/api"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
)

// Interrupt stops the running turn of an agent. What waits in the queue stays there
// until the user sends it. The subagents that the turn waits for end with it;
// with [Subtree] those do, too, that no one waits for.
func (c *Conversation) Interrupt(id event.AgentID, s api.Scope) {
	if id != c.root.id {
		_ = c.tree.Kill(id, s) // one that has ended is stopped
		return
	}
	c.interrupt(s, StoppedByUser)
}

// Halt stops everything that runs because the program is about to end. It returns
// when that is under way; Close waits for it.
func (c *Conversation) Halt() {
	c.interrupt(api.Subtree, StoppedByShutdown)
	c.stopTyped(func(typedRun) bool { return true }, StoppedByShutdown)
}

// interrupt stops the turn of the root agent, and its subagents with Subtree.
func (c *Conversation) interrupt(s api.Scope, why Reason) {
	c.mu.Lock()
	if len(c.queue) > 0 || s == api.Subtree { // what ends because of this must not begin a turn
		c.held = true
	}
	c.mu.Unlock()
	c.root.interrupt(why)
	if s == api.Subtree {
		_ = c.tree.Kill(c.root.id, api.Subtree)
	}
}

// Kill ends a subagent, wherever it is, with what it has started. It returns when
// that is under way; the agent's end is an event.
func (c *Conversation) Kill(id event.AgentID, s api.Scope) error { return c.tree.Kill(id, s) }

// Pause holds an agent before its next request or call, and Resume lets it go on.
// Nothing is lost by it.
func (c *Conversation) Pause(id event.AgentID, s api.Scope) error { return c.tree.Pause(id, s) }

// Resume lets an agent go on.
func (c *Conversation) Resume(id event.AgentID, s api.Scope) error { return c.tree.Resume(id, s) }

// Freeze forbids or allows that agents spawn others.
func (c *Conversation) Freeze(on bool) error {
	c.tree.Freeze(on)
	return c.change(func() *journal.Batch {
		return &journal.Batch{Events: []event.Event{&event.SpawningChanged{Frozen: on}}}
	})
}

// Reason says why something was stopped. It travels as the cause of a cancelled
// context, and the synthetic results of what was stopped repeat it.
type Reason string

// The reasons to stop.
const (
	StoppedByUser     Reason = "interrupted by the user"
	StoppedByShutdown Reason = "the program is shutting down"
)

// Stopped is the cause of a context that was cancelled on purpose.
type Stopped struct{ Reason Reason }

// Error implements error.
func (s *Stopped) Error() string { return string(s.Reason) }

// causeOf makes the cause of a context that ends a subagent.
func causeOf(w delegate.Why) error { return &Stopped{Reason(w)} }

// stopReason extracts the reason from a context or an error chain.
func stopReason(ctx context.Context, err error) (Reason, bool) {
	for _, e := range []error{err, context.Cause(ctx)} {
		if s, ok := errors.AsType[*Stopped](e); ok {
			return s.Reason, true
		}
	}
	return "", false
}

// panicError is a panic that was caught below the user interface. It ends one
// turn, never the program.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("internal error: %v", p.value) }
