package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/store/sessions"
)

// titleTries is how many numbers are tried behind a title that is taken.
const titleTries = 9

// nameItself gives a conversation that has no title one, after its first turn that
// says what it is about, on a goroutine that the conversation waits for. Failing to is
// no misfortune.
func (c *Conversation) nameItself(in event.Queued, e ending) {
	said := telling(in)
	c.mu.Lock()
	due := c.makeTitle != nil && !c.named && !c.closed && e.outcome == event.TurnCompleted && said != ""
	c.named = c.named || due
	c.mu.Unlock()
	if !due {
		return
	}
	answer := c.root.finalText()
	c.serving.Go(func() {
		title, err := c.makeTitle(c.ctx, said, answer)
		if err != nil && !errors.Is(err, context.Canceled) {
			c.report(fmt.Errorf("title: %w", err))
		}
		if title = strings.TrimSpace(title); title == "" || err != nil {
			return
		}
		for n, next := 1, title; n <= titleTries; n, next = n+1, fmt.Sprintf("%s #%d", title, n+1) {
			if err = c.nameOnce(next); err == nil || c.ctx.Err() != nil {
				return
			}
		}
		c.report(fmt.Errorf("title: %w", err))
	})
}

// telling is what an input says of a conversation: nothing when it is only the name of a
// command, or images.
func telling(in event.Queued) string {
	said := in.Text
	for _, a := range in.Images {
		said = strings.Replace(said, a.Mark(), "", 1)
	}
	said = strings.TrimSpace(said)
	if strings.HasPrefix(said, "/") && len(strings.Fields(said)) == 1 {
		return ""
	}
	return said
}

// nameOnce names the conversation unless the user has done so meanwhile.
func (c *Conversation) nameOnce(title string) error {
	return c.change(func() *journal.Batch {
		if c.titled {
			return nil
		}
		return &journal.Batch{Events: []event.Event{&event.TitleChanged{Title: title}}, Effects: []sessions.Effect{sessions.SetTitle{Title: title}}}
	})
}
