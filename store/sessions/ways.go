package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Way is how a session went on before a [TakeBack]: the messages before, and those that
// were taken back. It is kept, and is gone when they are brought back.
type Way struct {
	ID      string // of the taking back
	Session string
	Left    time.Time // when it was left
	// Label is what the user calls it, empty for nothing.
	Label string
	// Branch is the session that was made of it, empty if there is none.
	Branch string
	// Preview is the beginning of the first message that was taken back, and Messages
	// counts those.
	Preview  string
	Messages int
	Last     time.Time // of the newest of them
}

// part is some messages of a session, by a condition whose only parameter is what.
type part struct {
	where string
	what  []any
}

// active are the messages of a session that a model may get, visible those that a user sees,
// and kept both.
func active(session string) part  { return part{activeOf, []any{session}} }
func visible(session string) part { return part{shownOf, []any{session}} }
func kept(session string) part    { return part{keptOf, []any{session}} }

// wayOf are the messages of a way: what was taken back with it, and what was before that
// then, which may have been taken back since.
func wayOf(id string) part {
	return part{`WHERE m.session_id = (SELECT session FROM tui_ways WHERE id = ?1) AND (m.id IN (SELECT row FROM tui_rewound WHERE rewind = ?1)
		OR m.id < (SELECT MIN(row) FROM tui_rewound WHERE rewind = ?1) AND (m.active = 1 OR m.compacted = 1 OR m.id IN (SELECT r.row FROM tui_rewound r
			JOIN tui_ways w ON w.id = r.rewind WHERE w.number > (SELECT number FROM tui_ways WHERE id = ?1)))) `, []any{id}}
}

const selectWays = `SELECT g.id, g.session, g.at, g.label, (SELECT b.id FROM sessions b WHERE b.id = g.branch), g.messages, g.last,
	CASE WHEN unicode(f.content) IS NULL THEN f.content ELSE substr(f.content, 1, 400) END
	FROM (SELECT w.*, COUNT(r.row) AS messages, MAX(m.timestamp) AS last, MIN(m.id) AS first
		FROM tui_ways w JOIN tui_rewound r ON r.rewind = w.id JOIN messages m ON m.id = r.row WHERE %s = ? GROUP BY w.id) g
	JOIN messages f ON f.id = g.first ORDER BY g.number`

// Ways are the ways that a session was left on, the oldest first.
func (d *DB) Ways(ctx context.Context, session string) ([]Way, error) {
	return d.ways(ctx, "w.session", session)
}

// Way is one of [DB.Ways]; a [*NotFoundError] says that there is none.
func (d *DB) Way(ctx context.Context, id string) (Way, error) {
	list, err := d.ways(ctx, "w.id", id)
	if err == nil && len(list) == 0 {
		err = &NotFoundError{What: "branch", Ref: id}
	}
	if err != nil {
		return Way{}, err
	}
	return list[0], nil
}

func (d *DB) ways(ctx context.Context, by, arg string) (list []Way, err error) {
	err = d.query(ctx, "read ways", fmt.Sprintf(selectWays, by), []any{arg}, func(scan scanFunc) error {
		var w Way
		var at, last sql.NullFloat64
		err := scan(&w.ID, &w.Session, &at, orEmpty{&w.Label}, orEmpty{&w.Branch}, &w.Messages, &last, orEmpty{&w.Preview})
		w.Left, w.Last, w.Preview = moment(at), moment(last), preview(w.Preview)
		list = append(list, w)
		return err
	})
	return list, err
}

// WayMessages are the messages of a way in their order.
func (d *DB) WayMessages(ctx context.Context, id string) ([]Message, error) {
	return d.messages(ctx, "read messages", selectMessages, wayOf(id), inOrder)
}

// Point is a place in a session that a tree of sessions shows: where what the model gets
// was shortened.
type Point struct {
	ID   string
	At   time.Time
	Text string // what was done there
	// Label is what the user calls it, empty for nothing.
	Label string
}

// Points are the places of a session, the oldest first.
func (d *DB) Points(ctx context.Context, session string) (list []Point, err error) {
	err = d.query(ctx, "read points", "SELECT id, at, text, label FROM tui_points WHERE session = ? ORDER BY at, rowid", []any{session}, func(scan scanFunc) error {
		var p Point
		var at sql.NullFloat64
		err := scan(&p.ID, &at, orEmpty{&p.Text}, orEmpty{&p.Label})
		p.At = moment(at)
		list = append(list, p)
		return err
	})
	return list, err
}

// AddPoint adds a [Point] to the batch's session. [RestoreContext] takes the newest away.
type AddPoint struct{ ID, Text string }

func (e AddPoint) check(b *Batch) error { return errors.Join(needID(e.ID), needSession("", b)) }

func (e AddPoint) apply(w *writer, b *Batch, now time.Time) error {
	_, err := w.exec("INSERT INTO tui_points (id, session, at, text) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING", e.ID, b.Session, seconds(now), clean(e.Text))
	return err
}

// SetLabel gives a [Way] or a [Point] another label; empty takes it away.
type SetLabel struct{ ID, Label string }

func (e SetLabel) check(*Batch) error { return needID(e.ID) }

func (e SetLabel) apply(w *writer, _ *Batch, _ time.Time) error {
	changes := int64(0)
	for _, table := range []string{"tui_ways", "tui_points"} {
		n, err := w.affect("UPDATE "+table+" SET label = ? WHERE id = ?", null(cut(tidy(e.Label), maxTitle)), e.ID)
		if err != nil {
			return err
		}
		changes += n
	}
	return changed(changes, nil, "place of a session", e.ID)
}

// branchOfWay names the session that was made of a way.
type branchOfWay struct{ id, session string }

func (e branchOfWay) check(*Batch) error { return needID(e.id) }

func (e branchOfWay) apply(w *writer, _ *Batch, _ time.Time) error {
	n, err := w.affect("UPDATE tui_ways SET branch = ? WHERE id = ?", e.session, e.id)
	return changed(n, err, "branch", e.id)
}
