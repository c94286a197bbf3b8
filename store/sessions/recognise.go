package sessions

import (
	"database/sql"
	"errors"
	"fmt"
)

// recognise finds out whether a batch that met rows of its own keys was stored
// before. If all of it is there, there is nothing to do; otherwise someone else
// uses the same keys. Cause is what was met.
func (w *writer) recognise(b *Batch, cause error) error {
	if !b.repeatable() {
		return cause
	}
	for _, e := range b.Events {
		var kind, body string
		err := w.first("SELECT type, body FROM tui_journal WHERE conv = ? AND seq = ?", []any{b.Conv, int64(e.Seq)}, &kind, &body)
		same := err == nil && kind == e.Type && body == string(e.Body)
		if err := verdict(err, same, b.Conv, fmt.Sprintf("event %d", e.Seq)); err != nil {
			return err
		}
	}
	for _, m := range b.Messages {
		var conv, session, role string
		err := w.first(`SELECT o.conv, m.session_id, m.role FROM tui_messages o JOIN messages m ON m.id = o.row
			WHERE o.id = ?`, []any{m.ID}, &conv, &session, &role)
		same := err == nil && conv == b.Conv && session == b.Session && role == m.Role
		if err := verdict(err, same, b.Conv, "message "+m.ID); err != nil {
			return err
		}
	}
	if b.Create == nil {
		return nil
	}
	var conv, parent, why sql.NullString
	err := w.first("SELECT conv, parent_session, why FROM tui_links WHERE session = ?", []any{b.Session}, &conv, &parent, &why)
	same := err == nil && conv.String == b.Conv && parent.String == b.Create.Parent && why.String == string(b.Create.Why)
	return verdict(err, same, b.Conv, "session "+b.Session)
}

// verdict judges one row of a batch that was met again.
func verdict(err error, same bool, conv, what string) error {
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && !same:
		return &ConflictError{Conv: conv, What: what}
	}
	return err
}
