//go:build unix

package place

import (
	"io/fs"
	"os"
	"syscall"
)

func homeVariable() string { return "HOME" }

func defaultTemp(environ) string { return "/tmp" }

func shellNames() []string { return []string{"bash", "sh"} }

func executable(st fs.FileInfo) bool {
	return st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}

// openFlags keep an open from waiting for the other end of a pipe and from
// taking a terminal over.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// ownedByUser reports whether a file belongs to the user.
func ownedByUser(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}

// keepOwner gives a new file the owner of the one it replaces, as far as the
// user may.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	st, err := f.Stat()
	if err != nil {
		return
	}
	now, ok := st.Sys().(*syscall.Stat_t)
	if !ok || was.Uid == now.Uid && was.Gid == now.Gid {
		return
	}
	if f.Chown(int(was.Uid), int(was.Gid)) != nil {
		_ = f.Chown(-1, int(was.Gid)) // the group alone is better than nothing
	}
}

// linked reports whether a file may have other names.
func linked(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || sys.Nlink > 1
}
