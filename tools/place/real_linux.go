package place

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openAtOnce is [localFS.OpenReal] in one call of the kernel: [errors.ErrUnsupported]
// where that has none.
func openAtOnce(name string) (File, error) {
	st, err := os.Lstat(name) // opening a device alone may already do something
	if err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		err = pathError("open", name, ErrNotRegular)
		if st.Mode()&os.ModeSymlink != 0 {
			err = pathError("open", name, ErrLink)
		}
	}
	if err == nil {
		if err = mayOpen(name, st); err != nil {
			err = pathError("open", name, err)
		}
	}
	if err != nil {
		return nil, err
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{Flags: uint64(openFlags) | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, pathError("open", name, ErrLink)
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // a filter of system calls may not know it
		return nil, errors.ErrUnsupported
	case err != nil:
		return nil, pathError("open", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		err = pathError("open", name, ErrNotRegular)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
