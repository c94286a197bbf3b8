package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// ErrNotRegular says that a name is that of a folder, a pipe or a device.
var ErrNotRegular = errors.New("it is no regular file")

// LargeError says that a file is larger than what is read of it.
type LargeError struct{ Limit int64 }

// Error implements error.
func (e *LargeError) Error() string {
	if e.Limit < 1<<20 {
		return fmt.Sprintf("it is larger than %d KB", e.Limit>>10)
	}
	return fmt.Sprintf("it is larger than %d MB", e.Limit>>20)
}

// Read reads a regular file of at most limit bytes. Another kind of file, which could block
// or never end, is [ErrNotRegular] and is not opened; of a larger one the beginning is
// returned with a [*LargeError]. info is that of the file that was read.
func Read(name string, limit int64) (data []byte, info fs.FileInfo, err error) {
	if info, err = os.Stat(name); err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	data, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return data[:limit], info, &LargeError{limit}
	}
	return data, info, err
}

// Unchanged reports whether a file is the one that was read before; nil is no file.
func Unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// Put is [Write] where it does not matter that the directory could not be flushed: the new
// contents are in place.
func Put(name string, data []byte, mode fs.FileMode) error {
	if err := Write(name, data, mode); !errors.Is(err, ErrUnsynced) {
		return err
	}
	return nil
}

// Append adds whole lines to a file, which is made (mode 0600) when it is missing, and
// flushes it to the disk. What another program left
// half written stays a line of its own; after an error the file is as it was.
func Append(name string, lines []byte) (err error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("append to %s: %w", name, ErrNotRegular)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if end > 0 {
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		lines = slices.Concat([]byte{'\n'}, lines)
	}
	if _, err = f.WriteAt(lines, end); err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(end))
	}
	return err
}
