package place

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameFree moves from to a name that is free.
func renameFree(from, to dirName) error {
	err := byHandles(from, to, func(a, b int) error {
		return unix.RenameatxNp(a, from.base, b, to.base, unix.RENAME_EXCL)
	})
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) { // not every file system can
		return byHandles(from, to, func(a, b int) error { return unix.Renameat(a, from.base, b, to.base) })
	}
	return err
}
