//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// openLock opens a lock file. A link is refused, a pipe does not block.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "lock", Path: path, Err: errors.New("not a regular file")}
	}
	if err == nil && info.Mode().Perm() != 0o600 && ownedBy(info, os.Geteuid()) {
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// tryLock reports false when someone else holds the lock.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = conn.Control(func(fd uintptr) {
		for {
			if locked = unix.Flock(int(fd), how); !errors.Is(locked, unix.EINTR) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return locked
}

// syncDir flushes a directory, so that a rename in it survives a power loss.
// File systems that cannot flush a directory say EINVAL or ENOTSUP.
func syncDir(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// makePrivate checks the owner of a directory and repairs its mode.
func makePrivate(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: unix.ENOTDIR}
	}
	if info.Mode()&fs.ModeSticky != 0 || !mayOwn(info, dir) {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: ErrNotOwned}
	}
	if info.Mode().Perm() == 0o700 {
		return nil
	}
	return chmodSame(dir, info)
}

// chmodSame sets the mode of the very directory that was checked, even when the
// name was given to another one since.
func chmodSame(dir string, checked fs.FileInfo) error {
	if checked.Mode().Perm()&0o400 == 0 {
		// A directory of ours that we cannot even open: only its name is left.
		return os.Chmod(dir, 0o700)
	}
	d, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	info, err := d.Stat()
	switch {
	case err != nil:
	case !os.SameFile(info, checked):
		err = &fs.PathError{Op: "chmod", Path: dir, Err: ErrNotOwned}
	default:
		err = d.Chmod(0o700)
	}
	return errors.Join(err, d.Close())
}

// mayOwn reports whether a directory is the running user's. For root it is also
// one whose owner could replace it anyway, as the owner of its parent.
func mayOwn(info fs.FileInfo, dir string) bool {
	if ownedBy(info, os.Geteuid()) {
		return true
	}
	if os.Geteuid() != 0 {
		return false
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	parent, err := os.Stat(filepath.Dir(resolved))
	if err != nil {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && ownedBy(parent, int(owner.Uid))
}

func ownedBy(info fs.FileInfo, uid int) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(st.Uid) == int64(uid)
}
