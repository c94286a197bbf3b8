package sessions

import (
	"context"
	"fmt"
	"os"
)

// Check looks through the whole database and says what is wrong with it, nothing when it
// is whole. It takes seconds for each gigabyte.
func (d *DB) Check(ctx context.Context) (faults []string, err error) {
	const most = 20
	err = d.query(ctx, "check the database", fmt.Sprintf("PRAGMA integrity_check(%d)", most), nil, func(scan scanFunc) error {
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		if text != "ok" {
			faults = append(faults, text)
		}
		return nil
	})
	return faults, err
}

// Rebuild makes what is searched anew from the messages. An index that another program
// keeps in its own way is told to do so itself.
func (d *DB) Rebuild(ctx context.Context) error {
	return d.write(ctx, "rebuild the search index", func(w *writer) error {
		l, err := readLayout(ctx, w.conn)
		if err != nil {
			return err
		}
		for _, f := range fullTexts() {
			todo := []string{"DROP TABLE IF EXISTS " + f.table, "CREATE VIRTUAL TABLE " + f.table + " USING fts5(" + f.options + ")", f.fill()}
			if made, ok := l.objects["table "+f.table]; ok && ownText(made) {
				todo = []string{"INSERT INTO " + f.table + "(" + f.table + ") VALUES('rebuild')"}
			}
			for _, sql := range todo {
				if _, err := w.conn.ExecContext(ctx, sql); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Vacuum writes the file anew without what belongs to nothing any more, and says how
// large it was and is, in bytes. It needs as much space again while it does so.
func (d *DB) Vacuum(ctx context.Context) (before, after int64, err error) {
	if before, err = d.size(); err != nil {
		return 0, 0, err
	}
	err = d.alone(ctx, "rewrite the database", func(w *writer) error {
		if err := w.connect(); err != nil {
			return err
		}
		if _, err := w.conn.ExecContext(ctx, "VACUUM"); err != nil {
			return err
		}
		return w.checkpoint()
	})
	if err == nil {
		after, err = d.size()
	}
	return before, after, err
}

// size is that of the file and its log.
func (d *DB) size() (int64, error) {
	n := int64(0)
	for _, name := range []string{d.path, d.path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil && !os.IsNotExist(err) || err != nil && name == d.path {
			return 0, d.fail("look at the database", err)
		}
		if err == nil {
			n += info.Size()
		}
	}
	return n, nil
}

// Sizes says how much of the file each conversation takes, about, in bytes: its messages
// and what is recorded of them, with their part of the indexes. Sessions without one are
// named by themselves.
func (d *DB) Sizes(ctx context.Context) (map[string]int64, error) {
	sizes, sum := map[string]int64{}, int64(0)
	add := func(scan scanFunc) error {
		var id string
		var n int64
		err := scan(orEmpty{&id}, &n)
		sizes[id] += n
		sum += n
		return err
	}
	const ofMessages = `SELECT COALESCE(l.conv, m.session_id), SUM(200 + length(CAST(COALESCE(m.content, '') AS BLOB)) + length(COALESCE(m.tool_calls, ''))
		+ length(COALESCE(m.reasoning, ''))) FROM messages m LEFT JOIN tui_links l ON l.session = m.session_id GROUP BY 1`
	err := d.query(ctx, "measure sessions", ofMessages, nil, add)
	if err == nil {
		err = d.query(ctx, "measure sessions", "SELECT conv, SUM(100 + length(body)) FROM tui_journal GROUP BY conv", nil, add)
	}
	if err != nil {
		return nil, err
	}
	file, err := d.size()
	if err == nil && sum > 0 {
		for id, n := range sizes {
			sizes[id] = int64(float64(n) / float64(sum) * float64(file))
		}
	}
	return sizes, err
}
