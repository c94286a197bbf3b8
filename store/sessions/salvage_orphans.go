package sessions

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
)

// orphans adds the rows of sessions and messages on pages that no tree leads to any more.
//
// In a copy of the damaged file the root of the table is set to one leaf after the other, so
// that SQLite reads each as a table of its own. Free pages are passed over: deleted rows stay
// deleted. Rows of other tables fail the conditions.
func (v *salvage) orphans(damaged, made string) (err error) {
	scratch := made + "-pages"
	defer func() {
		for _, name := range companions(scratch) {
			_ = os.Remove(name)
		}
	}()
	for _, end := range []string{"", "-wal"} {
		if err := copyFile(scratch+end, damaged+end); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	pool, err := newPool(scratch, "rw", "_pragma=busy_timeout(1000)&_pragma=synchronous(OFF)", "", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(v.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := prepareScratch(v.ctx, conn); err != nil {
		if isDamage(err) {
			return nil // the schema itself cannot be read
		}
		return err
	}
	leaves, err := leafPages(scratch)
	if err != nil {
		return err
	}
	for _, t := range []orphaned{
		{"sessions", "id <> '' AND source <> '' AND typeof(started_at) = 'real' AND started_at BETWEEN 1e9 AND 1e11", ""},
		{"messages", "role IN ('user', 'assistant', 'tool', 'system')",
			" WHERE ? IN (SELECT id FROM main.sessions UNION SELECT session FROM main.tui_links)"},
	} {
		if err := v.graft(conn, t, leaves); err != nil {
			return err
		}
	}
	return nil
}

// orphaned is a table of which rows are looked for: fits holds for its rows, known for the
// session_id of those that are taken.
type orphaned struct{ name, fits, known string }

// prepareScratch leaves nothing in the schema of a scratch copy but the tables that are read.
func prepareScratch(ctx context.Context, c *sql.Conn) error {
	for _, q := range []string{
		"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA writable_schema=ON",
		"DELETE FROM sqlite_master WHERE tbl_name NOT IN ('sessions', 'messages') " +
			"OR type IN ('trigger', 'view') OR type = 'index' AND sql <> ''",
	} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// graft makes each page the root of a table, and copies the rows that fit.
func (v *salvage) graft(c *sql.Conn, t orphaned, pages []int64) error {
	columns, err := v.shared(t.name)
	if err != nil || len(columns) == 0 {
		return err
	}
	list, values := strings.Join(columns, ", "), strings.Repeat(", ?", len(columns))[2:]
	read := "SELECT " + list + " FROM " + t.name + " NOT INDEXED WHERE " + t.fits
	insert := "INSERT OR IGNORE INTO main." + t.name + " (" + list + ") SELECT " + values + t.known
	row, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range row {
		into[i] = &row[i]
	}
	session := slices.Index(columns, `"session_id"`)
	for _, page := range pages {
		err := setRoot(v.ctx, c, t.name, page)
		if err == nil {
			err = each(v.ctx, c, read, nil, func(scan scanFunc) error {
				if err := scan(into...); err != nil {
					return err
				}
				args := row
				if t.known != "" {
					args = append(slices.Clip(row), row[session])
				}
				_, err := v.c.ExecContext(v.ctx, insert, args...)
				return err
			})
		}
		if err != nil && !isDamage(err) {
			return err
		}
	}
	return nil
}

// setRoot makes a page the root of a table. The last statement has the schema read again.
func setRoot(ctx context.Context, c *sql.Conn, table string, page int64) error {
	const set = "UPDATE sqlite_master SET rootpage = ? WHERE type = 'table' AND name = ?"
	if _, err := c.ExecContext(ctx, "PRAGMA writable_schema=ON"); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, set, page, table); err != nil {
		return err
	}
	_, err := c.ExecContext(ctx, "PRAGMA writable_schema=RESET")
	return err
}

// leafPages returns the leaves of tables in a database file that are not free.
// See https://www.sqlite.org/fileformat2.html.
func leafPages(name string) (leaves []int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head := make([]byte, 100)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 {
		return nil, nil
	}
	page, free := make([]byte, size), map[int64]bool{}
	number := func(at int64) int64 { return int64(binary.BigEndian.Uint32(page[at:])) }
	for trunk := int64(binary.BigEndian.Uint32(head[32:])); trunk > 0 && !free[trunk]; trunk = number(0) {
		free[trunk] = true
		if _, err := f.ReadAt(page, size*(trunk-1)); err != nil {
			break
		}
		for i := range min(number(4), size/4-2) {
			free[number(8+4*i)] = true
		}
	}
	for n := int64(2); ; n++ {
		if _, err := f.ReadAt(page[:1], size*(n-1)); err != nil {
			return leaves, nil
		}
		if page[0] == 0x0d && !free[n] {
			leaves = append(leaves, n)
		}
	}
}
