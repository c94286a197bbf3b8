//go:build unix && !linux

package screen

import (
	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/sys/unix"
)

// drop discards what was written to the terminal and not read by it.
func (t *Terminal) drop() {
	const output = 2 // FWRITE
	if f, ok := t.out.(uv.File); ok && t.console != nil {
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, output)
	}
}

// dropInput discards what the terminal has sent and no one has read: answers, reports.
func (t *Terminal) dropInput() {
	const input = 1 // FREAD
	if f, ok := t.tty.(uv.File); ok && t.console != nil {
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, input)
	}
}
