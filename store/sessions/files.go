package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// locate makes a path absolute, follows links and says whether a file is there.
// Anything but a regular file is refused.
func locate(path string) (full string, exists bool, err error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return path, false, fmt.Errorf("%q is not a file name", path)
	}
	if path, err = filepath.Abs(path); err != nil {
		return path, false, err
	}
	full, err = filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, false, nil
	case err != nil:
		return path, false, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return full, false, err
	}
	if !info.Mode().IsRegular() {
		return full, false, &Error{Kind: KindNotDatabase, Path: full, Err: fmt.Errorf("not a regular file: %s", info.Mode().Type())}
	}
	return full, true, nil
}

// createEmpty makes an empty database file with mode 0600. That someone else
// made it meanwhile is no error.
func createEmpty(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// companions are the database and the files SQLite keeps beside it.
func companions(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}

// makePrivate takes the rights of everyone but the owner from the database and
// its companions, by name: opening and closing them would drop the locks of this
// process. Files of another owner are left as they are.
func makePrivate(path string) {
	for _, name := range companions(path) {
		info, err := os.Lstat(name)
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			_ = os.Chmod(name, 0o600)
		}
	}
}

// probeSize is how many bytes must fit for the disk not to count as full.
const probeSize = 256 << 10

// outOfSpace reports whether a file beside the database can't grow, for want of
// space or by a quota or limit of the process.
func outOfSpace(path string) bool {
	if sizeLimited(path) {
		return true
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".space-*")
	if err != nil {
		return isNoSpace(err)
	}
	_, err = f.Write(make([]byte, probeSize))
	err = errors.Join(err, f.Close())
	return isNoSpace(errors.Join(err, os.Remove(f.Name())))
}

// hasLog reports whether there is a log with something in it beside the database.
func hasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}
