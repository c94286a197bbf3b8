package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Adopt gives a session that has no conversation, because the reference wrote
// it, to a conversation, so that it can be continued. A conversation that is not
// there yet is made; one that is there goes on in the session, which is what a
// compression by the reference asks for. What the session goes on from after
// compressions belongs to the conversation as well. Adopting again changes nothing.
//
// A session of another conversation is a [*ConflictError], a missing one a
// [*NotFoundError].
func (d *DB) Adopt(ctx context.Context, session, conv string) error {
	if session == "" || conv == "" {
		return d.invalid("adopt session %q for conversation %q", session, conv)
	}
	now := d.clock()
	return d.write(ctx, "adopt session", func(w *writer) error {
		var linked string
		err := w.first("SELECT conv FROM tui_links WHERE session = ?", []any{session}, &linked)
		switch {
		case err == nil && linked == conv:
			return nil
		case err == nil:
			return &ConflictError{Conv: linked, What: "session " + session}
		case !errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("read link: %w", err)
		}
		var parent, cwd string
		err = w.first("SELECT parent_session_id, cwd FROM sessions WHERE id = ?", []any{session}, orEmpty{&parent}, orEmpty{&cwd})
		if errors.Is(err, sql.ErrNoRows) {
			return &NotFoundError{What: "session", Ref: session}
		}
		if err == nil {
			err = w.mayChange(session)
		}
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		return w.adopt(session, parent, conv, cwd, seconds(now))
	})
}

// adopt links a session to a conversation, and before it those that it goes on from
// after compressions, which belong to no conversation yet: what was said in them is part
// of it.
func (w *writer) adopt(session, parent, conv, cwd string, at any) error {
	n, err := w.affect("UPDATE tui_conversations SET session = ?, updated_at = MAX(updated_at, ?) WHERE id = ?", session, at, conv)
	if err != nil {
		return fmt.Errorf("move conversation: %w", err)
	}
	if n == 0 {
		if _, err := w.exec(insertConversation, conv, session, cwd, at, at); err != nil {
			return fmt.Errorf("create conversation: %w", err)
		}
	}
	var joined string
	if err := w.first("SELECT COALESCE(group_concat(id, char(31)), '') FROM ("+before+")", []any{session}, &joined); err != nil {
		return fmt.Errorf("follow compressions: %w", err)
	}
	line := append(strings.FieldsFunc(joined, func(r rune) bool { return r == '\x1f' }), session)
	for i, id := range line {
		why, from := WhyCompression, parent
		if i < len(line)-1 {
			from = ""
			if i > 0 {
				from = line[i-1]
			}
		}
		if i == 0 && n == 0 {
			why = WhyNew
		}
		_, err := w.exec("INSERT INTO tui_links (session, conv, agent, parent_session, why) VALUES (?, ?, NULL, ?, ?) ON CONFLICT (session) DO NOTHING",
			id, conv, null(from), null(string(why)))
		if err != nil {
			return fmt.Errorf("link session: %w", err)
		}
	}
	return nil
}

// before are the sessions that the one given by the only parameter goes on from after
// compressions, the oldest first.
const before = `WITH RECURSIVE up(id, n) AS (SELECT ?1, 0
	UNION SELECT p.id, n + 1 FROM up JOIN sessions s ON s.id = up.id LEFT JOIN tui_links l ON l.session = s.id
	JOIN sessions p ON p.id = s.parent_session_id WHERE p.end_reason = 'compression' AND ` + continues + ` AND n < 100)
	SELECT id FROM up WHERE n > 0 ORDER BY n DESC`

// Before gives the sessions that a session goes on from after compressions, the oldest
// first; none for most.
func (d *DB) Before(ctx context.Context, session string) ([]string, error) {
	return d.ids(ctx, before, session)
}
