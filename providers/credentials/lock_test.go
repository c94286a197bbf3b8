package credentials

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/store/atomicfile"
)

// While someone else holds the lock, choosing goes on and statuses hold in
// memory without an error; what a user asks for fails in the end. Nothing waits
// longer than it should.
func TestLockHeldElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, twoKeys)
		held, err := atomicfile.TryAcquire(filepath.Join(r.dir, "auth.lock"))
		if err != nil {
			t.Fatal(err)
		}
		p := r.pool("openrouter", PoolOptions{Strategy: RoundRobin})
		for _, step := range []struct {
			most time.Duration
			do   func() error
			fail bool
		}{
			{countWait, func() error { pick(t, p, Want{}); return nil }, false},
			{markWait, func() error { return pick(t, p, Want{Keep: "aaaaaa"}).Failed(t.Context(), Failure{Code: 429}) }, false},
			{longWait, func() error { _, err := p.Add(t.Context(), New{Key: "k"}); return err }, true},
		} {
			begun := time.Now()
			err := step.do()
			if took := time.Since(begun); took > step.most+countWait+100*time.Millisecond {
				t.Errorf("took %v, at most %v", took, step.most)
			}
			if step.fail != (err != nil) {
				t.Errorf("error %v", err)
			}
			if err != nil {
				wantFileError(t, err, r.file, ProblemWrite, "is locked by process")
			}
		}
		if r.text() != twoKeys || len(r.reports.all()) != 0 {
			t.Errorf("reports %q, file %s", r.reports.all(), r.text())
		}
		if got := labels(p.Available(noon)); got != "two" {
			t.Errorf("available %s", got)
		}
		if err := held.Close(); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if r.row("openrouter", "aaaaaa")["last_status"] != "exhausted" {
			t.Errorf("the mark was not written at the end: %s", r.text())
		}
	})
}

// Where others have used up the time to close, nothing is waited for, and what can be
// written is.
func TestCloseWhenTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 {
			r := newRig(t, twoKeys)
			held, err := atomicfile.TryAcquire(filepath.Join(r.dir, "auth.lock"))
			if err != nil {
				t.Fatal(err)
			}
			l := pick(t, r.pool("openrouter", PoolOptions{}), Want{})
			if err := errors.Join(l.Failed(t.Context(), Failure{Code: 429}), held.Close(), r.Close(ctx)); err != nil {
				t.Fatal(err)
			}
			if r.row("openrouter", "aaaaaa")["last_status"] != "exhausted" {
				t.Fatalf("the mark was not written: %s", r.text())
			}
		}
	})
}

// An interrupted request still says what it met.
func TestFailedAfterInterrupt(t *testing.T) {
	r := newRig(t, twoKeys)
	p := r.pool("openrouter", PoolOptions{})
	l := pick(t, p, Want{})
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if err := l.Failed(ctx, Failure{Code: 429}); err != nil {
		t.Error(err)
	}
	if r.row("openrouter", "aaaaaa")["last_status"] != "exhausted" {
		t.Error("not written")
	}
	if _, err := p.Pick(ctx, Want{}); !errors.Is(err, stopped) {
		t.Errorf("pick: %v", err)
	}
	if _, err := p.Add(ctx, New{Key: "k"}); !errors.Is(err, stopped) || strings.Contains(r.text(), `"k"`) {
		t.Errorf("add: %v", err)
	}
}

// A directory that does not exist is said when there is something to keep.
func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "missing", "auth.json")
	s, err := Open(Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	p := poolOf(t, s, "x", PoolOptions{Seeds: seeds(Seed{Source: "env:K", Label: "K", Key: "k"})})
	err = pick(t, p, Want{}).Failed(t.Context(), Failure{Code: 429})
	wantFileError(t, err, file, ProblemWrite, "no such file or directory")
	if len(p.Available(time.Now())) != 0 {
		t.Error("the mark does not hold in memory")
	}
}
