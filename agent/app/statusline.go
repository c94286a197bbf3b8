package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/agent/hooks"
)

// The bounds of the command that adds to the status row: how long it may take, and how
// many bytes are read of what it writes.
const (
	statusTime  = 2 * time.Second
	statusBytes = 4 << 10
)

// StatusLine runs the user's command for the status row in a folder, on this machine and
// with the variables that programs of the user get, and returns the first line that it
// writes, not made safe to show. told is its standard input. What it leaves running ends
// with it, after two seconds at the latest; what it writes beyond 4 KB is not read.
func (a *App) StatusLine(ctx context.Context, command, dir string, told []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	start := a.hookStart(a.place, nil)
	out, errs := &beginning{}, &beginning{}
	wait, err := start(ctx, hooks.Process{Command: command, Dir: dir, In: bytes.NewReader(told), Out: out, Errs: errs})
	if err != nil {
		return "", fmt.Errorf("the command of display.status_command could not be started: %w", err)
	}
	code, err := wait()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("the command of display.status_command took longer than %v", statusTime)
	case err != nil:
		return "", fmt.Errorf("the command of display.status_command could not be run: %w", err)
	case code != 0:
		return "", fmt.Errorf("the command of display.status_command ended with code %d: %s", code, errs.line())
	}
	return out.line(), nil
}

// beginning keeps the first bytes that are written to it, and takes all.
type beginning struct{ bytes.Buffer }

// Write implements [io.Writer].
func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), statusBytes-b.Len())])
	return len(p), nil
}

// line is the first line with something in it.
func (b *beginning) line() string {
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
