package modelcache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hermes-tui/store/atomicfile"
)

// file is a file whose contents are kept in memory as a T until it changes. The owner
// holds a lock of its own around load; change needs none.
type file[T any] struct {
	path string
	// most is the size in bytes up to which it is read.
	most int64
	// patience is how long another instance may hold the lock.
	patience time.Duration
	// shared is true if other programs write the file as well.
	shared bool
	// parse reads the contents. An error is a file that is damaged; the value counts
	// all the same.
	parse func([]byte) (T, error)

	// info is the file that value was read from, nil for none.
	info  os.FileInfo
	value T
}

// load returns the contents of the file: the empty value for one that is missing, damaged or
// cannot be read.
func (f *file[T]) load() T {
	info, err := os.Stat(f.path)
	if err == nil && atomicfile.Unchanged(f.info, info) {
		return f.value
	}
	var data []byte
	f.info = nil
	if err == nil {
		data, f.info, err = atomicfile.Read(f.path, f.most)
	}
	if err != nil {
		data = nil
	}
	f.value, _ = f.parse(data)
	return f.value
}

// change replaces the file by what edit makes of its contents; nil leaves it alone. A
// file that is damaged is copied aside first, and edited as an empty one, and so is one
// of this program alone that is too large. All of it happens under a lock between
// processes.
func (f *file[T]) change(ctx context.Context, edit func([]byte) ([]byte, error)) error {
	dir := filepath.Dir(f.path)
	if _, err := os.Stat(dir); isMissing(err) {
		if err := atomicfile.MkdirPrivate(dir); err != nil {
			return failed(f.path, err)
		}
	}
	waiting, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	lock, err := atomicfile.Acquire(waiting, f.path+".lock")
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("remember what a model can do: %w", context.Cause(ctx))
	case err != nil:
		return failed(f.path, err)
	}
	err = f.replace(edit)
	if closed := lock.Close(); err == nil && closed != nil {
		err = failed(f.path, closed)
	}
	return err
}

func (f *file[T]) replace(edit func([]byte) ([]byte, error)) error {
	data, _, err := atomicfile.Read(f.path, f.most)
	switch {
	case isMissing(err):
		data = nil
	case isTooLarge(err) && !f.shared:
		data = nil
	case err != nil:
		return failed(f.path, err)
	default:
		if _, bad := f.parse(data); bad != nil {
			if err := write(f.path+".corrupt", data); err != nil {
				return failed(f.path, err)
			}
			data = nil
		}
	}
	out, err := edit(data)
	if err != nil || out == nil {
		return err
	}
	if err := write(f.path, out); err != nil {
		return failed(f.path, err)
	}
	return nil
}

// write replaces a file.
func write(path string, data []byte) error { return atomicfile.Put(path, data, 0o600) }
