//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// hide has the terminal of the standard input not show what is typed, until what it gives
// is called. It is nil where that cannot be done; what comes through a pipe is not shown
// anyway.
func (s *sys) hide() func() func() {
	file, ok := s.in.(*os.File)
	if in, _ := s.terminal(); !in || !ok {
		return func() func() { return func() {} }
	}
	fd := int(file.Fd())
	if _, err := unix.IoctlGetTermios(fd, getTermios); err != nil {
		return nil
	}
	return func() func() {
		was, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return func() {}
		}
		now := *was
		now.Lflag &^= unix.ECHO
		now.Lflag |= unix.ECHONL // the end of the line is
		_ = unix.IoctlSetTermios(fd, setTermios, &now)
		return func() { _ = unix.IoctlSetTermios(fd, setTermios, was) }
	}
}
