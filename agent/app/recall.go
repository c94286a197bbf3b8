package app

import (
	"context"
	"errors"
	"time"

	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/store/memory"
	"hermes-tui/tools/recall"
)

// newRecall makes what finds notes, learnings and messages.
func (a *App) newRecall() *bind.Recall {
	o := bind.RecallOptions{Path: a.o.Home.Recall(), Sessions: a.db, Learnings: a.learnings, Memory: a.memory, Now: a.o.IDs.Now}
	if a.config().Memory.Enabled {
		o.Targets = append(o.Targets, memory.Notes)
	}
	if a.config().Memory.User {
		o.Targets = append(o.Targets, memory.User)
	}
	return bind.NewRecall(o)
}

// finder lets the agents of a conversation find texts.
type finder struct{ c *conversation }

// Find implements [recall.Finder].
func (f finder) Find(ctx context.Context, text string, limit int) ([]recall.Found, string, error) {
	list, note, err := f.c.app.recall.Find(ctx, text, string(f.c.Session()), limit, f.c.side.Embed)
	f.c.keepVectors()
	if err == nil {
		err = f.c.app.recall.Used(ctx, list)
	}
	return list, note, err
}

// vectorTime bounds one go of [conversation.keepVectors].
const vectorTime = 5 * time.Minute

// keepVectors turns what is new into vectors, where a model is set for that.
func (c *conversation) keepVectors() {
	if !c.side.Embeds() {
		return
	}
	c.app.background.run(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, vectorTime)
		defer cancel()
		if err := c.app.recall.Keep(ctx, c.side.Embed); err != nil && ctx.Err() == nil && !errors.Is(err, auxiliary.ErrNoEmbedding) {
			c.app.log.Warn("vectors of texts", "err", err)
		}
	})
}

// prefetchTime bounds the wait for what goes with a message.
const prefetchTime = 2 * time.Second

// recalled begins the turn in the programs that remember, and returns what a text of the user
// calls to mind.
func (c *conversation) recalled(ctx context.Context, in event.Queued, sent func(string) bool) extend.Beside {
	c.turnOfMemory(in.Text)
	return extend.Beside{Texts: c.prefetch(ctx, in.Text, sent)}
}
