package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func lockPath(t *testing.T) string { return filepath.Join(t.TempDir(), "lock") }

func mustLock(t *testing.T, path string) *Lock {
	t.Helper()
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustClose(t *testing.T, l *Lock) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func wantHeld(t *testing.T, path string, pid int) {
	t.Helper()
	l, err := TryAcquire(path)
	held := (*HeldError)(nil)
	if !errors.As(err, &held) {
		t.Fatalf("second lock: %v, %v", l, err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if held.Path != path || held.Holder.PID != pid || held.Holder.Host != host || held.Holder.Started.IsZero() {
		t.Errorf("held by %+v", held)
	}
	if msg := held.Error(); !strings.Contains(msg, held.Holder.String()) || !strings.Contains(msg, path) {
		t.Errorf("message %q", msg)
	}
}

func TestLockExcludes(t *testing.T) {
	path := lockPath(t)
	l := mustLock(t, path)
	if l.Path() != path {
		t.Errorf("path %q", l.Path())
	}
	wantHeld(t, path, os.Getpid())
	mustClose(t, l)
	mustClose(t, l) // again does nothing
	if got := read(t, path); got != "" {
		t.Errorf("a released lock still says %q", got)
	}
	mustClose(t, mustLock(t, path))
}

func TestLockBetweenProcesses(t *testing.T) {
	path := lockPath(t)
	cmd, in := startHolder(t, path)
	wantHeld(t, path, cmd.Process.Pid)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustLock(t, path))
}

func TestLockEndsWithProcess(t *testing.T) {
	path := lockPath(t)
	cmd, _ := startHolder(t, path)
	got := make(chan error, 1)
	go func() {
		l, err := Acquire(t.Context(), path)
		if err == nil {
			err = l.Close()
		}
		got <- err
	}()
	wantHeld(t, path, cmd.Process.Pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("after the holder died: %v", err)
	}
}

func TestAcquireTakesTurns(t *testing.T) {
	path := lockPath(t)
	var inside, total atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				l, err := Acquire(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				total.Add(1)
				inside.Add(-1)
				mustClose(t, l)
			}
		})
	}
	all.Wait()
	if n := total.Load(); n != 40 {
		t.Errorf("%d turns, want 40", n)
	}
}

func TestAcquireEndsWithContext(t *testing.T) {
	path := lockPath(t)
	synctest.Test(t, func(t *testing.T) {
		l := mustLock(t, path)
		defer mustClose(t, l)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		_, err := Acquire(ctx, path)
		held := (*HeldError)(nil)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &held) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("waited %v", took)
		}
	})
}

func TestAcquireCancelledBefore(t *testing.T) {
	path := lockPath(t)
	cause := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if l, err := Acquire(ctx, path); !errors.Is(err, cause) || l != nil {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock file was made: %v", err)
	}
}

func TestLockWithoutDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone", "lock")
	if _, err := Acquire(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// Whoever opened a lock file that was removed meanwhile must not believe to
// hold the lock.
func TestLockFollowsName(t *testing.T) {
	path := lockPath(t)
	f, err := openLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(path); err != nil {
		t.Skip("SKIPPED: an open file cannot be removed here:", err)
	}
	if named, err := lockFile(f, path); named || err != nil {
		t.Errorf("removed: named %v, %v", named, err)
	}
	l := mustLock(t, path)
	defer mustClose(t, l)
	if named, err := lockFile(f, path); named || err != nil {
		t.Errorf("replaced: named %v, %v", named, err)
	}
}

func TestStaleContentIsReplaced(t *testing.T) {
	path := lockPath(t)
	if err := os.WriteFile(path, []byte(strings.Repeat("rubbish ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, mustLock(t, path))
	wantHeld(t, path, os.Getpid())
}

func TestHolderLine(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct{ host, want string }{
		{"box", "42 box 2026-03-04T05:06:07Z\n"},
		{"my box\x1b[2J\n", "42 my_box_[2J_ 2026-03-04T05:06:07Z\n"},
		{"", "42 - 2026-03-04T05:06:07Z\n"},
	} {
		h := Holder{PID: 42, Host: c.host, Started: at.In(time.FixedZone("x", 3600))}
		if got := h.line(); got != c.want {
			t.Errorf("line %q, want %q", got, c.want)
		}
		if back, ok := parseHolder(h.line()); !ok || back.PID != 42 || !back.Started.Equal(at) {
			t.Errorf("read back %v, %v", back, ok)
		}
	}
}

func TestHolderRubbish(t *testing.T) {
	for _, s := range []string{
		"", "\n", "1 h 2026-03-04T05:06:07Z", "x h 2026-03-04T05:06:07Z\n", "0 h 2026-03-04T05:06:07Z\n",
		"-1 h 2026-03-04T05:06:07Z\n", "1 h yesterday\n", "1  2026-03-04T05:06:07Z\n", "1 h\n",
		"1 h\x1b 2026-03-04T05:06:07Z\n", "1 \xff 2026-03-04T05:06:07Z\n", "1 h 2026-03-04T05:06:07Z more\n",
	} {
		if h, ok := parseHolder(s); ok {
			t.Errorf("%q was read as %v", s, h)
		}
	}
}

func FuzzParseHolder(f *testing.F) {
	f.Add("42 box 2026-03-04T05:06:07Z\n")
	f.Add("1 a b\n")
	f.Fuzz(func(t *testing.T, s string) {
		h, ok := parseHolder(s)
		if !ok {
			return
		}
		if back, ok := parseHolder(h.line()); !ok || back != h {
			t.Errorf("%q: %v became %v", s, h, back)
		}
	})
}
