package sessions

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

const (
	// maxContext is how much of a session [DB.Context] reads, in bytes: more than any model takes.
	maxContext = 8 << 20
	// maxWeight is the most that a message counts: a picture is long as text and short for a model.
	maxWeight = 100 << 10
)

// reach is the newest message that [DB.Context] passes over for its age.
type reach struct {
	at  any // as it is stored
	row int64
}

const (
	// travelling holds for a message m that a model gets.
	travelling = "COALESCE(x.left_out, 0) + COALESCE(u.dropped, 0) = 0 AND " + travels + " "
	joinChosen = "LEFT JOIN tui_context x ON x.row = m.id LEFT JOIN tui_choices u ON u.row = m.id "

	// selectReach has the session, maxWeight and maxContext as its parameters.
	selectReach = `SELECT timestamp, id FROM (SELECT m.timestamp, m.id, SUM(MIN(?2, COALESCE(octet_length(COALESCE(x.content, m.content)), 0) + COALESCE(octet_length(COALESCE(x.tool_calls, m.tool_calls)), 0)))
		OVER (ORDER BY m.timestamp DESC, m.id DESC ROWS UNBOUNDED PRECEDING) AS size
		FROM messages m ` + joinChosen + `WHERE m.session_id = ?1 AND m.active = 1 AND ` + travelling + `) WHERE size > ?3 LIMIT 1`

	// leading holds for a message m of session ?1 that travels at any age: the first of a
	// user, which holds what is known of those left out, and those that are pinned.
	leading = `(m.id = (SELECT f.id FROM messages f WHERE f.session_id = ?1 AND f.role = 'user' AND f.active = 1 ORDER BY f.timestamp, f.id LIMIT 1)
		OR m.id IN (SELECT row FROM tui_choices WHERE pinned = 1)) `
	// behind holds for a message m of session ?1 up to the reach ?3, ?4.
	behind = "m.session_id = ?1 AND m.active = 1 AND (m.timestamp, m.id) <= (?3, ?4) "
)

// Context is what a model gets of a session: its messages that are active, with what
// [ShortenContext] and [ChooseContext] made of them. Of a session that no model could take
// whole it is the newest part, behind the first message of a user and what is pinned; the
// next [ShortenContext] that leaves out messages leaves out the rest, too.
func (d *DB) Context(ctx context.Context, session string) ([]Message, error) {
	var r reach
	long, err := d.one(ctx, "read what the model gets", selectReach, []any{session, maxWeight, maxContext}, &r.at, &r.row)
	if err != nil {
		return nil, err
	}
	if !long {
		return d.contextOf(ctx, active(session))
	}
	first, err := d.contextOf(ctx, part{"WHERE " + behind + "AND " + leading, []any{session, nil, r.at, r.row}})
	if err != nil {
		return nil, err
	}
	rest, err := d.contextOf(ctx, part{activeOf + "AND (m.timestamp, m.id) > (?2, ?3) ", []any{session, r.at, r.row}})
	return slices.Concat(first, rest), err
}

// passOver leaves out what [DB.Context] passed over when a step began that leaves out
// messages, how many of which it names.
func (w *writer) passOver(session string, step int64, names int) error {
	var r reach
	if names == 0 {
		return nil
	}
	err := w.first(selectReach, []any{session, maxWeight, maxContext}, &r.at, &r.row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = w.leaveOut(behind+"AND m.id NOT IN (SELECT row FROM tui_context WHERE left_out = 1) AND NOT "+leading, session, step, r.at, r.row)
	}
	return err
}
