package screen

import (
	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/sys/unix"
)

// drop discards what was written to the terminal and not read by it.
func (t *Terminal) drop() {
	if f, ok := t.out.(uv.File); ok && t.console != nil {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCOFLUSH)
	}
}
