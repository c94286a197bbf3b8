package app

import (
	"context"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/remember"
)

// recollecting is the search for what fits a message, begun when the user sent it, while
// the message is stored and its turn begins.
type recollecting struct {
	text  string
	done  chan struct{}
	found bind.Recollected // set when done is closed
}

// warm prepares what the first message would wait for.
func (c *conversation) warm(ctx context.Context) {
	c.app.recall.Warm(ctx)
	c.app.db.Warm(ctx)
}

// recollect begins to look for what fits a message, if its turn begins at once.
func (c *conversation) recollect(text string) {
	asked := c.side.Embeds() || len(c.providers) == 1 && !c.app.o.Unattended // see prefetch
	if !asked || c.cfg.Memory.PrefetchChars == 0 || c.Working() {
		return
	}
	r := &recollecting{text: text, done: make(chan struct{})}
	c.ahead.Store(r)
	c.app.background.run(func(ctx context.Context) {
		defer close(r.done)
		ctx, cancel := context.WithTimeout(ctx, prefetchTime)
		defer cancel()
		r.found = c.lookFor(ctx, c.remembered(), text)
	})
}

// recollected returns what fits a message of a session.
func (c *conversation) recollected(ctx context.Context, s remember.Session, text string) bind.Recollected {
	if r := c.ahead.Swap(nil); r != nil && r.text == text {
		select {
		case <-r.done:
			return r.found
		case <-ctx.Done():
			return bind.Recollected{}
		}
	}
	return c.lookFor(ctx, s, text)
}

func (c *conversation) lookFor(ctx context.Context, s remember.Session, text string) bind.Recollected {
	return c.app.recall.Recollect(ctx, bind.Recollection{Text: text, Except: s.ID, Project: s.Project, Embed: c.side.Embed})
}
