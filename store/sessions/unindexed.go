package sessions

import (
	"context"
	"fmt"
	"strings"
)

// foreignTriggers finds the triggers that index a new message with everything in it.
// Those of [fullTexts] leave the bytes of images out; a database that someone else
// has made keeps its own.
const foreignTriggers = `SELECT t.name, t.sql, COALESCE(i.sql, '') FROM sqlite_master t
	LEFT JOIN sqlite_master i ON i.type = 'table' AND i.name = ?
	WHERE t.type = 'trigger' AND t.tbl_name = 'messages' AND t.name = ? AND instr(t.sql, 'json_tree') = 0`

// unindexed appends a message with images. Triggers of others would index the bytes:
// ten times their size, and seconds in which no one else can write. They are taken
// away for this one message, within its transaction, and its texts are indexed in
// their place.
func (w *writer) unindexed(id string, do func() error) error {
	type away struct {
		f    fullText
		back string
	}
	var list []away
	for _, f := range fullTexts() {
		err := each(context.Background(), w.conn, foreignTriggers, []any{f.table, f.table + "_insert"}, func(scan scanFunc) error {
			var name, sql, made string
			if err := scan(&name, &sql, &made); err != nil {
				return err
			}
			if made != "" && !ownText(made) {
				list = append(list, away{f, sql})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("look at triggers: %w", err)
		}
	}
	for _, a := range list {
		if _, err := w.conn.ExecContext(context.Background(), "DROP TRIGGER "+a.f.table+"_insert"); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return err
	}
	for _, a := range list {
		if _, err := w.conn.ExecContext(context.Background(), a.back); err != nil {
			return err
		}
		one := a.f.add("m.", " FROM messages m", "m.id = (SELECT row FROM tui_messages WHERE id = ?)")
		if _, err := w.exec(one, id); err != nil {
			return err
		}
	}
	return nil
}

// ownText reports whether an index reads its text from the messages table.
func ownText(made string) bool {
	return strings.Contains(strings.ReplaceAll(made, " ", ""), "content=")
}
