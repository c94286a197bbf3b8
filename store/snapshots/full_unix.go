//go:build unix

package snapshots

import (
	"errors"

	"golang.org/x/sys/unix"
)

// noSpace reports whether a write failed because nothing more fits.
func noSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}
