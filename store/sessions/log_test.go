//go:build unix

package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// left copies the files of a database to another folder, as a kill leaves them.
func left(t *testing.T, path string) string {
	t.Helper()
	to := newPath(t)
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(to+end, data, 0o600)
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return to
}

// TestLogRemoved holds that commits are kept when the log is removed under a program that is
// killed later.
func TestLogRemoved(t *testing.T) {
	for name, ends := range map[string][]string{"the log": {"-wal"}, "with its index": {"-wal", "-shm"}} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			var said []string
			d := openWith(t, path, Options{Clock: stepClock(), Warn: func(text string) { said = append(said, text) }})
			begin(t, d, "c")
			for n := 1; n <= 3; n++ {
				mustCommit(t, d, say("c", n))
				if _, err := d.Messages(t.Context(), "s-c"); err != nil { // a connection that reads has the log, too
					t.Fatal(err)
				}
			}
			for _, end := range ends {
				if err := os.Remove(path + end); err != nil {
					t.Fatal(err)
				}
			}
			if len(ends) == 1 {
				_, err := Open(t.Context(), path, Options{})
				if err == nil || !strings.Contains(err.Error(), "was removed while another program has it open") {
					t.Errorf("another program: %v", err)
				}
				if faults, _, err := Faults(t.Context(), path); len(faults) > 0 {
					t.Errorf("faults %q, %v", faults, err)
				}
			}
			for n := 4; n <= 6; n++ {
				mustCommit(t, d, say("c", n))
			}
			if all, err := d.Messages(t.Context(), "s-c"); err != nil || len(all) != 6 {
				t.Errorf("%d messages, %v", len(all), err)
			}
			after := left(t, path)
			wantValue(t, after, "SELECT count(*) FROM messages", "6")
			wantValue(t, after, "PRAGMA integrity_check", "ok")
			if len(said) != 1 || !strings.Contains(said[0], "Nothing is lost") {
				t.Errorf("said %q", said)
			}
		})
	}
}

// Where another program has gone on without the log, what this one holds is kept apart.
func TestLogReplaced(t *testing.T) {
	path := newPath(t)
	var said []string
	d := openWith(t, path, Options{Clock: stepClock(), Warn: func(text string) { said = append(said, text) }})
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	if err := errors.Join(os.Remove(path+"-wal"), os.Remove(path+"-shm")); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"-wal", "-shm"} { // as another program makes them
		if err := os.WriteFile(path+end, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, d.Commit(t.Context(), say("c", 2)), KindGone)
	copies, err := filepath.Glob(path + ".rescued-*")
	if err != nil || len(copies) != 1 || len(said) != 1 || !strings.Contains(said[0], copies[0]) {
		t.Fatalf("%q, %v, %q", copies, err, said)
	}
	wantValue(t, copies[0], "SELECT count(*) FROM messages", "1")
}

// TestLogOfLastConnection commits after a failure that closed every connection: SQLite has
// removed the log, and no one is to be told that another program did.
func TestLogOfLastConnection(t *testing.T) {
	var said []string
	path := newPath(t)
	d := openWith(t, path, Options{Clock: stepClock(), Warn: func(text string) { said = append(said, text) }})
	begin(t, d, "c")
	d.reads.SetMaxIdleConns(-1)
	if err := d.writer.disconnect(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("the log is still there:", err)
	}
	for _, end := range []string{".a", ".b"} { // take the numbers of the two files, else they are used again
		if err := os.WriteFile(path+end, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= 3; n++ {
		mustCommit(t, d, say("c", n))
	}
	if len(said) > 0 {
		t.Errorf("%q", said)
	}
}

// How changes are written is what the settings say, else what the file system allows and
// what is there already.
func TestJournal(t *testing.T) {
	shared := func(string) bool { return true }
	for name, c := range map[string]struct {
		before string // how it was
		o      Options
		want   string
		notice bool
	}{
		"new":                     {"", Options{}, "wal", false},
		"new, shared":             {"", Options{shared: shared}, "delete", false},
		"new, set":                {"", Options{Journal: "delete"}, "delete", false},
		"without a log":           {"delete", Options{}, "delete", false},
		"without a log, set":      {"delete", Options{Journal: "wal"}, "wal", false},
		"with a log":              {"wal", Options{}, "wal", false},
		"with a log, set":         {"wal", Options{Journal: "delete"}, "delete", false},
		"with a log, shared":      {"wal", Options{shared: shared}, "wal", true},
		"with a log, shared, set": {"wal", Options{shared: shared, Journal: "delete"}, "delete", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			if c.before != "" {
				raw(t, path, reference("16")...)
				raw(t, path, "PRAGMA journal_mode="+c.before)
			}
			d := openWith(t, path, c.o)
			begin(t, d, "c")
			mustCommit(t, d, say("c", 1))
			notices := strings.Join(d.Notices(), "\n")
			if got := strings.Contains(notices, "database.journal_mode"); got != c.notice {
				t.Errorf("notices %q", notices)
			}
			mustClose(t, d)
			wantValue(t, path, "PRAGMA journal_mode", c.want)
		})
	}
}
