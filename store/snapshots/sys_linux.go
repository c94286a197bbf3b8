package snapshots

import (
	"io/fs"
	"syscall"
)

// system gives change time, inode and number of names, zero where they are not
// known.
func system(info fs.FileInfo) (ctime int64, inode, links uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return st.Ctim.Nano(), st.Ino, uint64(st.Nlink) //nolint:unconvert // its width depends on the machine
}
