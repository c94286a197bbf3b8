package app

import (
	"context"
	"errors"
	"strings"

	"hermes-tui/agent/bind"
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
	if draft, err := c.Draft(ctx); err == nil && (draft == "" || strings.HasPrefix(draft, event.StashMark)) {
		if err := c.SaveDraft(ctx, done.Text+draft); err != nil {
			c.app.log.Warn("prompt of a rewind not kept", "err", err)
		}
	}
}

// fileLog keeps what a conversation changes in the files that another one, or it, works on.
func (a *App) fileLog(c *conversation, conv event.ConvID) *bind.FileLog {
	return bind.NewFileLog(bind.FileLogOptions{
		Dir: a.o.Home.Snapshots(), Own: []string{a.o.Home.Dir()}, Place: c.place, Root: c.changed, Conv: conv, Files: a.files, FilesLock: c.filesLock(), Clock: a.o.IDs.Now, Log: a.log,
	})
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
