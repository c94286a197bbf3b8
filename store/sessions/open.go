package sessions

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/lazyregexp"
)

// Options say how a database is opened. The zero value is the usual way.
type Options struct {
	// Clock tells the time of rows that come without one; time.Now if nil. It is
	// called from several goroutines.
	Clock func() time.Time
	// Rand is where the pauses between retries come from; the system's random
	// source if nil. It is read by one goroutine at a time.
	Rand io.Reader
	// ReadOnly opens an existing database for looking only: not a byte of it is
	// changed, and [DB.Commit] and [DB.Adopt] are refused.
	ReadOnly bool
	// Journal is "wal" or "delete": how changes are written. Empty takes the log where the
	// file system is one of this machine, and leaves a database that has none without.
	Journal string
	// Warn takes a sentence for a user about what happens while the database is open, from
	// any goroutine; nil for no one.
	Warn func(string)

	// shared stands in for the look at the file system; for tests.
	shared func(dir string) bool
	// vfs names another way for SQLite to reach the file; for tests.
	vfs string
}

// DB is an open session database. It is safe for concurrent use; close it with
// [DB.Close].
type DB struct {
	path  string
	clock func() time.Time
	rand  io.Reader

	gate   chan struct{} // holds one token; whoever has it may use writer and rand
	writer *writer       // nil when readOnly is set
	reads  *sql.DB
	closed atomic.Bool

	prepared sync.Map     // *sql.Stmt of reads by their texts
	texts    atomic.Int64 // that were prepared or could have been

	file    fs.FileInfo // of the database when it was opened; set with writer
	log     fs.FileInfo // of the log after the last transaction, nil without one; under gate
	index   fs.FileInfo // of the log
	logged  bool        // there is one
	warn    func(string)
	journal string
	shared  bool // the file system may be that of another machine

	moved  int            // writes of the writer when the log was moved last; under gate
	moving atomic.Bool    // the log is being moved
	behind atomic.Bool    // some of it was not
	movers sync.WaitGroup // who moves it

	places places // of the messages of each session

	readOnly *Error   // why nothing may be written; nil if it may
	newer    *Error   // why nothing may be added to the sessions of others; nil if it may
	notices  []string // what a user should know about the opening
}

const (
	// Pragmas of every connection. The waits are in milliseconds: writers rather
	// try again at random, readers have no one to race. SQLite itself moves the log
	// where [DB.moveLog] did not get to it, at 8,000 pages of 4 KB, and cuts it to as much.
	writePragmas = "_pragma=busy_timeout(50)&_pragma=foreign_keys(1)&_pragma=synchronous(NORMAL)" +
		"&_pragma=wal_autocheckpoint(8000)&_pragma=journal_size_limit(32768000)"
	readPragmas  = "_pragma=busy_timeout(2000)&_pragma=query_only(1)&_pragma=cache_size(-8000)"
	plainPragmas = "_pragma=busy_timeout(2000)&_pragma=temp_store(MEMORY)"
	// maxReaders is how many connections read at a time.
	maxReaders = 4
)

// Open opens the database at a path and creates it if it is not there. The
// folder must exist. A database of an older schema is completed. In one of a schema that
// is not known, new sessions are stored if that is possible and all others are only
// read; if it is not, the whole database is, and [DB.ReadOnly] says so. A damaged schema
// is repaired after a copy was made. [DB.Notices] says what was done.
//
// Errors are an [*Error], or that of the context, which bounds the wait for
// other programs.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	d := &DB{path: path, clock: o.Clock, rand: o.Rand, gate: make(chan struct{}, 1), warn: o.Warn, journal: o.Journal}
	if d.warn == nil {
		d.warn = func(string) {}
	}
	if d.clock == nil {
		d.clock = time.Now
	}
	if d.rand == nil {
		d.rand = rand.Reader
	}
	err := d.open(ctx, o)
	if isMalformed(err) && !o.ReadOnly {
		if err = d.repair(ctx, o, err); err == nil {
			err = d.open(ctx, o)
		}
	}
	if err != nil {
		return nil, fail(d.path, "open", err)
	}
	return d, nil
}

func (d *DB) open(ctx context.Context, o Options) error {
	full, exists, err := locate(d.path)
	d.path = full
	if err != nil {
		return err
	}
	if o.ReadOnly {
		if !exists {
			return &fs.PathError{Op: "open", Path: full, Err: fs.ErrNotExist}
		}
		d.readOnly = &Error{Kind: KindReadOnly, Path: full, Err: errors.New("opened for reading only")}
		return d.openReader(ctx, o.vfs)
	}
	if !writable(full) && exists {
		return &Error{Kind: kindOfFile(full), Path: full, Err: errors.New("no right to write")}
	}
	if !exists {
		err := createEmpty(full)
		if errors.Is(err, fs.ErrPermission) {
			err = &Error{Kind: KindReadOnly, Path: full, Err: err}
		}
		if err != nil {
			return err
		}
	}
	makePrivate(full)
	look := atomicfile.OnNetwork
	if o.shared != nil {
		look = o.shared
	}
	d.shared = look(filepath.Dir(full))
	return d.openWriter(ctx, o.vfs)
}

// openWriter opens all connections of a database that may be written.
func (d *DB) openWriter(ctx context.Context, vfs string) error {
	pool, err := newPool(d.path, "rw", writePragmas, vfs, nil)
	if err != nil {
		return err
	}
	w := newWriter(pool)
	var unfit *Error
	err = retry(ctx, d.rand, func() (err error) {
		if err = w.connect(); err == nil {
			unfit, err = d.prepareDatabase(ctx, w)
		}
		return err
	})
	if err == nil && unfit == nil {
		makePrivate(d.path)
		d.reads, err = newPool(d.path, "rw", readPragmas, vfs, nil)
	}
	if err == nil {
		d.file, err = os.Stat(d.path)
	}
	if err != nil {
		return errors.Join(err, w.disconnect(), pool.Close())
	}
	if unfit != nil {
		if err := errors.Join(w.disconnect(), pool.Close()); err != nil {
			return err
		}
		d.readOnly = unfit
		d.notices = append(d.notices, d.readOnly.Error())
		return d.openReader(ctx, vfs)
	}
	if w.newer = d.newer; d.newer != nil {
		d.notices = append(d.notices, d.newer.Error())
	}
	d.writer = w
	d.noteLog()
	return nil
}

// prepareDatabase switches the log on and completes the schema. One whose tables have to be
// changed is copied first. unfit says that the layout is not known, and that no session can
// be added to it.
func (d *DB) prepareDatabase(ctx context.Context, w *writer) (unfit *Error, err error) {
	l, err := readLayout(ctx, w.conn)
	if err != nil {
		return nil, err
	}
	if l.foreign() {
		return nil, &Error{Kind: KindNotDatabase, Path: d.path, Err: errors.New("the tables are those of some other program")}
	}
	if !l.known() && !l.complete() {
		return d.newerThan(l, nil), nil
	}
	if err := d.useLog(ctx, w, l.empty()); err != nil {
		return nil, err
	}
	if plan := l.plan(); len(plan) > 0 {
		if l.known() && slices.ContainsFunc(plan, step.alters) {
			if err := d.copyBefore(ctx, w); err != nil {
				return nil, fmt.Errorf("copy the database before its tables are changed for this version: %w", err)
			}
		}
		if err := w.transaction(func(w *writer) error { return reconcile(ctx, w.conn) }); err != nil {
			return nil, err
		}
	}
	if l.known() {
		return nil, nil
	}
	if err := d.tryNew(w); isBusy(err) {
		return nil, err
	} else if err != nil {
		return d.newerThan(l, err), nil
	}
	d.newer = d.newerThan(l, errNotOurs)
	return nil, nil
}

// newerThan is the error for a layout that is not known.
func (d *DB) newerThan(l *layout, why error) *Error {
	return &Error{Kind: KindNewer, Path: d.path, Err: errors.Join(fmt.Errorf("schema version %d, known is %d", l.version, newestSchema), why)}
}

// errNotOurs says that the sessions of others are only read, and new ones are stored.
var errNotOurs = errors.New("others have written the session")

// errTried ends a trial.
var errTried = errors.New("tried")

// tryNew reports why no session can be added to a database: it adds one and takes it back.
func (d *DB) tryNew(w *writer) error {
	const id = "tui-trial"
	err := w.transaction(func(w *writer) error {
		b := &Batch{Conv: id, Session: id, Create: &NewSession{}, Messages: []Message{{ID: id, Role: "user", Content: "trial"}}}
		return cmp.Or(w.apply(b, d.clock()), errTried)
	})
	if errors.Is(err, errTried) {
		return nil
	}
	return err
}

// copyBefore copies the database as it is.
func (d *DB) copyBefore(ctx context.Context, w *writer) error {
	base := d.path + ".before-" + d.clock().UTC().Format("20060102-150405")
	name := base
	for n := 2; ; n++ {
		_, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil || n > 100 {
			return fmt.Errorf("%s is there already: %w", name, err)
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600) // private before there is something in it
	if err == nil {
		err = file.Close()
	}
	if err == nil {
		_, err = w.conn.ExecContext(ctx, "VACUUM INTO ?", name)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(name))
	}
	said := fmt.Sprintf("the tables of the session database %s were changed for this version: a copy of it as it was is %s", d.path, name)
	if n := d.dropCopies(); n > 0 {
		said += fmt.Sprintf("; of earlier copies the newest %d are kept, %d deleted", keptCopies-1, n)
	}
	d.notices = append(d.notices, said)
	return nil
}

// keptCopies is how many copies of a database are kept.
const keptCopies = 3

// copyName is how the name of a copy ends.
var copyName = lazyregexp.New(`\.before-\d{8}-\d{6}(-\d+)?$`)

// dropCopies deletes all but the newest copies and reports how many. What cannot be deleted
// stays.
func (d *DB) dropCopies() (n int) {
	entries, err := os.ReadDir(filepath.Dir(d.path))
	if err != nil {
		return 0
	}
	var copies []fs.FileInfo
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(d.path))
		if info, err := e.Info(); ok && err == nil && info.Mode().IsRegular() && copyName.FindStringIndex(rest) != nil && strings.HasPrefix(rest, ".before-") {
			copies = append(copies, info)
		}
	}
	slices.SortFunc(copies, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, c := range copies[min(keptCopies, len(copies)):] {
		if os.Remove(filepath.Join(filepath.Dir(d.path), c.Name())) == nil {
			n++
		}
	}
	return n
}

// useLog chooses how changes are written: by the write-ahead log, or by the rollback
// journal, which is flushed more thoroughly because a power loss could damage the database
// otherwise. File systems without shared memory refuse the log. fresh says that nothing is
// in the database yet.
func (d *DB) useLog(ctx context.Context, w *writer, fresh bool) error {
	mode := func(set string) (is string, err error) {
		err = each(ctx, w.conn, "PRAGMA journal_mode"+set, nil, func(scan scanFunc) error { return scan(&is) })
		return strings.ToLower(is), err
	}
	is, err := mode("")
	if err != nil {
		return err
	}
	want := d.journal
	switch {
	case want != "":
	case is == "wal" || fresh && !d.shared:
		want = "wal"
	default:
		want = "delete"
	}
	if want == "wal" {
		is, err = mode("=WAL")
	} else if is == "wal" {
		if was, bad := mode("=DELETE"); bad == nil { // others may have it open with the log
			is = was
		}
	}
	if isBusy(err) {
		return err
	}
	if d.logged = err == nil && is == "wal"; d.logged {
		if d.shared {
			d.notices = append(d.notices, fmt.Sprintf("the session database %s is written by way of a log, on a file system that another machine may share, where it can be damaged: "+
				"set database.journal_mode to delete in config.yaml, and start no other session meanwhile", d.path))
		}
		return nil
	}
	w.setup = "PRAGMA synchronous=FULL"
	for _, pragma := range []string{"PRAGMA journal_mode=DELETE", w.setup} {
		if _, err := w.conn.ExecContext(ctx, pragma); err != nil {
			return fmt.Errorf("choose journal: %w", err)
		}
	}
	return nil
}

// openReader opens a database that must not be changed.
func (d *DB) openReader(ctx context.Context, vfs string) error {
	l, mode, err := d.peek(ctx, vfs)
	if err != nil {
		return err
	}
	if l.foreign() {
		return &Error{Kind: KindNotDatabase, Path: d.path, Err: errors.New("the tables are those of some other program")}
	}
	if !l.known() && d.readOnly.Kind != KindNewer {
		d.readOnly = d.newerThan(l, nil)
		d.notices = append(d.notices, d.readOnly.Error())
	}
	d.reads, err = newPool(d.path, mode, plainPragmas, vfs, l.shadows())
	return err
}

// peek reads the schema without the right to write and finds out how to open
// the file for that. A log can't be followed in a folder where nothing may be
// made; without a log the file alone is the database, and is taken as one that
// no one changes.
func (d *DB) peek(ctx context.Context, vfs string) (l *layout, mode string, err error) {
	for _, mode = range []string{"ro", "ro&immutable=1"} {
		var pool *sql.DB
		if pool, err = newPool(d.path, mode, plainPragmas, vfs, nil); err != nil {
			return nil, "", err
		}
		l, err = readLayout(ctx, pool)
		err = errors.Join(err, pool.Close())
		if err == nil {
			return l, mode, nil
		}
		if kindOf(d.path, err) != KindReadOnly || hasLog(d.path) {
			return nil, "", err
		}
	}
	return nil, "", err
}

// newPool makes a pool of connections to a file. The mode is SQLite's, the setup
// is run on every new connection.
func newPool(path, mode, pragmas, vfs string, setup []string) (*sql.DB, error) {
	dsn := fileURI(path, mode) + "&" + pragmas
	if vfs != "" {
		dsn += "&vfs=" + vfs
	}
	c, err := newConnector(dsn, setup)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(maxReaders)
	pool.SetMaxIdleConns(maxReaders)
	return pool, nil
}

// fileURI names a file for SQLite, to be opened in a mode.
func fileURI(path, mode string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String() + "?mode=" + mode
}

// Path is the absolute path of the database file.
func (d *DB) Path() string { return d.path }

// ReadOnly says why nothing can be written, nil if it can.
func (d *DB) ReadOnly() *Error { return d.readOnly }

// Notices are sentences a user should see about what happened to the database
// when it was opened: that it is for reading only, that it was repaired.
func (d *DB) Notices() []string { return append([]string(nil), d.notices...) }

// Close moves the log into the database and closes it. It waits for the commit
// and the reads under way. Closing again is no error.
func (d *DB) Close() error {
	d.gate <- struct{}{}
	defer func() { <-d.gate }()
	if d.closed.Swap(true) {
		return nil
	}
	d.movers.Wait()
	err := d.reads.Close()
	if d.writer != nil {
		err = errors.Join(err, d.writer.close())
	}
	return fail(d.path, "close", err)
}

// write runs do in a transaction of the one writer. A context that ends while
// the database is locked by others ends the wait; a transaction that has begun
// is finished whatever happens to the context.
func (d *DB) write(ctx context.Context, doing string, do func(*writer) error) error {
	return d.alone(ctx, doing, func(w *writer) error { return w.transaction(do) })
}

// alone runs do with the writer, outside of a transaction, while no one else has it.
func (d *DB) alone(ctx context.Context, doing string, do func(*writer) error) error {
	if ctx.Err() != nil {
		return d.fail(doing, ended(ctx))
	}
	select {
	case d.gate <- struct{}{}:
	case <-ctx.Done():
		return d.fail(doing, ended(ctx))
	}
	defer func() { <-d.gate }()
	switch {
	case d.closed.Load():
		return &Error{Kind: KindClosed, Path: d.path}
	case d.readOnly != nil:
		return d.readOnly
	}
	if err := d.checkPlace(); err != nil {
		return d.fail(doing, err)
	}
	err := retry(ctx, d.rand, func() error {
		if err := d.checkLog(); err != nil {
			return err
		}
		return do(d.writer)
	})
	d.noteLog()
	d.moveLog()
	return d.fail(doing, err)
}

// moveLog moves the log into the database now and then, on a connection that reads, while
// others read and write. Only when all of it is moved is the log written from its beginning
// again; what was written meanwhile is little, and is moved behind the next transaction.
// That someone is in the way of it is no error: the next round comes. The caller has gate.
func (d *DB) moveLog() {
	if d.moving.Load() || d.writer.conn == nil {
		return
	}
	if d.behind.Swap(false) {
		d.moved = d.writer.writes
		_, _ = moveLog(d.writer.conn)
		return
	}
	if d.writer.writes-d.moved < checkpointEvery {
		return
	}
	d.moved = d.writer.writes
	d.moving.Store(true)
	d.movers.Go(func() {
		defer d.moving.Store(false)
		all, err := moveLog(d.reads)
		d.behind.Store(err == nil && !all)
	})
}

// moveLog moves what it can of the log and reports whether that was all.
func moveLog(on querier) (all bool, err error) {
	var busy, pages, moved int
	err = each(context.Background(), on, "PRAGMA wal_checkpoint(PASSIVE)", nil, func(scan scanFunc) error { return scan(&busy, &pages, &moved) })
	return moved == pages, err
}

// checkPlace refuses to write to a file that lost its name while it was open:
// all that is written to it would vanish with the process.
func (d *DB) checkPlace() error {
	now, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(d.file, now) {
		return &Error{Kind: KindGone, Path: d.path, Err: err}
	}
	return err
}

// fail is [fail] for this database; after Close every trouble is that.
func (d *DB) fail(doing string, err error) error {
	if err != nil && d.closed.Load() && typed(err) == nil {
		return &Error{Kind: KindClosed, Path: d.path, Err: fmt.Errorf("%s: %w", doing, err)}
	}
	return fail(d.path, doing, err)
}
