//go:build !linux && !darwin

package code

import "errors"

// peerOf cannot tell who is at the other end of a connection on this system, so
// no one is let in.
func peerOf(int) (uid, pid int, err error) {
	return 0, 0, errors.New("this system does not say who connects")
}

func parentOf(int) (parent, session int, ok bool) { return 0, 0, false }

func seesProcesses() bool { return true }
