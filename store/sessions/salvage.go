package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// Salvaged describes what a salvage has kept of a damaged database.
type Salvaged struct {
	Path string
	// Kept is the damaged database as it was, with its log beside it.
	Kept string
	// Sessions and Messages count what the new database holds.
	Sessions, Messages int64
	// Lost are the sessions of which messages could not be read.
	Lost []LostMessages
	// Parts are sentences about everything else that is not what it was.
	Parts []string
}

// LostMessages says how many messages of a session are gone.
type LostMessages struct {
	Session, Title string
	Lost, Of       int64
}

// Report returns it in a few sentences.
func (s Salvaged) Report() string {
	text := fmt.Sprintf("The session database %s was damaged. A new one holds what could be read: "+
		"%d sessions with %d messages.", s.Path, s.Sessions, s.Messages)
	const named = 5
	sum := int64(0)
	var names []string
	for i, l := range s.Lost {
		if sum += l.Lost; i < named {
			names = append(names, strings.TrimSpace(fmt.Sprintf("%d of %d in %s %s", l.Lost, l.Of, l.Session, l.Title)))
		}
	}
	if more := len(s.Lost) - named; more > 0 {
		names = append(names, fmt.Sprintf("and in %d more sessions", more))
	}
	if sum > 0 {
		text += fmt.Sprintf(" Messages that could not be read: %d (%s).", sum, strings.Join(names, "; "))
	} else {
		text += " No message is missing."
	}
	for _, p := range s.Parts {
		text += " " + p
	}
	return text + " The damaged one is kept as " + s.Kept + "."
}

// Faults looks through a whole database file, even one that cannot be opened, and returns
// its faults as [DB.Check] does. It takes seconds for each gigabyte and writes nothing.
func Faults(ctx context.Context, path string) (faults []string, differs bool, err error) {
	d := &DB{path: path}
	full, exists, err := locate(path)
	if err != nil || !exists {
		return nil, false, fail(path, "check", errors.Join(err, missingFile(exists, path)))
	}
	d.path = full
	if d.reads, err = newPool(full, "ro", plainPragmas, "", nil); err != nil {
		return nil, false, fail(full, "check", err)
	}
	faults, differs, err = d.Check(ctx)
	if isDamage(err) {
		faults, err = append(faults, "it can't be read through: "+errors.Unwrap(err).Error()), nil
	}
	for i := range faults {
		faults[i] = strings.TrimPrefix(strings.Join(strings.Fields(faults[i]), " "), "*** in database main *** ")
	}
	return faults, differs, errors.Join(err, d.reads.Close())
}

func missingFile(exists bool, path string) error {
	if exists {
		return nil
	}
	return &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
}

// isDamage reports whether an error means that a part of a file cannot be read.
func isDamage(err error) bool {
	if sqliteCode(err) == sqlite3.SQLITE_IOERR_SHORT_READ { // of a log that another program has lost
		return false
	}
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB:
		return true
	}
	return isMalformed(err)
}

// Salvage makes a new database of what can be read of a damaged one and puts it in its
// place. The damaged one is copied first and stays beside it. Whatever ends it early
// leaves the damaged database as it was. No other program may have it open.
//
// Rows of sessions and messages on pages that no tree leads to are found as well. The report
// names how many messages of which sessions could not be read. The transcript
// of a session whose journal is damaged is made again from its messages.
func Salvage(ctx context.Context, path string, o Options) (s Salvaged, err error) {
	d := &DB{path: path, clock: o.Clock}
	if d.clock == nil {
		d.clock = time.Now
	}
	full, exists, err := locate(path)
	if err != nil || !exists {
		return s, fail(path, "salvage", errors.Join(err, missingFile(exists, path)))
	}
	d.path, s.Path = full, full
	made := full + ".new-" + d.clock().UTC().Format("20060102-150405")
	if err := createEmpty(made); err != nil {
		return s, fail(full, "salvage", err)
	}
	defer func() {
		if err != nil {
			for _, name := range companions(made) {
				_ = os.Remove(name)
			}
			if s.Kept != "" {
				_ = os.Remove(s.Kept)
				_ = os.Remove(s.Kept + "-wal")
			}
			s, err = Salvaged{}, fail(full, "salvage", err)
			if sqliteCode(err)&0xff == sqlite3.SQLITE_CORRUPT { // the usual advice is to repair it
				err = fmt.Errorf("nothing of the session database %s can be read: put a copy in its place, "+
					"or move it away to begin without sessions", full)
			}
		}
	}()
	if s.Kept, err = d.backUpAs(".damaged-"); err != nil {
		return s, fmt.Errorf("copy the damaged database: %w", err)
	}
	if err = d.pour(ctx, made, &s); err != nil {
		return s, err
	}
	return s, d.swap(made)
}

// pour fills a new file from the damaged one.
func (d *DB) pour(ctx context.Context, made string, s *Salvaged) (err error) {
	const pragmas = "_pragma=busy_timeout(2000)&_pragma=synchronous(OFF)&_pragma=foreign_keys(0)"
	pool, err := newPool(made, "rw", pragmas, "", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	v := &salvage{ctx: ctx, c: conn, s: s, now: d.clock}
	if err := v.attach(d.path); err != nil {
		return err
	}
	orphans := func() error {
		if !v.hurt {
			return nil
		}
		return v.orphans(d.path, made)
	}
	for _, step := range []func() error{v.tables, v.rows, orphans, v.mend, v.rest, v.count} {
		if err := step(); err != nil {
			return err
		}
	}
	if _, err := conn.ExecContext(ctx, "DETACH old"); err != nil {
		return err
	}
	return nil
}

// swap puts the new file in the place of the damaged one, of which there is a copy. The
// log goes first: it would be taken for that of the new one.
func (d *DB) swap(made string) error {
	for _, name := range companions(d.path)[1:] {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	file, err := os.OpenFile(made, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(made, d.path)
}

// salvage is one filling of a new database, which is main, from a damaged one, which is
// attached as old.
type salvage struct {
	ctx context.Context
	c   *sql.Conn
	s   *Salvaged
	now func() time.Time

	objects []object // of the damaged database
	hurt    bool     // messages or sessions could not be read at once
}

// object is an entry of the schema.
type object struct{ kind, name, sql string }

// virtual reports whether it is a virtual table.
func (o object) virtual() bool { return strings.HasPrefix(strings.ToUpper(o.sql), "CREATE VIRTUAL") }

func (v *salvage) exec(statements ...string) error {
	for _, q := range statements {
		if _, err := v.c.ExecContext(v.ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// say adds a sentence to the report.
func (v *salvage) say(format string, args ...any) {
	v.s.Parts = append(v.s.Parts, fmt.Sprintf(format, args...))
}

// attach opens the damaged database for this process alone and reads its schema, as far
// as that can be read.
func (v *salvage) attach(path string) error {
	// The mode counts for what is attached later: a database that was open before keeps
	// the locks that others can share.
	if err := v.exec("PRAGMA writable_schema=ON", "PRAGMA locking_mode=EXCLUSIVE"); err != nil {
		return err
	}
	if _, err := v.c.ExecContext(v.ctx, "ATTACH ? AS old", fileURI(path, "rw")); err != nil {
		return err
	}
	const entries = "SELECT type, name, COALESCE(sql, '') FROM old.sqlite_master ORDER BY rowid"
	err := each(v.ctx, v.c, entries, nil, func(scan scanFunc) error {
		var o object
		err := scan(orEmpty{&o.kind}, orEmpty{&o.name}, orEmpty{&o.sql})
		v.objects = append(v.objects, o)
		return err
	})
	if err != nil && (!isDamage(err) || len(v.objects) == 0) {
		return err
	}
	if err != nil {
		v.say("A part of its schema could not be read and was made again.")
	}
	return v.exec("PRAGMA writable_schema=OFF")
}

// tables makes the tables: as they were, and those of this program that are missing.
func (v *salvage) tables() error {
	have := map[string]bool{}
	for _, o := range v.objects {
		if o.kind != "table" || strings.HasPrefix(o.name, "sqlite_") || v.shadow(o.name) || o.virtual() {
			continue
		}
		if err := v.exec(o.sql); err != nil {
			if v.ctx.Err() != nil {
				return err
			}
			v.say("The table %s could not be made again.", o.name)
			continue
		}
		have[o.name] = true
	}
	for _, t := range declaredTables() {
		if !have[t.name] {
			if err := v.exec(t.create()); err != nil {
				return err
			}
		}
	}
	return nil
}

// shadow reports whether a table is part of a virtual one, which makes it itself.
func (v *salvage) shadow(name string) bool {
	for _, o := range v.objects {
		if rest, ok := strings.CutPrefix(name, o.name+"_"); ok && o.virtual() {
			switch rest {
			case "data", "idx", "content", "docsize", "config":
				return true
			}
		}
	}
	return false
}

// mend makes what was read fit together: sessions of which only messages are left,
// conversations of which only sessions are.
func (v *salvage) mend() error {
	return v.exec(
		`INSERT INTO main.sessions (id, source, started_at) SELECT session_id, 'cli', MIN(timestamp) FROM main.messages
			WHERE session_id NOT IN (SELECT id FROM main.sessions) GROUP BY session_id`,
		`UPDATE main.sessions SET parent_session_id = NULL WHERE parent_session_id NOT IN (SELECT id FROM main.sessions)`,
		`INSERT OR IGNORE INTO main.tui_conversations (id, session, workspace, created_at, updated_at)
			SELECT l.conv, l.session, '', s.started_at, s.started_at
			FROM main.tui_links l JOIN main.sessions s ON s.id = l.session
			WHERE COALESCE(l.why, '') <> 'subagent' AND l.conv NOT IN (SELECT id FROM main.tui_conversations)`,
		`UPDATE main.sessions SET message_count = (SELECT COUNT(*) FROM main.messages m WHERE m.session_id = sessions.id)`,
	)
}

// rest makes indexes, triggers and what is searched again.
func (v *salvage) rest() error {
	for _, o := range v.objects {
		again := o.kind == "index" || o.kind == "trigger" || o.kind == "view" || o.virtual()
		if !again || o.sql == "" {
			continue
		}
		if _, err := v.c.ExecContext(v.ctx, o.sql); err != nil && v.ctx.Err() != nil {
			return err
		}
	}
	for _, f := range fullTexts() {
		l, err := readLayout(v.ctx, v.c)
		if err != nil {
			return err
		}
		switch made, ok := l.objects["table "+f.table]; {
		case !ok: // made by reconcile
		case ownText(made):
			err = v.exec("INSERT INTO " + f.table + "(" + f.table + ") VALUES('rebuild')")
		default:
			err = v.exec(f.keptBy(l).fill())
		}
		if err != nil {
			return err
		}
	}
	if err := reconcile(v.ctx, v.c); err != nil {
		return err
	}
	return v.exec(sweep()...)
}

// count fills in the report, and refuses what is not whole.
func (v *salvage) count() error {
	var sessions, messages sql.NullInt64
	const counts = "SELECT (SELECT COUNT(*) FROM main.sessions), (SELECT COUNT(*) FROM main.messages)"
	err := each(v.ctx, v.c, counts, nil, func(scan scanFunc) error { return scan(&sessions, &messages) })
	if err != nil {
		return err
	}
	v.s.Sessions, v.s.Messages = sessions.Int64, messages.Int64
	if err := v.missing(); err != nil {
		return err
	}
	if _, err := v.c.ExecContext(v.ctx, leaveNotice, v.s.Report()); err != nil {
		return err
	}
	return each(v.ctx, v.c, "PRAGMA main.integrity_check", nil, func(scan scanFunc) error {
		var verdict string
		if err := scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" && !isOfIndex(verdict) {
			return errors.New("the new database is not whole either: " + verdict)
		}
		return nil
	})
}

// missing finds out by the index of messages, which may be whole, which are not there.
func (v *salvage) missing() error {
	were := map[string]int64{}
	const before = "SELECT session_id, COUNT(*) FROM old.messages INDEXED BY idx_messages_session GROUP BY session_id"
	err := each(v.ctx, v.c, before, nil, func(scan scanFunc) error {
		var id string
		var n int64
		err := scan(orEmpty{&id}, &n)
		were[id] = n
		return err
	})
	if v.ctx.Err() != nil {
		return err
	}
	if err != nil {
		if v.hurt {
			v.say("Whether all messages could be read is not known.")
		}
		return nil
	}
	const now = "SELECT s.id, COALESCE(s.title, ''), (SELECT COUNT(*) FROM main.messages m WHERE m.session_id = s.id) " +
		"FROM main.sessions s ORDER BY s.started_at DESC"
	return each(v.ctx, v.c, now, nil, func(scan scanFunc) error {
		var l LostMessages
		var have int64
		err := scan(&l.Session, orEmpty{&l.Title}, &have)
		if l.Of, l.Lost = were[l.Session], were[l.Session]-have; l.Lost > 0 {
			v.s.Lost = append(v.s.Lost, l)
		}
		return err
	})
}
