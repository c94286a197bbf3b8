//go:build unix

package place

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// MayWrite reports whether the user of this program may write a path on this machine:
// change or replace what stands there, or make it where nothing does.
func MayWrite(name string) bool {
	dir := filepath.Dir(name)
	err := unix.Access(name, unix.W_OK)
	switch {
	case err == nil:
		return true
	case !errors.Is(err, fs.ErrNotExist):
		return unix.Access(dir, unix.W_OK) == nil
	}
	return dir != name && (unix.Access(dir, unix.F_OK) == nil && unix.Access(dir, unix.W_OK) == nil ||
		unix.Access(dir, unix.F_OK) != nil && MayWrite(dir))
}
