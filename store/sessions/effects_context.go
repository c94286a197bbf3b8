package sessions

import (
	"errors"
	"time"
)

// ShortenContext changes what [DB.Context] gives of a session, and nothing else:
// the messages stay as they are. It holds until it is changed again; shortening
// in the same way again changes nothing. The batch must hold an event or a
// message, by which a repeated commit is recognised, so that a late repetition
// does not undo a later change.
type ShortenContext struct {
	// Replaced are messages that travel with other content from now on.
	Replaced []Shortened
	// LeftOut are the ids of messages that no longer travel.
	LeftOut []string
}

// Shortened is what travels in place of a message.
type Shortened struct {
	ID string
	// Content and ToolCalls are as in [Message]. What is empty stays as it is.
	Content   string
	ToolCalls string
}

func (e ShortenContext) check(b *Batch) error {
	if !b.repeatable() {
		return errors.New("needs an event or message to go with it")
	}
	for _, s := range e.Replaced {
		if err := needID(s.ID); err != nil {
			return err
		}
		if _, err := (&Message{ToolCalls: s.ToolCalls}).calls(); err != nil {
			return err
		}
	}
	for _, id := range e.LeftOut {
		if err := needID(id); err != nil {
			return err
		}
	}
	return nil
}

// A message that is gone is passed over: what does not travel any more needs no
// shortening, and the reference deletes as it likes.
const (
	replaceInContext = `INSERT INTO tui_context (row, content, tool_calls) SELECT id, ?, ? FROM messages WHERE id = ?
		ON CONFLICT (row) DO UPDATE SET left_out = 0,
		content = COALESCE(excluded.content, content), tool_calls = COALESCE(excluded.tool_calls, tool_calls)`
	leaveOutOfContext = `INSERT INTO tui_context (row, left_out) SELECT id, 1 FROM messages WHERE id = ?
		ON CONFLICT (row) DO UPDATE SET left_out = 1`
)

func (e ShortenContext) apply(w *writer, _ *Batch, _ time.Time) error {
	for _, s := range e.Replaced {
		err := w.inContext(s.ID, replaceInContext, plain(s.Content), shared(s.ToolCalls))
		if err != nil {
			return err
		}
	}
	for _, id := range e.LeftOut {
		if err := w.inContext(id, leaveOutOfContext); err != nil {
			return err
		}
	}
	return nil
}

// inContext runs a statement whose last parameter is the row of a message,
// unless there is no such message.
func (w *writer) inContext(id, query string, args ...any) error {
	row, err := w.rowOf(id)
	var gone *NotFoundError
	if errors.As(err, &gone) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.exec(query, append(args, row)...)
	return err
}
