//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package uitest

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
