//go:build linux || darwin

package place

import (
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// keepAttributes sets on a new file the extended attributes and the access list of the one that
// it replaces, as far as the user may. Those that the system itself sets stay as they are.
func keepAttributes(f *os.File, dir *os.Root, base string, old fs.FileInfo) {
	was, err := dir.OpenFile(base, openFlags, 0)
	if err != nil {
		return
	}
	defer was.Close()
	if st, err := was.Stat(); err != nil || !os.SameFile(st, old) {
		return
	}
	for _, name := range attributes(int(was.Fd())) {
		if runtime.GOOS == "linux" && !strings.HasPrefix(name, "user.") && name != "system.posix_acl_access" {
			continue
		}
		value := make([]byte, maxAttribute)
		if n, err := unix.Fgetxattr(int(was.Fd()), name, value); err == nil {
			_ = unix.Fsetxattr(int(f.Fd()), name, value[:n], 0) // not every file system can
		}
	}
}

// maxAttribute bounds an attribute, and the list of their names, in bytes.
const maxAttribute = 64 << 10

// attributes are the names of the extended attributes of a file.
func attributes(fd int) []string {
	list := make([]byte, maxAttribute)
	n, err := unix.Flistxattr(fd, list)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(list[:n]), func(r rune) bool { return r == 0 })
}
