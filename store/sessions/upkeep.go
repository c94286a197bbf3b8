package sessions

import (
	"context"
	"os"
	"slices"
	"strings"
)

// Check looks through the whole database and says what is wrong with it, nothing when it
// is whole. It takes seconds for each gigabyte. differs says that what search looks through
// is not what this SQLite makes of the messages. That is no damage: versions of it cut
// texts into words in different ways, and [DB.Rebuild] makes it again.
func (d *DB) Check(ctx context.Context) (faults []string, differs bool, err error) {
	faults, err = d.check(ctx, "")
	if err != nil && !isDamage(err) {
		faults, err = d.checkTables(ctx)
	}
	n := len(faults)
	faults = slices.DeleteFunc(faults, isOfIndex)
	return faults[:min(len(faults), mostFaults)], len(faults) < n, err
}

// isOfIndex reports whether a verdict of SQLite is about a full-text index.
func isOfIndex(verdict string) bool { return strings.Contains(verdict, "inverted index for FTS") }

// checkTables checks one table after the other where a virtual one cannot be opened, such
// as one with a tokenizer that is not here.
func (d *DB) checkTables(ctx context.Context) (faults []string, err error) {
	names, err := d.ids(ctx, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
	for _, name := range names {
		if err == nil {
			var more []string
			more, err = d.check(ctx, "("+quotedName(name)+")")
			faults = append(faults, more...)
		}
	}
	return faults, err
}

// check runs the check of SQLite, of one table if that is given.
func (d *DB) check(ctx context.Context, table string) (faults []string, err error) {
	err = d.query(ctx, "check the database", "PRAGMA integrity_check"+table, nil, func(scan scanFunc) error {
		var text string
		err := scan(&text)
		if text != "ok" {
			faults = append(faults, text)
		}
		return err
	})
	return faults, err
}

// mostFaults is how many faults are named.
const mostFaults = 20

// Rebuild makes what is searched anew from the messages. An index that another program
// keeps in its own way is told to do so itself.
func (d *DB) Rebuild(ctx context.Context) error {
	return d.write(ctx, "rebuild the search index", func(w *writer) error {
		l, err := readLayout(ctx, w.conn)
		if err != nil {
			return err
		}
		for _, f := range fullTexts() {
			f = f.keptBy(l)
			todo := []string{"DROP TABLE IF EXISTS " + f.table, "CREATE VIRTUAL TABLE " + f.table + " USING fts5(" + f.options + ")", f.fill()}
			if made, ok := l.objects["table "+f.table]; ok && ownText(made) {
				todo = []string{"INSERT INTO " + f.table + "(" + f.table + ") VALUES('rebuild')",
					"DELETE FROM state_meta WHERE key IN ('fts_rebuild_high_water', 'fts_rebuild_progress')"} // which say what is not in it yet
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
