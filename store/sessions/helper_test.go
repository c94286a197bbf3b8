package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// epoch is where the clock of most tests begins.
var epoch = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// stepClock is a clock that goes on by a second with every look at it.
func stepClock() func() time.Time {
	now := epoch
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "state.db") }

func mustOpen(t testing.TB, path string) *DB {
	t.Helper()
	return openWith(t, path, Options{Clock: stepClock()})
}

func openWith(t testing.TB, path string, o Options) *DB {
	t.Helper()
	d, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("open: %v (%v)", err, errors.Unwrap(err))
	}
	t.Cleanup(func() { mustClose(t, d) })
	return d
}

func mustClose(t testing.TB, d *DB) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Errorf("close: %v (%v)", err, errors.Unwrap(err))
	}
}

func mustCommit(t testing.TB, d *DB, b Batch) {
	t.Helper()
	if err := d.Commit(context.Background(), b); err != nil {
		t.Fatalf("commit: %v (%v)", err, errors.Unwrap(err))
	}
}

// begin makes a conversation with a session "s-<conv>".
func begin(t testing.TB, d *DB, conv string) {
	t.Helper()
	mustCommit(t, d, Batch{Conv: conv, Session: "s-" + conv, Create: &NewSession{Workspace: "/w", Model: "m"}})
}

// say is a batch with one message and one event, numbered n.
func say(conv string, n int) Batch {
	return Batch{
		Conv: conv, Session: "s-" + conv,
		Messages: []Message{{ID: fmt.Sprintf("m-%s-%d", conv, n), Role: "user", Content: fmt.Sprintf("text %d", n)}},
		Events:   []Event{event(n)},
	}
}

func event(n int) Event {
	return Event{Seq: uint64(n), Type: "message_committed", Body: fmt.Appendf(nil, `{"n":%d}`, n)}
}

// raw runs statements on a database file by a connection of their own.
func raw(t testing.TB, path string, statements ...string) {
	t.Helper()
	conn(t, path, func(c *sql.Conn) {
		for _, s := range statements {
			if _, err := c.ExecContext(context.Background(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	})
}

func conn(t testing.TB, path string, do func(*sql.Conn)) {
	t.Helper()
	pool, err := newPool(path, "rwc", "_pragma=busy_timeout(2000)", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	c, err := pool.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	do(c)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// value reads one value as text.
func value(t testing.TB, path, query string) string {
	t.Helper()
	var v sql.NullString
	conn(t, path, func(c *sql.Conn) {
		if err := c.QueryRowContext(context.Background(), query).Scan(&v); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	})
	return v.String
}

func wantValue(t testing.TB, path, query, want string) {
	t.Helper()
	if got := value(t, path, query); got != want {
		t.Errorf("%s: got %q, want %q", query, got, want)
	}
}

// wantKind checks the kind of an error.
func wantKind(t testing.TB, err error, want Kind) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != want {
		t.Fatalf("error %v (%v), want kind %s", err, errors.Unwrap(err), want)
	}
	if e.Path == "" || len(e.Error()) < 20 {
		t.Errorf("the sentence is %q", e.Error())
	}
}

// as is errors.As for a type.
func as[T error](t testing.TB, err error) T {
	t.Helper()
	var e T
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want %T", err, err, e)
	}
	return e
}

func events(t testing.TB, d *DB, conv string, after uint64) []Event {
	t.Helper()
	var all []Event
	err := d.EachEvent(t.Context(), conv, after, func(e Event) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// lastSeq is the number of the newest event, 0 if there is none.
func lastSeq(ctx context.Context, d *DB, conv string) (seq uint64, err error) {
	_, err = d.one(ctx, "read journal", "SELECT COALESCE(MAX(seq), 0) FROM tui_journal WHERE conv = ?", []any{conv}, &seq)
	return seq, err
}

func mode(t testing.TB, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// hasStep reports whether a message is one sentence that names something and says
// what to do.
func hasStep(sentence, name string) bool {
	return strings.Contains(sentence, name) && strings.Contains(sentence, ": ")
}
