package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotOwned says that a directory that should be private belongs to another
// user, or is shared on purpose (sticky, like /tmp).
var ErrNotOwned = errors.New("the directory belongs to another user or is shared")

// MkdirPrivate makes dir and its missing parents with mode 0700, whatever the
// umask is. When dir exists, its mode is repaired to 0700, but only if the
// running user owns it; otherwise the error wraps [ErrNotOwned]. Root may also
// use a directory whose owner owns the parent directory as well, as in a volume
// that is mounted into a container. A link to a directory is followed. Parents
// that exist are left as they are.
func MkdirPrivate(dir string) error {
	if err := mkdirAll(filepath.Clean(dir)); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	if err := makePrivate(dir); err != nil {
		return fmt.Errorf("make directory private: %w", err)
	}
	return nil
}

// mkdirAll is os.MkdirAll with mode 0700 that the umask does not change.
func mkdirAll(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := mkdirAll(parent); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil // someone else was faster, or it is a dangling link
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}
