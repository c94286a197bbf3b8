package sessions

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync"
	"testing"
	"time"
)

func TestBusy(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	conn(t, path, func(c *sql.Conn) {
		run := func(s string) {
			if _, err := c.ExecContext(context.Background(), s); err != nil {
				t.Fatal(err)
			}
		}
		run("BEGIN IMMEDIATE")
		start := time.Now()
		wantKind(t, d.Commit(t.Context(), say("c", 1)), KindBusy)
		if waited := time.Since(start); waited < maxRetries*minPause {
			t.Errorf("gave up after %v", waited)
		}
		why := errors.New("impatient")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, why)
		defer cancel()
		if err := d.Commit(ctx, say("c", 1)); !errors.Is(err, why) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		// Readers are not held up.
		if _, err := d.List(t.Context(), Filter{}); err != nil {
			t.Error(err)
		}
		run("ROLLBACK")
	})
	mustCommit(t, d, say("c", 1))
}

func TestCommitWaitsForTheLock(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	conn(t, path, func(c *sql.Conn) {
		if _, err := c.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		tried := make(chan struct{})
		var once sync.Once
		// The source of the pauses tells that a first attempt has failed.
		d.rand = readFunc(func(p []byte) (int, error) {
			once.Do(func() { close(tried) })
			return len(p), nil
		})
		done := make(chan error)
		go func() { done <- d.Commit(context.Background(), say("c", 1)) }()
		<-tried
		if _, err := c.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestBrokenRandomSource(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	broken := errors.New("no entropy")
	d.rand = readFunc(func([]byte) (int, error) { return 0, broken })
	conn(t, path, func(c *sql.Conn) {
		if _, err := c.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(t.Context(), say("c", 1)); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
		if _, err := c.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	})
}

func TestClosed(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	mustClose(t, d)
	mustClose(t, d)
	wantKind(t, d.Commit(t.Context(), say("c", 1)), KindClosed)
	wantKind(t, d.Adopt(t.Context(), "s", "c"), KindClosed)
	_, err := d.Messages(t.Context(), "s-c")
	wantKind(t, err, KindClosed)
	_, err = d.Resolve(t.Context(), "c")
	wantKind(t, err, KindClosed)
	wantKind(t, d.EachEvent(t.Context(), "c", 0, func(Event) error { return nil }), KindClosed)
}

func TestCloseWaitsForCommits(t *testing.T) {
	path := newPath(t)
	d := openWith(t, path, Options{})
	begin(t, d, "c")
	var wg sync.WaitGroup
	stored := make([]bool, 40)
	for n := range stored {
		wg.Go(func() {
			err := d.Commit(context.Background(), say("c", n+1))
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Kind != KindClosed) {
				t.Error(err)
			}
			stored[n] = err == nil
		})
	}
	mustClose(t, d)
	wg.Wait()
	d = mustOpen(t, path)
	have := map[uint64]bool{}
	for _, e := range events(t, d, "c", 0) {
		have[e.Seq] = true
	}
	for n, ok := range stored {
		if ok != have[uint64(n+1)] {
			t.Errorf("batch %d: acknowledged %v, stored %v", n+1, ok, have[uint64(n+1)])
		}
	}
}

// TestLogIsMoved holds that the log does not grow with what is committed, and that nothing
// of it is left in the end.
func TestLogIsMoved(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(path + "-wal")
		if errors.Is(err, os.ErrNotExist) {
			return 0
		}
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	first := int64(0)
	for n := 1; n <= 5*checkpointEvery; n++ {
		mustCommit(t, d, say("c", n))
		d.movers.Wait() // else the log grows by as much as this test writes meanwhile
		if n == checkpointEvery {
			first = size()
		}
	}
	if got := size(); first == 0 || got > 2*first {
		t.Errorf("the log has %d bytes, after the first %d commits it had %d", got, checkpointEvery, first)
	}
	mustCommit(t, d, say("c", 10_000))
	mustClose(t, d)
	if n := size(); n != 0 {
		t.Errorf("%d bytes of log are left", n)
	}
}

func TestWriterComesBackAfterTrouble(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	// Ending the transaction behind the writer's back makes its COMMIT fail.
	b := say("c", 1)
	b.Effects = []Effect{sabotage{}}
	wantKind(t, d.Commit(t.Context(), b), KindOther)
	mustCommit(t, d, say("c", 1))
	wantWholeEvents(t, d, 1)
}

// sabotage rolls the transaction back that it is part of.
type sabotage struct{}

func (sabotage) check(*Batch) error { return nil }

func (sabotage) apply(w *writer, _ *Batch, _ time.Time) error {
	_, err := w.exec("ROLLBACK")
	return err
}

func wantWholeEvents(t *testing.T, d *DB, want int) {
	t.Helper()
	if n := len(events(t, d, "c", 0)); n != want {
		t.Errorf("%d events, want %d", n, want)
	}
}

func TestSentences(t *testing.T) {
	cause := errors.New("cause")
	for _, k := range []Kind{KindNotDatabase, KindCorrupt, KindNewer, KindReadOnly, KindPermission, KindFull, KindBusy, KindGone, KindClosed, KindInvalid, KindOther} {
		e := &Error{Kind: k, Path: "/p/state.db", Err: cause}
		if !errors.Is(e, cause) || !hasStep(e.Error(), "/p/state.db") {
			t.Errorf("%s: %s", k, e)
		}
	}
	for _, e := range []error{
		&NotFoundError{What: "session", Ref: "x"}, &NotFoundError{What: "session"},
		&ConflictError{Conv: "c", What: "event 1"}, &TitleTakenError{Title: "x", Session: "s"}, &TitleTooLongError{Length: 101},
		&HeldError{Conv: "c"}, &HeldError{Conv: "c", PID: 7, Host: "h", Since: epoch},
		&AmbiguousError{Ref: "x", Candidates: make([]ConversationInfo, 5)},
	} {
		if !hasStep(e.Error(), "") {
			t.Errorf("%T: %s", e, e)
		}
	}
}
