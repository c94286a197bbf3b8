package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ShortenContext changes what [DB.Context] gives of a session, and nothing else:
// the messages stay as they are. It holds until it is changed again, or taken back
// by [RestoreContext]; shortening in the same way again changes nothing. For as long
// it stands before what a user chose by [ChooseContext] about the content of the same
// message. The batch must hold an event or a
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
	// Content, Parts and ToolCalls are as in [Message]. What is empty stays as it is.
	Content   string
	Parts     []Part
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
	return needSession("", b)
}

// A message that is gone is passed over: what does not travel any more needs no
// shortening, and the reference deletes as it likes.
const replaceInContext = `INSERT INTO tui_context (row, content, tool_calls) SELECT id, ?, ? FROM messages WHERE id = ?
	ON CONFLICT (row) DO UPDATE SET left_out = 0,
	content = COALESCE(excluded.content, content), tool_calls = COALESCE(excluded.tool_calls, tool_calls)`

func (e ShortenContext) apply(w *writer, b *Batch, _ time.Time) error {
	step := int64(0)
	if err := w.first("SELECT COALESCE(MAX(c.step), 0) + 1 FROM tui_context_before c JOIN messages m ON m.id = c.row WHERE m.session_id = ?", []any{b.Session}, &step); err != nil {
		return err
	}
	if err := w.passOver(b.Session, step, len(e.LeftOut)); err != nil {
		return err
	}
	for _, s := range e.Replaced {
		err := w.inContext(s.ID, rememberContext+"m.id = ?3", b.Session, step)
		if err == nil {
			err = w.inContext(s.ID, replaceInContext, (&Message{Content: s.Content, Parts: s.Parts}).content(), shared(s.ToolCalls))
		}
		if err == nil {
			err = w.inContext(s.ID, "UPDATE tui_choices SET step = ? WHERE step = 0 AND row = ?", step)
		}
		if err != nil {
			return err
		}
	}
	return w.leaveOut(named, b.Session, step, rowsOrIDs(e.LeftOut))
}

// rememberContext keeps what travels of messages before a step, ?2, changes them.
const rememberContext = `INSERT OR IGNORE INTO tui_context_before (row, step, changed, left_out, content, tool_calls)
	SELECT m.id, ?2, x.row IS NOT NULL, COALESCE(x.left_out, 0), x.content, x.tool_calls
	FROM messages m LEFT JOIN tui_context x ON x.row = m.id WHERE `

// leaveOut leaves out, in a step, the messages m for which a condition holds, whose
// parameters are the session, the step and args.
func (w *writer) leaveOut(which, session string, step int64, args ...any) error {
	args = append([]any{session, step}, args...)
	_, err := w.exec(rememberContext+which, args...)
	if err == nil {
		_, err = w.exec("INSERT INTO tui_context (row, left_out) SELECT m.id, 1 FROM messages m WHERE "+which+" ON CONFLICT (row) DO UPDATE SET left_out = 1", args...)
	}
	return err
}

// named holds for the messages m that are among the [rowsOrIDs] ?3.
const named = "m.id IN (SELECT COALESCE(o.row, j.value) FROM json_each(?3) j LEFT JOIN tui_messages o ON o.id = j.value)"

// rowsOrIDs are ids of messages as a list in JSON, with the rows of those that other
// programs wrote.
func rowsOrIDs(ids []string) string {
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = id
		if row, ok := foreignRow(id); ok {
			list[i] = row
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		panic(err) // they are texts and numbers
	}
	return string(raw)
}

// RestoreContext takes back what the last [ShortenContext] of the batch's session that
// was not taken back has changed. Without one it changes nothing. The batch must hold
// an event or a message, by which a repeated commit is recognised.
type RestoreContext struct{}

func (RestoreContext) check(b *Batch) error {
	if !b.repeatable() {
		return errors.New("needs an event or message to go with it")
	}
	return needSession("", b)
}

// inStep are the rows of the last step of a session, which is the only parameter.
const inStep = `FROM tui_context_before c JOIN messages m ON m.id = c.row WHERE m.session_id = ?1 AND c.step =
	(SELECT MAX(c.step) FROM tui_context_before c JOIN messages m ON m.id = c.row WHERE m.session_id = ?1)`

func (RestoreContext) apply(w *writer, b *Batch, _ time.Time) error {
	for _, do := range []string{
		"UPDATE tui_choices SET step = 0 WHERE (row, step) IN (SELECT c.row, c.step " + inStep + ")",
		"DELETE FROM tui_context WHERE row IN (SELECT c.row " + inStep + ")",
		"INSERT INTO tui_context (row, left_out, content, tool_calls) SELECT c.row, c.left_out, c.content, c.tool_calls " + inStep + " AND c.changed = 1",
		"DELETE FROM tui_context_before WHERE (row, step) IN (SELECT c.row, c.step " + inStep + ")",
		"DELETE FROM tui_points WHERE rowid = (SELECT MAX(rowid) FROM tui_points WHERE session = ?1)",
	} {
		if _, err := w.exec(do, b.Session); err != nil {
			return err
		}
	}
	return nil
}

// Shortened reports whether a session has something that [RestoreContext] takes back.
func (d *DB) Shortened(ctx context.Context, session string) (bool, error) {
	n := 0
	_, err := d.one(ctx, "look for what was shortened", "SELECT EXISTS (SELECT 1 FROM tui_context_before c JOIN messages m ON m.id = c.row WHERE m.session_id = ?)", []any{session}, &n)
	return n > 0, err
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
