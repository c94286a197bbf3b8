package sessions

import (
	"errors"
	"time"
)

// TakeBack takes back a message of the batch's session and all after it: they
// stay in the database and are in no [DB.Messages] and no [DB.Context] any more. What
// they led to is one of [DB.Ways].
// The batch must hold an event or a message, by which a repeated commit is
// recognised.
type TakeBack struct {
	// ID names this taking back.
	ID string
	// From names the first message that goes.
	From string
}

func (e TakeBack) check(b *Batch) error {
	if !b.repeatable() || b.Session == "" {
		return errors.New("needs a session, and an event or message to go with it")
	}
	return errors.Join(needID(e.ID), needID(e.From))
}

func (e TakeBack) apply(w *writer, b *Batch, now time.Time) error {
	row, err := w.rowOf(e.From)
	if err != nil {
		return err
	}
	if err := w.unfold(e.ID, b.Session, row); err != nil {
		return err
	}
	_, err = w.exec(`INSERT INTO tui_rewound (row, rewind, compacted) SELECT id, ?, compacted FROM messages
		WHERE session_id = ? AND (active = 1 OR compacted = 1) AND id >= ?
		ON CONFLICT (row) DO UPDATE SET rewind = excluded.rewind, compacted = excluded.compacted`, e.ID, b.Session, row)
	if err != nil {
		return err
	}
	n, err := w.affect("UPDATE messages SET active = 0, compacted = 0 WHERE session_id = ? AND (active = 1 OR compacted = 1) AND id >= ?", b.Session, row)
	if err = changed(n, err, "message", e.From); err != nil {
		return err
	}
	_, err = w.exec("INSERT INTO tui_ways (id, session, at) VALUES (?, ?, ?)", e.ID, b.Session, seconds(now))
	return err
}

// unfolded is what the rows are called that a taking back has made active.
func unfolded(rewind string) string { return rewind + "/unfolded" }

// unfold makes what was summarised before a row active again, where that was summarised as
// well: the summary is taken back with it.
func (w *writer) unfold(rewind, session string, row int64) error {
	const before = " FROM messages WHERE session_id = ?1 AND compacted = 1 AND id < ?2 AND (SELECT compacted FROM messages WHERE id = ?2) = 1"
	_, err := w.exec("INSERT INTO tui_rewound (row, rewind, compacted) SELECT id, ?3, 1"+before+
		" ON CONFLICT (row) DO UPDATE SET rewind = excluded.rewind, compacted = 1", session, row, unfolded(rewind))
	if err == nil {
		_, err = w.exec("UPDATE messages SET active = 1, compacted = 0 WHERE id IN (SELECT row FROM tui_rewound WHERE rewind = ?)", unfolded(rewind))
	}
	return err
}

// BringBack undoes a [TakeBack].
type BringBack struct {
	ID string // of the taking back
}

func (e BringBack) check(b *Batch) error {
	if !b.repeatable() {
		return errors.New("needs an event or message to go with it")
	}
	return needID(e.ID)
}

func (e BringBack) apply(w *writer, _ *Batch, _ time.Time) error {
	n, err := w.affect(`UPDATE messages SET (active, compacted) = (SELECT 1 - r.compacted, r.compacted FROM tui_rewound r WHERE r.row = messages.id)
		WHERE id IN (SELECT row FROM tui_rewound WHERE rewind IN (?, ?))`, e.ID, unfolded(e.ID))
	if err := changed(n, err, "rewind", e.ID); err != nil {
		return err
	}
	if _, err = w.exec("DELETE FROM tui_rewound WHERE rewind IN (?, ?)", e.ID, unfolded(e.ID)); err == nil {
		_, err = w.exec("DELETE FROM tui_ways WHERE id = ?", e.ID)
	}
	return err
}
