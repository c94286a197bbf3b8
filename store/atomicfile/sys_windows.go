package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// lockedByte is the one byte that is locked, far behind the holder's line: a
// locked range cannot be read by others.
const lockedByte = 1 // times 4 GB

// tryLock reports false when someone else holds the lock.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: lockedByte})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedByte})
}

// syncDir does nothing: Windows has no flush for directories.
func syncDir(*os.Root) error { return nil }

// makePrivate only checks that dir is a directory: Windows has no modes, access
// follows the list inherited from the parent.
func makePrivate(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: windows.ERROR_DIRECTORY}
	}
	return nil
}
