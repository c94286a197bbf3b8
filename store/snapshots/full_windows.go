package snapshots

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// noSpace reports whether a write failed because nothing more fits.
func noSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED) || errors.Is(err, syscall.ENOSPC)
}
