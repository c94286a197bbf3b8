package agent

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// Submit hands over what the user wrote, with images that [Conversation.Attach]
// has kept. It is stored before Submit returns; while a turn runs it waits in the
// queue. Images for a model that sees none are refused with a [*BlindError].
func (c *Conversation) Submit(text string, images ...event.Attachment) (event.InputID, error) {
	return c.SubmitPasted(text, "", images...)
}

// SubmitPasted is [Conversation.Submit] for a text of which some was pasted: typed has
// marks in place of that. Only what was typed names something with an @.
func (c *Conversation) SubmitPasted(text, typed string, images ...event.Attachment) (event.InputID, error) {
	text, images, err := c.checkImages(text, images)
	if err != nil {
		return "", err
	}
	return c.enqueue(event.Queued{Text: text, Images: images, Typed: typed})
}

// Steer hands a text to the running turn of an agent: it is added to the next tool
// result. When a turn of the root makes no further call, or none runs, it is an
// ordinary input; a subagent that makes no further call goes on with it. A
// subagent that has ended cannot be steered.
func (c *Conversation) Steer(id event.AgentID, text string) (event.InputID, error) {
	return c.SteerPasted(id, text, "")
}

// SteerPasted is [Conversation.Steer] for a text of which some was pasted, as
// [Conversation.SubmitPasted] has it.
func (c *Conversation) SteerPasted(id event.AgentID, text, typed string) (event.InputID, error) {
	if id == c.root.id || id == "" {
		return c.enqueue(event.Queued{Text: text, Typed: typed, Steer: true})
	}
	if c.tree.Member(id) == nil {
		return "", delegate.ErrUnknown
	}
	return c.enqueue(event.Queued{Text: text, Steer: true, Agent: id})
}

// Inform hands over what the model should know and the user has not written.
// It waits like an input, and does not release a queue that waits for the user.
// When its turn comes and stale, which may be nil, says that it has nothing new to
// say any more, it is dropped.
func (c *Conversation) Inform(text string, from event.Origin, stale func() bool) error {
	id, err := c.enqueue(event.Queued{Text: text, Origin: from})
	if err == nil && stale != nil {
		c.mu.Lock()
		c.stale[id] = stale
		c.mu.Unlock()
	}
	return err
}

// dropStale takes what has nothing new to say off the head of the queue.
func (c *Conversation) dropStale() {
	for {
		c.mu.Lock()
		in, _ := first(c.queue)
		stale := c.stale[in.ID]
		c.mu.Unlock()
		if stale == nil || !stale() {
			return
		}
		if _, taken := c.Unqueue(in.ID); !taken {
			return
		}
	}
}

func (c *Conversation) enqueue(in event.Queued) (event.InputID, error) {
	if strings.TrimSpace(in.Text) == "" {
		return "", ErrEmpty
	}
	in.ID, in.At = c.ids.Input(), c.ids.Now()
	var refused error
	err := c.change(func() *journal.Batch {
		switch {
		case c.closed:
			refused = journal.ErrClosed
		case in.Agent != "" && !c.steerable[in.Agent]:
			refused = delegate.ErrEnded
		}
		if refused != nil {
			return nil
		}
		c.queue = append(c.queue, in)
		c.held = c.held && (in.Origin != "" || in.Agent != "")
		return c.queueChanged(true)
	})
	if err == nil {
		err = refused
	}
	c.poke()
	return in.ID, err
}

// queueChanged is the batch that stores the queue. The caller holds the lock.
func (c *Conversation) queueChanged(birth bool) *journal.Batch {
	queue := slices.Clone(c.queue)
	return &journal.Batch{Birth: birth, Events: []event.Event{&event.QueueChanged{Queue: queue}}}
}

// Unqueue takes a text back out of the queue, to be edited. It returns false
// when the text is not waiting any more.
func (c *Conversation) Unqueue(id event.InputID) (string, bool) {
	text, found := "", false
	err := c.change(func() *journal.Batch {
		i := slices.IndexFunc(c.queue, func(q event.Queued) bool { return q.ID == id })
		if i < 0 {
			return nil
		}
		text, found = c.queue[i].Text, true
		delete(c.stale, id)
		c.queue = slices.Delete(slices.Clone(c.queue), i, i+1)
		return c.queueChanged(false)
	})
	return text, found && err == nil
}

// Requeue puts a text that waits so many places further back in the queue, or
// forward when by is negative. It returns false when the text is not waiting any
// more or has nowhere to go.
func (c *Conversation) Requeue(id event.InputID, by int) bool {
	moved := false
	err := c.change(func() *journal.Batch {
		i := slices.IndexFunc(c.queue, func(q event.Queued) bool { return q.ID == id })
		to := min(max(i+by, 0), len(c.queue)-1)
		if i < 0 || to == i {
			return nil
		}
		in := c.queue[i]
		c.queue = slices.Insert(slices.Delete(slices.Clone(c.queue), i, i+1), to, in)
		moved = true
		return c.queueChanged(false)
	})
	return moved && err == nil
}

// SteerQueued hands a text that waits for its turn to the running turn instead.
// It returns false when the text is not waiting any more, has images, which do not
// go into a result, or is not the user's: only what the user has written may
// stand for them within a result.
func (c *Conversation) SteerQueued(id event.InputID) bool {
	found := false
	err := c.change(func() *journal.Batch {
		i := slices.IndexFunc(c.queue, func(q event.Queued) bool { return q.ID == id })
		if found = i >= 0 && c.queue[i].Origin == "" && len(c.queue[i].Images) == 0; !found || c.queue[i].Steer {
			return nil
		}
		c.queue = slices.Clone(c.queue)
		c.queue[i].Steer = true
		return c.queueChanged(false)
	})
	return found && err == nil
}

// Flush sends what waits in the queue after an interrupt or a resume.
func (c *Conversation) Flush() {
	c.mu.Lock()
	c.held = false
	c.mu.Unlock()
	c.poke()
}

func (c *Conversation) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// serve runs one turn after the other until the conversation closes.
func (c *Conversation) serve() {
	for {
		c.dropStale()
		if in, rt, ok := c.next(); ok {
			if err := c.remember(); err != nil {
				c.forgetful(err)
				continue
			}
			c.root.budget = c.tuning.Load().Budget
			t, e, ran := c.root.run(c.ctx, in, rt, c.root.budget)
			if ran && in.Origin == "" {
				t.lookBackDue(e)
				c.nameItself(in, e)
				if e.outcome == event.TurnCompleted {
					c.extensions.Answered(in.Text, c.root.finalText())
				}
			}
			continue
		}
		select {
		case <-c.wake:
		case chore := <-c.chores:
			chore()
		case <-c.ctx.Done():
			return
		}
	}
}

// chore runs something on the root agent's goroutine, between turns. It waits
// while a turn runs, and gives up with ctx unless it has begun.
func (c *Conversation) chore(ctx context.Context, do func(t *turn) error) error {
	return c.between(ctx, func(t *turn) error {
		if err := c.remember(); err != nil {
			return err
		}
		return do(t)
	})
}

// between is a [Conversation.chore] that needs no history: it may not be there yet.
func (c *Conversation) between(ctx context.Context, do func(t *turn) error) (err error) {
	done := make(chan struct{})
	work := func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				err = &panicError{value: r, stack: debug.Stack()}
				c.report(err)
			}
		}()
		err = do(&turn{Agent: c.root, tuned: c.tuning.Load(), rt: c.Runtime(), started: c.ids.Now()})
	}
	select {
	case c.chores <- work:
	case <-c.ctx.Done():
		return journal.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	<-done
	return err
}

// next is the input that is due. It stays in the queue until its turn has
// stored it as a message.
func (c *Conversation) next() (event.Queued, Runtime, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in, waits := first(c.queue)
	return in, c.runtime, waits && !c.held && !c.closed
}

// first is the oldest input of the root agent.
func first(queue []event.Queued) (event.Queued, bool) {
	i := slices.IndexFunc(queue, func(q event.Queued) bool { return q.Agent == "" })
	if i < 0 {
		return event.Queued{}, false
	}
	return queue[i], true
}

// dequeue takes an input out of the queue in the transaction that stores it as
// a message: at any moment it is in exactly one of the two places. It returns
// false when the input was taken back meanwhile.
func (c *Conversation) dequeue(in event.Queued, b *journal.Batch) (bool, error) {
	found := false
	err := c.change(func() *journal.Batch {
		i := slices.IndexFunc(c.queue, func(q event.Queued) bool { return q.ID == in.ID })
		if found = i >= 0; !found {
			return nil
		}
		c.queue = slices.Delete(slices.Clone(c.queue), i, i+1)
		delete(c.stale, in.ID)
		b.Events = append(c.queueChanged(true).Events, b.Events...)
		b.Birth = true
		return b
	})
	return found, err
}

// steerOpen and steerClose mark the user's words inside a tool result. The
// system prompt explains them to the model.
const (
	steerOpen  = "[message from the user, sent while this ran; it is not part of the result]"
	steerClose = "[end of the user's message]"
)

// deliverSteer adds what the user said meanwhile to the newest tool result,
// in one transaction with the event that shows it.
func (c *Conversation) deliverSteer(t *turn) error {
	n := len(t.history) - 1
	if n < 0 || t.history[n].Role != providers.Tool {
		return nil
	}
	return c.change(func() *journal.Batch {
		var said []event.Queued
		c.queue = slices.DeleteFunc(slices.Clone(c.queue), func(q event.Queued) bool {
			mine := q.Steer && q.Agent == t.steered()
			if mine {
				said = append(said, q)
			}
			return mine
		})
		if len(said) == 0 {
			return nil
		}
		b := c.queueChanged(false)
		b.Agent, b.Session, b.Turn = t.Agent.id, t.session, t.id
		text := ""
		for _, q := range said {
			text += "\n\n" + steerOpen + "\n" + q.Text + "\n" + steerClose
			b.Events = append(b.Events, &event.MessageCommitted{
				Message: event.MessageID(t.history[n].ID), Role: event.RoleUser, Block: c.ids.Block(), Text: q.Text, Steer: true, Input: q.ID,
			})
		}
		b.Effects = append(b.Effects, sessions.AppendToMessage{ID: t.history[n].ID, Text: text})
		addText(&t.history[n], text)
		return b
	})
}
