//go:build unix

package approval

import (
	"io/fs"
	"syscall"
)

// linkCount is how many names a file has; 1 when that is not known.
func linkCount(st fs.FileInfo) uint64 {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return uint64(sys.Nlink) //nolint:unconvert // its type differs between systems
	}
	return 1
}
