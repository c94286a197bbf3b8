//go:build unix

package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// readable reports whether the database can be read.
func readable(path string) bool { return !errors.Is(unix.Access(path, unix.R_OK), fs.ErrPermission) }

// writable reports whether the database and its folder, where SQLite keeps its log,
// can be written.
func writable(path string) bool {
	if err := unix.Access(path, unix.W_OK); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return unix.Access(filepath.Dir(path), unix.W_OK|unix.X_OK) == nil
}

// isNoSpace reports whether an error of a write means that nothing more fits.
func isNoSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}

// sizeLimited reports whether the database or its log is about as large as the
// process may make a file.
func sizeLimited(path string) bool {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil {
		return false
	}
	for _, name := range companions(path) {
		info, err := os.Stat(name)
		if err == nil && uint64(info.Size())+probeSize > limit.Cur {
			return true
		}
	}
	return false
}
