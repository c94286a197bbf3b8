package place

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameFree moves from to a name that is free.
func renameFree(from, to dirName) error {
	err := byHandles(from, to, func(a, b int) error {
		return unix.Renameat2(a, from.base, b, to.base, unix.RENAME_NOREPLACE)
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not every file system can
		return byHandles(from, to, func(a, b int) error { return unix.Renameat(a, from.base, b, to.base) })
	}
	return err
}
