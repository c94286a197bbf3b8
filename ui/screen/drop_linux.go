package screen

import (
	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/sys/unix"
)

// drop discards what was written to the terminal and not read by it.
func (t *Terminal) drop() {
	if f, ok := t.out.(uv.File); ok && t.console != nil {
		fd := int(f.Fd())
		_ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCOFLUSH)
		// Who waits to write is not woken by that on a pseudo terminal, but when output
		// goes on after it was stopped.
		_ = unix.IoctlSetInt(fd, unix.TCXONC, unix.TCOOFF)
		_ = unix.IoctlSetInt(fd, unix.TCXONC, unix.TCOON)
	}
}

// dropInput discards what the terminal has sent and no one has read: answers, reports.
func (t *Terminal) dropInput() {
	if f, ok := t.tty.(uv.File); ok && t.console != nil {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
