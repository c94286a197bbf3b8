package app

import (
	"context"
	"errors"

	"hermes-tui/agent/event"
)

// finishRewind brings a rewind that the end of the program cut off to its end. The
// prompt that it took back becomes the draft, unless there is one.
func (c *conversation) finishRewind(ctx context.Context) {
	done, err := c.FinishRewind(ctx)
	if err != nil {
		c.Notify(event.LevelWarn, "The last rewind was cut off, and it could not be finished: "+err.Error()+". /rewind tries again.")
		return
	}
	if done.Text == "" {
		return
	}
	if draft, err := c.Draft(ctx); err == nil && draft == "" {
		if err := c.SaveDraft(ctx, done.Text); err != nil {
			c.app.log.Warn("prompt of a rewind not kept", "err", err)
		}
	}
}

// Diff implements [Conversation].
func (c *conversation) Diff(ctx context.Context, since event.TurnID) (string, []string, error) {
	if c.changes == nil {
		return "", nil, errors.New("changes of files are not kept: checkpoints.enabled is off")
	}
	if since == "" {
		return c.changes.Diff(ctx, nil)
	}
	turns, err := c.TurnsFrom(since)
	if err != nil {
		return "", nil, err
	}
	return c.changes.Diff(ctx, turns)
}
