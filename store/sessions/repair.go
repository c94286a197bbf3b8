package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// A malformed schema keeps SQLite from reading anything at all, although the
// rows are whole. It comes from two programs that made the same index at once
// and from crashes of file systems. The repair takes the unreadable entries out
// of the schema table; [reconcile] then makes indexes and triggers again. The
// entry of a table with rows of its own is never taken out.

// maxRepairs is how many unreadable entries are taken out one after the other.
const maxRepairs = 32

// isMalformed reports whether an error says that the schema can't be read.
func isMalformed(err error) bool {
	return sqliteCode(err) != 0 && strings.Contains(err.Error(), "malformed database schema")
}

// unreadableEntry is the name of the unreadable entry, as SQLite's message gives it.
func unreadableEntry(err error) string {
	_, rest, _ := strings.Cut(err.Error(), "malformed database schema (")
	name, _, _ := strings.Cut(rest, ")")
	return name
}

// repair copies a database with a malformed schema and makes the schema
// readable. It leaves a notice, or an error that names the copy. What can't be
// repaired is not copied either, so that trying again fills no disk.
func (d *DB) repair(ctx context.Context, o Options, cause error) error {
	err := d.withConn(ctx, o.vfs, func(c *sql.Conn) error {
		if err := ignoreDamage(ctx, c); err != nil {
			return err
		}
		_, err := chosen(ctx, c, unreadableEntry(cause))
		return err
	})
	if err != nil {
		return d.unrepaired(fmt.Errorf("look at the damage: %w", errors.Join(err, cause)))
	}
	copied, err := d.backUp()
	if err != nil {
		return fmt.Errorf("copy the damaged database: %w", errors.Join(err, cause))
	}
	dropped, err := d.repairSchema(ctx, o.vfs)
	if err != nil {
		return d.unrepaired(fmt.Errorf("repair (a copy is %s): %w", copied, err))
	}
	d.notices = append(d.notices, fmt.Sprintf(
		"the schema of the session database %s was damaged and has been repaired (%s): a copy of the state before is %s",
		d.path, strings.Join(dropped, ", "), copied))
	return nil
}

// unrepaired is the error for a schema that stays malformed: that there was no
// space for the repair, or whatever else was in its way, and else that the
// database is damaged.
func (d *DB) unrepaired(err error) error {
	kind := kindOf(d.path, err)
	if kind == KindOther {
		kind = KindCorrupt
	}
	if typed(err) != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Kind: kind, Path: d.path, Err: err}
}

// backUp copies the database and its log. No connection to it may be open.
func (d *DB) backUp() (string, error) { return d.backUpAs(".malformed-backup-") }

// backUpAs is backUp with what the copy is called behind the name of the database.
func (d *DB) backUpAs(what string) (string, error) {
	base := d.path + what + d.clock().UTC().Format("20060102-150405")
	name := base
	for n := 2; ; n++ {
		err := copyFile(name, d.path)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) || n > 100 {
			return "", err
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
	if err := copyFile(name+"-wal", d.path+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return name, nil
}

// copyFile copies a file to a new one with mode 0600 and flushes it to the disk.
func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o600), out.Sync(), out.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(to))
	}
	return err
}

// repairSchema takes unreadable entries out until the schema can be read, and
// rewrites the file so that no page is left without an owner. It returns the
// names of what was taken out.
func (d *DB) repairSchema(ctx context.Context, vfs string) ([]string, error) {
	var dropped []string
	for range maxRepairs {
		err := d.withConn(ctx, vfs, func(c *sql.Conn) error {
			return each(ctx, c, "SELECT count(*) FROM sqlite_master", nil, func(scan scanFunc) error {
				var n int
				return scan(&n)
			})
		})
		if err == nil {
			return dropped, d.withConn(ctx, vfs, func(c *sql.Conn) error { return rewrite(ctx, c) })
		}
		if !isMalformed(err) {
			return nil, err
		}
		var names []string
		bad := unreadableEntry(err)
		err = retry(ctx, d.rand, func() error {
			return d.withConn(ctx, vfs, func(c *sql.Conn) (err error) {
				names, err = dropEntry(ctx, c, bad)
				return err
			})
		})
		if err != nil {
			return nil, err
		}
		dropped = append(dropped, names...)
	}
	return nil, fmt.Errorf("more than %d entries of the schema are damaged", maxRepairs)
}

// withConn runs do on a fresh connection, which has not read the schema.
func (d *DB) withConn(ctx context.Context, vfs string, do func(*sql.Conn) error) error {
	pool, err := newPool(d.path, "rw", "_pragma=busy_timeout(1000)", vfs, nil)
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err == nil {
		err = errors.Join(do(conn), conn.Close())
	}
	return errors.Join(err, pool.Close())
}

// rewrite gives back the pages that belong to nothing any more and checks what is
// left.
func rewrite(ctx context.Context, c *sql.Conn) error {
	if _, err := c.ExecContext(ctx, "VACUUM"); err != nil {
		return fmt.Errorf("rewrite: %w", err)
	}
	return each(ctx, c, "PRAGMA quick_check(1)", nil, func(scan scanFunc) error {
		var verdict string
		if err := scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			return errors.New(verdict)
		}
		return nil
	})
}

// entry is a row of the schema table.
type entry struct {
	row        int64
	kind, name string
}

// dropEntry takes what makes the schema unreadable out of it: a second entry of
// the same name, else the named index, trigger or view, else the whole full-text
// index it belongs to.
func dropEntry(ctx context.Context, c *sql.Conn, bad string) ([]string, error) {
	if err := ignoreDamage(ctx, c); err != nil {
		return nil, err
	}
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return nil, err
	}
	dropped, err := dropWithin(ctx, c, bad)
	if err != nil {
		_, undo := c.ExecContext(ctx, "ROLLBACK")
		return nil, errors.Join(err, undo)
	}
	if _, err := c.ExecContext(ctx, "COMMIT"); err != nil {
		return nil, err
	}
	return dropped, nil
}

// ignoreDamage lets a connection read and change a malformed schema. The first
// statement still meets the damage, the next ones see what could be read.
func ignoreDamage(ctx context.Context, c *sql.Conn) error {
	_, err := c.ExecContext(ctx, "PRAGMA writable_schema=ON")
	if err == nil {
		_, _ = c.ExecContext(ctx, "SELECT 1 FROM sqlite_master LIMIT 1")
	}
	return err
}

func dropWithin(ctx context.Context, c *sql.Conn, bad string) ([]string, error) {
	entries, err := chosen(ctx, c, bad)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, err := c.ExecContext(ctx, "DELETE FROM sqlite_master WHERE rowid = ?", e.row); err != nil {
			return nil, err
		}
		names = append(names, e.kind+" "+e.name)
	}
	var version int64
	err = each(ctx, c, "PRAGMA schema_version", nil, func(scan scanFunc) error { return scan(&version) })
	if err != nil {
		return nil, err
	}
	// Others who have the database open read the schema again.
	_, err = c.ExecContext(ctx, fmt.Sprintf("PRAGMA schema_version=%d", version+1))
	return names, err
}

// chosen reads the schema table and says which entries to take out; none is an
// error.
func chosen(ctx context.Context, c *sql.Conn, bad string) ([]entry, error) {
	var all []entry
	err := each(ctx, c, "SELECT rowid, type, name FROM sqlite_master ORDER BY rowid", nil, func(scan scanFunc) error {
		var e entry
		err := scan(&e.row, orEmpty{&e.kind}, orEmpty{&e.name})
		all = append(all, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	entries := choose(all, bad)
	if len(entries) == 0 {
		return nil, fmt.Errorf("the entry %q can't be made again", bad)
	}
	return entries, nil
}

// choose says which entries to take out for a bad one.
func choose(all []entry, bad string) []entry {
	var doubles, family []entry
	seen := map[string]bool{}
	for _, e := range all {
		if seen[e.kind+" "+e.name] {
			doubles = append(doubles, e)
		}
		seen[e.kind+" "+e.name] = true
	}
	if len(doubles) > 0 {
		return doubles
	}
	for _, e := range all {
		if e.name == bad && e.kind != "table" {
			return []entry{e}
		}
	}
	if !strings.HasPrefix(bad, "messages_fts") {
		return nil
	}
	for _, e := range all {
		if strings.HasPrefix(e.name, "messages_fts") {
			family = append(family, e)
		}
	}
	return family
}
