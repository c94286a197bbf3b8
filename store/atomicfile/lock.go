package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Lock is a lock that is held. It is safe for concurrent use.
type Lock struct {
	path string
	mu   sync.Mutex
	file *os.File // nil when released
}

// HeldError says that someone else holds a lock.
type HeldError struct {
	// Path is the lock file.
	Path string
	// Holder is what the lock file says. It is the zero Holder when the file
	// says nothing readable, as for a moment after locking.
	Holder Holder
}

// Error implements error.
func (e *HeldError) Error() string {
	if e.Holder == (Holder{}) {
		return fmt.Sprintf("%s is locked by another process", e.Path)
	}
	return fmt.Sprintf("%s is locked by %s", e.Path, e.Holder)
}

// The waits between two attempts of [Acquire]. The kernel has no wait for a
// lock that a context can end.
const (
	firstWait = time.Millisecond
	lastWait  = 50 * time.Millisecond
)

// Acquire locks the lock file path, which it makes when it is missing (mode
// 0600; its directory must exist), and waits while someone else holds it. When
// ctx ends first, the error wraps the cause of ctx and a [*HeldError].
//
// The lock file must not be removed by anyone, and is not by this package.
// Waiting openers get the lock in no particular order.
func Acquire(ctx context.Context, path string) (*Lock, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		l, err := TryAcquire(path)
		if held := (*HeldError)(nil); !errors.As(err, &held) {
			return l, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("lock %s: %w: %w", path, context.Cause(ctx), err)
		}
	}
}

// TryAcquire is [Acquire] without waiting: a lock that is held gives a
// [*HeldError] that names the holder.
func TryAcquire(path string) (*Lock, error) {
	// The file may be removed between opening and locking it; a lock on a file
	// without a name excludes no one.
	for range 100 {
		f, err := openLock(path)
		if err != nil {
			return nil, fmt.Errorf("open lock: %w", err)
		}
		named, err := lockFile(f, path)
		switch {
		case err != nil:
			_ = f.Close() // it was not written
			return nil, err
		case named:
			return newLock(f, path), nil
		}
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("close lock: %w", err)
		}
	}
	return nil, fmt.Errorf("lock %s: the file is removed again and again", path)
}

// lockFile locks an open lock file. It reports whether the file still bears the
// name path; without the name the lock is worth nothing.
func lockFile(f *os.File, path string) (named bool, err error) {
	locked, err := tryLock(f)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", path, err)
	}
	if !locked {
		return false, &HeldError{Path: path, Holder: readHolder(f)}
	}
	mine, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("stat lock: %w", err)
	}
	present, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("stat lock: %w", err)
	}
	return os.SameFile(mine, present), nil
}

// newLock makes a lock of a locked file. The holder's line is for people; when
// it cannot be written, as on a full disk, the lock is as good without it.
func newLock(f *os.File, path string) *Lock {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	_ = writeHolder(f, Holder{PID: os.Getpid(), Host: host, Started: time.Now()})
	return &Lock{path: path, file: f}
}

// Path is the lock file.
func (l *Lock) Path() string { return l.path }

// Close releases the lock and empties the lock file. Closing again does
// nothing.
func (l *Lock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	// Unlocking does not wait for the close: a child between fork and exec has
	// the same open file and would keep the lock.
	err := errors.Join(f.Truncate(0), unlock(f), f.Close())
	if err != nil {
		return fmt.Errorf("release lock %s: %w", l.path, err)
	}
	return nil
}
