package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Adopt gives a session that has no conversation, because the reference wrote
// it, to a conversation, so that it can be continued. A conversation that is not
// there yet is made; one that is there goes on in the session, which is what a
// compression by the reference asks for. Adopting again changes nothing.
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
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		return w.adopt(session, parent, conv, cwd, seconds(now))
	})
}

func (w *writer) adopt(session, parent, conv, cwd string, at any) error {
	why := WhyCompression
	n, err := w.affect("UPDATE tui_conversations SET session = ?, updated_at = MAX(updated_at, ?) WHERE id = ?", session, at, conv)
	if err != nil {
		return fmt.Errorf("move conversation: %w", err)
	}
	if n == 0 {
		why = WhyNew
		if _, err := w.exec(insertConversation, conv, session, cwd, at, at); err != nil {
			return fmt.Errorf("create conversation: %w", err)
		}
	}
	if _, err := w.exec(insertLink, session, conv, nil, null(parent), null(string(why))); err != nil {
		return fmt.Errorf("link session: %w", err)
	}
	return nil
}
