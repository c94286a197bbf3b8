//go:build windows

package sessions

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// readable reports whether the database can be read. Windows says so only when the
// file is opened, which SQLite does.
func readable(string) bool { return true }

// writable reports whether the database can be written. A read-only folder does
// not keep Windows from making files in it.
func writable(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().Perm()&0o200 != 0
}

// isNoSpace reports whether an error of a write means that nothing more fits.
func isNoSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED) || errors.Is(err, syscall.ENOSPC)
}

// sizeLimited is always false: Windows has no limit on the size of a file that a
// process writes.
func sizeLimited(string) bool { return false }
