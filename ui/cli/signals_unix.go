//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// heedSizeLimit makes a write over the file size limit an error and not the end
// of the program. Unlike one that is ignored, a signal that is caught is what it
// was for what the program starts.
func heedSizeLimit() { signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ) }

// heedPipes makes a write for a reader that is gone an error and not the end of
// the program, so that what it runs is ended first.
func heedPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// closed reports whether the program was started without a standard output. The
// runtime opens /dev/null for reading and writing in its place, which those who
// throw an output away open for writing only.
func closed() bool {
	var out, null unix.Stat_t
	if unix.Fstat(unix.Stdout, &out) != nil {
		return true
	}
	if unix.Stat(os.DevNull, &null) != nil || out.Mode&unix.S_IFMT != unix.S_IFCHR || out.Rdev != null.Rdev {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(unix.Stdout), unix.F_GETFL, 0)
	return err == nil && flags&(unix.O_ACCMODE|unix.O_CLOEXEC) == unix.O_RDWR
}

// inFront reports whether the program may ask the terminal: one in the background is
// stopped when it does.
func inFront(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
