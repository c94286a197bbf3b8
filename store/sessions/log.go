package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// checkLog looks whether the log is the one that is written to. What is in one that lost its
// name is moved into the database, which this process alone can still do, and a new one is
// begun. A writer without a connection begins a new one: SQLite removes the log with the last
// connection. The caller has gate.
func (d *DB) checkLog() error {
	if d.writer.conn == nil {
		d.log = nil
	}
	if !d.logged || d.log == nil {
		return nil
	}
	now, err := os.Stat(d.path + "-wal")
	if err == nil && os.SameFile(d.log, now) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	d.movers.Wait()
	if index, err := os.Stat(d.path + "-shm"); err == nil && (d.index == nil || !os.SameFile(d.index, index)) {
		return d.rescue()
	}
	var busy, pages, moved int
	err = each(context.Background(), d.writer.conn, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(scan scanFunc) error { return scan(&busy, &pages, &moved) })
	if err == nil && busy != 0 {
		err = &Error{Kind: KindBusy, Path: d.path, Err: errors.New("the log was removed, and others read")}
	}
	if err != nil {
		return err
	}
	d.reads.SetMaxIdleConns(-1) // closes those that have the old log
	err = d.writer.disconnect()
	d.reads.SetMaxIdleConns(maxReaders)
	d.log = nil
	d.warn(fmt.Sprintf("The log of the session database, %s-wal, was removed while it was in use. Nothing is lost: what was in it has been moved into the database. Leave files beside the database alone while a session is open.", d.path))
	return err
}

// rescue copies what this process has of a database that another has gone on with since the
// log was removed: neither knows of the other's changes, so they must not be mixed.
func (d *DB) rescue() error {
	name := d.path + ".rescued-" + d.clock().UTC().Format("20060102-150405")
	if _, err := d.writer.conn.ExecContext(context.Background(), "VACUUM INTO ?", name); err != nil {
		return err
	}
	makePrivate(name)
	d.warn(fmt.Sprintf("The log of the session database, %s-wal, was removed while it was in use, and another program has gone on without it. What this session holds is kept as %s: "+
		"hermes-tui -p NAME sessions import %s brings it into a profile.", d.path, name, name))
	return &Error{Kind: KindGone, Path: d.path, Err: errors.New("the log was replaced")}
}

// noteLog remembers the log that is written to.
func (d *DB) noteLog() {
	if !d.logged || d.log != nil || d.writer.conn == nil {
		return
	}
	if info, err := os.Stat(d.path + "-wal"); err == nil {
		d.log = info
		d.index, _ = os.Stat(d.path + "-shm") // nil if it is not there
	}
}
