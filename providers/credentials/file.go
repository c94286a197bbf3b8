package credentials

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hermes-tui/store/atomicfile"
)

// fileMode is that of every file with secrets.
const fileMode = 0o600

// file is where a document is kept. Without a path it is kept in memory.
type file struct {
	path string
	mu   sync.Mutex // guards data
	data []byte
	turn chan struct{} // the lock of a file in memory
}

func newFile(path string) *file { return &file{path: path, turn: make(chan struct{}, 1)} }

// read returns the document; a file that does not exist is an empty one. Its errors
// are of type [*FileError].
func (f *file) read() (*document, error) {
	data, err := f.bytes()
	if errors.Is(err, fs.ErrNotExist) {
		return emptyDocument(f.path), nil
	}
	if err != nil {
		return nil, &FileError{File: f.path, Problem: ProblemRead, Detail: cause(err), Err: err}
	}
	return parseDocument(f.path, data)
}

func (f *file) bytes() ([]byte, error) {
	if f.path == "" {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.data == nil {
			return nil, fs.ErrNotExist
		}
		return f.data, nil
	}
	data, _, err := atomicfile.Read(f.path, longestFile)
	return data, err
}

// write replaces the document. Its lock must be held.
func (f *file) write(d *document, now time.Time) error {
	data, err := d.encode(now)
	if err == nil && len(data) > longestFile {
		err = fmt.Errorf("it would become larger than %d MB", longestFile>>20)
	}
	if err == nil {
		err = f.replace(data)
	}
	if errors.Is(err, atomicfile.ErrUnsynced) {
		return nil // in place, as far as a program can see to it
	}
	if err != nil {
		return &FileError{File: f.path, Problem: ProblemWrite, Detail: cause(err), Err: err}
	}
	return nil
}

func (f *file) replace(data []byte) error {
	if f.path == "" {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.data = data
		return nil
	}
	return atomicfile.Write(resolved(f.path), data, fileMode)
}

// resolved follows links, so that a file that is linked in stays linked in.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// lockPath returns the lock of a file: auth.lock for auth.json.
func lockPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".lock"
}

// locks are those held for files, each once.
type locks struct {
	held    map[string]bool
	release []func() error
}

// lock takes the lock of a file and, if it is linked in, the one of where it is.
func (l *locks) lock(ctx context.Context, f *file) error {
	if f.path == "" {
		select {
		case f.turn <- struct{}{}:
			l.release = append(l.release, func() error { <-f.turn; return nil })
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for _, p := range []string{f.path, resolved(f.path)} {
		path := filepath.Join(resolved(filepath.Dir(p)), filepath.Base(lockPath(p)))
		if l.held[path] {
			continue
		}
		held, err := atomicfile.Acquire(ctx, path)
		if err != nil {
			return &FileError{File: f.path, Problem: ProblemWrite, Detail: cause(err), Err: err}
		}
		if l.held == nil {
			l.held = map[string]bool{}
		}
		l.held[path] = true
		l.release = append(l.release, held.Close)
	}
	return nil
}

// unlock releases the locks, the last first.
func (l *locks) unlock() error {
	var errs []error
	for i := len(l.release) - 1; i >= 0; i-- {
		errs = append(errs, l.release[i]())
	}
	l.release, l.held = nil, nil
	return errors.Join(errs...)
}

// cause returns the part of an error that is of use to a user.
func cause(err error) string {
	if held, ok := errors.AsType[*atomicfile.HeldError](err); ok {
		return held.Error()
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err.Error()
	}
	return err.Error()
}
