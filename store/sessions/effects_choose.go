package sessions

import (
	"context"
	"errors"
	"time"
)

// ChooseContext changes by what a user has chosen what [DB.Context] gives of a session,
// beside what [ShortenContext] does: the messages stay as they are, and each choice can
// be taken back alone. The batch must hold an event or a message.
type ChooseContext struct {
	// Replaced are messages that travel with this content. Of them only the id, the
	// content and the parts count.
	Replaced []Message
	// Dropped are the ids of messages that do not travel.
	Dropped []string
	// Back are the ids of messages that travel again, Whole of those that do with the
	// content they had before.
	Back, Whole []string
	// Pinned are the ids of messages that a compression is not to change, Unpinned of
	// those that it may change again.
	Pinned, Unpinned []string
}

func (e ChooseContext) check(b *Batch) error {
	if !b.repeatable() {
		return errors.New("needs an event or message to go with it")
	}
	for _, s := range e.Replaced {
		if err := needID(s.ID); err != nil {
			return err
		}
	}
	for _, list := range [][]string{e.Dropped, e.Back, e.Whole, e.Pinned, e.Unpinned} {
		for _, id := range list {
			if err := needID(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// As with a compression, a message that is gone is passed over.
const (
	chooseContent = `INSERT INTO tui_choices (row, content) SELECT id, ? FROM messages WHERE id = ?
		ON CONFLICT (row) DO UPDATE SET content = excluded.content, step = 0`
	chooseDrop = `INSERT INTO tui_choices (row, dropped) SELECT id, 1 FROM messages WHERE id = ?
		ON CONFLICT (row) DO UPDATE SET dropped = 1`
	chooseBack  = `UPDATE tui_choices SET dropped = 0 WHERE row = ?`
	chooseWhole = `UPDATE tui_choices SET content = NULL WHERE step = 0 AND row = ?`
	choosePin   = `INSERT INTO tui_choices (row, pinned) SELECT id, ? FROM messages WHERE id = ?
		ON CONFLICT (row) DO UPDATE SET pinned = excluded.pinned`
)

func (e ChooseContext) apply(w *writer, _ *Batch, _ time.Time) error {
	for _, m := range e.Replaced {
		content := m.content()
		if content == nil {
			content = ""
		}
		if err := w.inContext(m.ID, chooseContent, content); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		ids   []string
		query string
		args  []any
	}{{e.Dropped, chooseDrop, nil}, {e.Back, chooseBack, nil}, {e.Whole, chooseWhole, nil}, {e.Pinned, choosePin, []any{1}}, {e.Unpinned, choosePin, []any{0}}} {
		for _, id := range c.ids {
			if err := w.inContext(id, c.query, c.args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Chosen are the messages of a session about which [ChooseContext] holds, as they were
// stored, in their order: those that do not travel, and those that do with other content.
// What does not travel for another reason is not among them.
func (d *DB) Chosen(ctx context.Context, session string) (dropped, replaced []Message, err error) {
	return d.chosenOf(ctx, active(session))
}

func (d *DB) chosenOf(ctx context.Context, of part) (dropped, replaced []Message, err error) {
	const chosen = selectMessages + "JOIN tui_choices u ON u.row = m.id LEFT JOIN tui_context x ON x.row = m.id "
	const travels = "AND COALESCE(x.left_out, 0) = 0 AND "
	dropped, err = d.messages(ctx, "read what a user has dropped", chosen, of, travels+"u.dropped = 1 "+inOrder)
	if err == nil {
		replaced, err = d.messages(ctx, "read what a user has dropped", chosen, of, travels+"u.dropped = 0 AND u.content IS NOT NULL AND u.step = 0 "+inOrder)
	}
	return dropped, replaced, err
}
