package sessions

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// damage changes the schema table of a database behind SQLite's back.
func damage(t *testing.T, path string, statements ...string) {
	t.Helper()
	conn(t, path, func(c *sql.Conn) {
		all := append([]string{"PRAGMA writable_schema=ON"}, statements...)
		for _, s := range all {
			if _, err := c.ExecContext(context.Background(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	})
}

func TestRepair(t *testing.T) {
	for name, statements := range map[string][]string{
		"index twice": {`INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'idx_sessions_source'`},
		"table twice": {`INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'messages_fts'`},
		"broken index": {`UPDATE sqlite_master SET sql = 'CREATE INDEX idx_messages_session ON messages(nonsense' WHERE name = 'idx_messages_session'`,
			`UPDATE sqlite_master SET sql = 'CREATE INDEX tui_idx_calls_conv ON' WHERE name = 'tui_idx_calls_conv'`},
		"broken trigger":   {`UPDATE sqlite_master SET sql = 'CREATE TRIGGER messages_fts_insert AFTER' WHERE name = 'messages_fts_insert'`},
		"broken full text": {`UPDATE sqlite_master SET sql = 'CREATE VIRTUAL' WHERE name = 'messages_fts'`},
		"broken shadow":    {`UPDATE sqlite_master SET sql = 'CREATE TABLE x(' WHERE name = 'messages_fts_trigram_data'`},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			d := mustOpen(t, path)
			begin(t, d, "c")
			for n := 1; n <= 20; n++ {
				mustCommit(t, d, say("c", n))
			}
			mustClose(t, d)
			damage(t, path, statements...)

			_, err := Open(t.Context(), path, Options{ReadOnly: true})
			wantKind(t, err, KindCorrupt)
			d = mustOpen(t, path)
			copies, err := filepath.Glob(path + ".malformed-backup-*")
			if err != nil || len(copies) != 1 || mode(t, copies[0]) != 0o600 {
				t.Fatalf("copies %v, %v", copies, err)
			}
			if n := d.Notices(); len(n) != 1 || !strings.Contains(n[0], copies[0]) {
				t.Errorf("notices %q", n)
			}
			if all, err := d.Messages(t.Context(), "s-c"); err != nil || len(all) != 20 {
				t.Errorf("%d messages, %v", len(all), err)
			}
			mustCommit(t, d, say("c", 21))
			wantValue(t, path, "PRAGMA integrity_check", "ok")
			wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'text'", "21")
			mustClose(t, d)
			if n := mustOpen(t, path).Notices(); len(n) != 0 {
				t.Errorf("notices at the next opening: %q", n)
			}
		})
	}
}

func TestRepairKeepsOutOfTables(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustClose(t, d)
	damage(t, path, `UPDATE sqlite_master SET sql = 'CREATE TABLE messages (' WHERE name = 'messages'`)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{Clock: stepClock()})
	wantKind(t, err, KindCorrupt)
	if copies, _ := filepath.Glob(path + ".malformed-backup-*"); len(copies) != 0 {
		t.Errorf("copies %v", copies)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the database was changed, %v", err)
	}
}

func TestBackUpNames(t *testing.T) {
	path := newPath(t)
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", []byte("log"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &DB{path: path, clock: stepClock()}
	fixed := d.clock()
	d.clock = func() time.Time { return fixed }
	for _, want := range []string{"", "-2", "-3"} {
		got, err := d.backUp()
		if err != nil || got != path+".malformed-backup-20260304-050608"+want {
			t.Errorf("%s, %v", got, err)
		}
		if log, err := os.ReadFile(got + "-wal"); err != nil || string(log) != "log" {
			t.Errorf("log %q, %v", log, err)
		}
	}
}

func TestDamagedPages(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	for n := 1; n <= 500; n++ {
		mustCommit(t, d, say("c", n))
	}
	mustClose(t, d)
	page := value(t, path, "SELECT rootpage FROM sqlite_master WHERE name = 'messages'")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("\xee", 4096)), 4096*(atoi(t, page)-1)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	d = mustOpen(t, path)
	_, err = d.Messages(t.Context(), "s-c")
	wantKind(t, err, KindCorrupt)
	wantKind(t, d.Commit(t.Context(), say("c", 501)), KindCorrupt)
}

func atoi(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
