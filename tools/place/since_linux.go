package place

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when a file or what is known of it was changed last, which no
// program can set; zero when that is not known.
func changeTime(st fs.FileInfo) time.Time {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return time.Unix(sys.Ctim.Unix())
	}
	return time.Time{}
}
