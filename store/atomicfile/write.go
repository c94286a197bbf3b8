package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUnsynced says that a file was replaced, but that the directory could not
// be flushed: the new contents are in place and may be undone by a power loss.
var ErrUnsynced = errors.New("replaced, but the directory could not be flushed to disk")

// Write replaces the file name by data, or makes it. The permission bits of
// mode are set exactly, other bits are ignored. A link at name is replaced, not
// followed. The directory must exist and be readable.
//
// The data goes to a temporary file in the same directory (unpredictable name
// beginning with ".tmp-", readable by its owner only), is flushed, and takes
// the name by a rename. After any error but [ErrUnsynced] the old file is
// untouched and the temporary file is gone. A process killed in between leaves
// the temporary file behind.
//
// Concurrent writers of one name do not mix: the last rename stands.
func Write(name string, data []byte, mode fs.FileMode) error {
	if err := write(name, data, mode.Perm()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func write(name string, data []byte, mode fs.FileMode) (err error) {
	dir, base := filepath.Split(name)
	if base == "" || base == "." || base == ".." {
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrInvalid}
	}
	if dir == "" {
		dir = "."
	}
	// One handle for all steps: the directory cannot be swapped in between.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()

	temp := ".tmp-" + rand.Text()
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := fill(f, data, mode); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	if err := root.Rename(temp, base); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	if err := syncDir(root); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsynced, err)
	}
	return nil
}

// fill writes and closes a file. The mode is set last, so that no one reads a
// file that is not complete.
func fill(f *os.File, data []byte, mode fs.FileMode) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	return errors.Join(err, f.Close())
}
