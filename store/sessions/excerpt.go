package sessions

import (
	"context"
	"slices"
)

// Excerpt is a part of what is said in a session: the texts of users and assistants
// that were not taken back, in order.
type Excerpt struct {
	Messages []Message
	// Before and After count what was said before and after it.
	Before, After int
}

// saidIn are the messages of a session that an excerpt can hold.
const saidIn = activeOf + "AND m.role IN ('user', 'assistant') AND COALESCE(m.content, '') <> '' "

// Around is a message of a session, given by its row, with at most n messages
// before it and n after it; a [*NotFoundError] says that the session has none in that
// row. The row may be one that no excerpt holds, like a tool's result: it is left out
// then.
func (d *DB) Around(ctx context.Context, session string, row int64, n int) (Excerpt, error) {
	there := 0
	_, err := d.one(ctx, "look up message", "SELECT COUNT(*) FROM messages WHERE id = ? AND session_id = ?", []any{row, session}, &there)
	if err == nil && there == 0 {
		err = &NotFoundError{What: "message", Ref: foreignID(row)}
	}
	if err != nil {
		return Excerpt{}, err
	}
	before, err := d.said(ctx, "AND m.id < ? ORDER BY m.id DESC LIMIT ?", session, row, n)
	if err != nil {
		return Excerpt{}, err
	}
	slices.Reverse(before)
	rest, err := d.said(ctx, "AND m.id >= ? ORDER BY m.id LIMIT ?", session, row, n+1)
	if err != nil {
		return Excerpt{}, err
	}
	if len(rest) > n && rest[0].Row != row {
		rest = rest[:n]
	}
	return d.placed(ctx, session, append(before, rest...))
}

// Ends are the first and the last messages of a session: one excerpt when nothing
// lies between them.
func (d *DB) Ends(ctx context.Context, session string, first, last int) (head, tail Excerpt, err error) {
	begin, err := d.said(ctx, "ORDER BY m.id LIMIT ?", session, first)
	if err != nil {
		return head, tail, err
	}
	newest := int64(0)
	if len(begin) > 0 {
		newest = begin[len(begin)-1].Row
	}
	end, err := d.said(ctx, "AND m.id > ? ORDER BY m.id DESC LIMIT ?", session, newest, last)
	if err != nil {
		return head, tail, err
	}
	slices.Reverse(end)
	if tail, err = d.placed(ctx, session, end); err != nil || len(end) == 0 || tail.Before > len(begin) {
		if err == nil {
			head, err = d.placed(ctx, session, begin)
		}
		return head, tail, err
	}
	head, err = d.placed(ctx, session, append(begin, end...))
	return head, Excerpt{}, err
}

// Caller is the id of the answer of a session that a row of a tool's result belongs to,
// empty when there is none.
func (d *DB) Caller(ctx context.Context, session string, row int64) (string, error) {
	var id string
	var at int64
	_, err := d.one(ctx, "look up call", `SELECT m.id, o.id FROM messages m LEFT JOIN tui_messages o ON o.row = m.id
		WHERE m.session_id = ? AND m.id < ? AND m.role = 'assistant' ORDER BY m.id DESC LIMIT 1`, []any{session, row}, &at, orEmpty{&id})
	if id == "" && at > 0 {
		id = foreignID(at)
	}
	return id, err
}

func (d *DB) said(ctx context.Context, rest string, args ...any) ([]Message, error) {
	var all []Message
	reader := newMessageReader()
	err := d.query(ctx, "read messages", selectMessages+saidIn+rest, args, func(scan scanFunc) error {
		m, err := reader.read(scan)
		all = append(all, m)
		return err
	})
	return all, err
}

// placed counts what was said around some messages.
func (d *DB) placed(ctx context.Context, session string, messages []Message) (Excerpt, error) {
	e := Excerpt{Messages: messages}
	if len(messages) == 0 {
		return e, nil
	}
	const count = "SELECT COUNT(*) FROM messages m " + saidIn
	if _, err := d.one(ctx, "count messages", count+"AND m.id < ?", []any{session, messages[0].Row}, &e.Before); err != nil {
		return Excerpt{}, err
	}
	_, err := d.one(ctx, "count messages", count+"AND m.id > ?", []any{session, messages[len(messages)-1].Row}, &e.After)
	return e, err
}
