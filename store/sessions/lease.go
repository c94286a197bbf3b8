package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// Lease is the right to add to a conversation. One process has it at a time; it
// ends with [Lease.Release] or, by the kernel, with the process.
type Lease struct{ lock *atomicfile.Lock }

// HeldError says that a conversation is open elsewhere, in another process or in
// this one.
type HeldError struct {
	Conv string
	// PID, Host and Since tell by whom; they are zero when the holder could not
	// say, as in the moment it takes the lease.
	PID   int
	Host  string
	Since time.Time // in whole seconds
}

// Error is one sentence with the next step.
func (e *HeldError) Error() string {
	by := "another process"
	if e.PID != 0 {
		by = fmt.Sprintf("process %d on %s since %s", e.PID, e.Host, e.Since.Local().Format("2 Jan 15:04"))
	}
	return fmt.Sprintf("the session %s is open in %s: close it there, or start another one here", e.Conv, by)
}

// Acquire takes the lease of a conversation, without waiting. The lease is a
// lock on the file "<conv>.lock" in dir, which is made with mode 0700 when it is
// missing; the file names its holder and stays behind, empty, after the release.
// A lease that is held is a [*HeldError].
func Acquire(ctx context.Context, dir, conv string) (*Lease, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("take lease: %w", ended(ctx))
	}
	if !fileName(conv) {
		return nil, fmt.Errorf("take lease: %q can't be the name of a file", conv)
	}
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return nil, fmt.Errorf("take lease: %w", err)
	}
	lock, err := atomicfile.TryAcquire(filepath.Join(dir, conv+".lock"))
	var held *atomicfile.HeldError
	switch {
	case errors.As(err, &held):
		return nil, &HeldError{Conv: conv, PID: held.Holder.PID, Host: held.Holder.Host, Since: held.Holder.Started}
	case err != nil:
		return nil, fmt.Errorf("take lease: %w", err)
	}
	return &Lease{lock: lock}, nil
}

// Release gives the lease back. Releasing again does nothing.
func (l *Lease) Release() error {
	if err := l.lock.Close(); err != nil {
		return fmt.Errorf("give lease back: %w", err)
	}
	return nil
}

// fileName reports whether an id can be a file's name as it is.
func fileName(id string) bool {
	const others = "0123456789_-."
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(others, r)
	}
	return id != "" && len(id) <= 128 && id[0] != '.' && !strings.ContainsFunc(id, odd)
}
