package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// halfway begins the names of files that [Create] writes.
const halfway = ".tmp-new-"

// Create makes a file that is not there yet, for its owner alone, out of what fill writes.
// It has its name only when all of it is written: what fails leaves nothing, and a process
// that is killed leaves a temporary file beside it, which the next Create there takes away
// once it is a day old. A name that is taken is [fs.ErrExist].
func Create(name string, fill func(io.Writer) error) (err error) {
	if _, err := os.Lstat(name); err == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	dir := filepath.Dir(name)
	sweepHalfway(dir)
	temp := filepath.Join(dir, halfway+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(f), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	err = os.Link(temp, name) // which takes no other's place
	if err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, os.Remove(temp))
	}
	if err = os.Rename(temp, name); err != nil { // a file system without links
		return errors.Join(fmt.Errorf("create %s: %w", name, err), os.Remove(temp))
	}
	return nil
}

// sweepHalfway takes away what processes that were killed have left in a folder.
func sweepHalfway(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), halfway) && info.Mode().IsRegular() && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
