//go:build unix && !linux

package place

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
