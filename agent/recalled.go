package agent

import (
	"context"
	"fmt"
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
)

// recalled is the history that a resumed conversation goes on from. It is read while
// the screen shows the conversation already, and before anything is sent.
type recalled struct {
	read func(ctx context.Context) ([]providers.Message, error)
	// done is closed when it was read for the first time, or could not be.
	done    chan struct{}
	history []providers.Message
	err     error
	// taken says that the root agent has it. It belongs to that agent's goroutine.
	taken bool
}

// begin reads the history.
func (p *recalled) begin(ctx context.Context, root *Agent) {
	defer close(p.done)
	if p.history, p.err = p.read(ctx); p.err == nil {
		root.recall(p.history)
	}
}

// recall shows the history to those who look.
func (a *Agent) recall(history []providers.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sight.history = slices.Clone(history)
}

// remember gives the root agent the history of a resumed conversation. It is called on
// its goroutine, before the first thing that needs it; what fails is tried again.
func (c *Conversation) remember() error {
	p := c.past
	if p == nil || p.taken {
		return nil
	}
	select {
	case <-p.done:
	case <-c.ctx.Done():
		return journal.ErrClosed
	}
	if p.err != nil {
		if p.history, p.err = p.read(c.ctx); p.err != nil {
			return fmt.Errorf("read the messages of the session: %w", p.err)
		}
		c.root.recall(p.history)
	}
	c.root.history, p.history, p.taken = p.history, nil, true
	return nil
}

// forgetful holds the queue back because the history cannot be read.
func (c *Conversation) forgetful(err error) {
	c.mu.Lock()
	c.held = true
	c.mu.Unlock()
	if c.ctx.Err() == nil {
		c.Notify(event.LevelError, "Nothing was sent: "+err.Error()+". What you have written waits; sending again tries again.")
	}
}
