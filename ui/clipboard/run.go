package clipboard

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// lingering is how long output is waited for when a tool has ended and something
// that it started still holds the pipe.
const lingering = 300 * time.Millisecond

// The most that a tool may write, an image as hexadecimal digits, and the most that
// is looked at of what it complains about.
const (
	maxOutput = 2*MaxBytes + 64
	maxSaid   = 4 << 10
)

// run gives what a tool writes.
func run(ctx context.Context, program string, args []string) ([]byte, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, &Error{NoTool, []string{program}}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out, said := &bounded{limit: maxOutput, full: stop}, &bounded{limit: maxSaid, full: func() {}}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, said, lingering
	err = cmd.Run()
	switch {
	case out.over:
		return nil, &Error{TooLarge, []string{program}}
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return out.buf.Bytes(), nil
	case ctx.Err() != nil, !errors.As(err, new(*exec.ExitError)):
		return nil, &Error{Failed, []string{program}}
	case unreachable(said.buf.Bytes()):
		return nil, &Error{Kind: Unreachable}
	}
	return nil, &Error{Kind: NoImage} // tools say so by their status
}

// unreachable reports whether a tool complains that there is no display to ask.
func unreachable(said []byte) bool {
	for _, words := range []string{"open display", "connect to a Wayland", "WAYLAND_DISPLAY"} {
		if bytes.Contains(said, []byte(words)) {
			return true
		}
	}
	return false
}

// bounded takes output up to a limit, and calls full when there is more.
type bounded struct {
	buf   bytes.Buffer
	limit int
	over  bool
	full  func()
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.limit {
		b.over = true
		b.full()
		return len(p), nil
	}
	return b.buf.Write(p)
}
