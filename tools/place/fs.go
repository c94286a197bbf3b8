package place

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotRegular is the cause when a name is a pipe, socket or device where a
// file is wanted.
var ErrNotRegular = errors.New("not a regular file")

// ErrLink is the cause when a link stands where a real file or directory is
// wanted.
var ErrLink = errors.New("is a link")

// errNotAbsolute is the cause when a relative name is given.
var errNotAbsolute = errors.New("not an absolute path")

// errTooManyLinks is the cause when links do not come to an end.
var errTooManyLinks = errors.New("too many links")

// localFS is the file system of this machine.
type localFS struct{ rand io.Reader }

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Open opens a file or directory for reading. What it is is looked at before
// and after, since opening a device alone may already do something.
func (localFS) Open(name string) (File, error) {
	if !filepath.IsAbs(name) {
		return nil, pathError("open", name, errNotAbsolute)
	}
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() && !st.IsDir() {
		return nil, pathError("open", name, ErrNotRegular)
	}
	if err := mayOpen(name, st); err != nil {
		return nil, pathError("open", name, err)
	}
	f, err := os.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	st, err = f.Stat()
	if err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		err = pathError("open", name, ErrNotRegular)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Stat describes what name leads to.
func (localFS) Stat(name string) (fs.FileInfo, error) {
	if !filepath.IsAbs(name) {
		return nil, pathError("stat", name, errNotAbsolute)
	}
	return os.Stat(name)
}

// Lstat describes name itself, a link included.
func (localFS) Lstat(name string) (fs.FileInfo, error) {
	if !filepath.IsAbs(name) {
		return nil, pathError("lstat", name, errNotAbsolute)
	}
	return os.Lstat(name)
}

// ReadDir lists a directory, sorted by name.
func (localFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if !filepath.IsAbs(name) {
		return nil, pathError("readdir", name, errNotAbsolute)
	}
	return os.ReadDir(name)
}

// maxLinks is how many links one name may go through, as in Linux.
const maxLinks = 40

// Resolve walks the name element by element. A link that leads nowhere is
// followed as well: the result is where a file created through it would be.
func (localFS) Resolve(name string) (string, error) { return resolve(name, linkTarget) }

func resolve(name string, linkTarget func(name string) (string, error)) (string, error) {
	if !filepath.IsAbs(name) {
		return "", pathError("resolve", name, errNotAbsolute)
	}
	root := filepath.VolumeName(name) + string(filepath.Separator)
	todo := elements(name[len(root)-1:])
	done, links := root, 0
	for len(todo) > 0 {
		elem := todo[0]
		todo = todo[1:]
		if elem == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, elem)
		target, err := linkTarget(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			done = next // a later ".." may lead back to what exists
		case err != nil:
			return "", err
		case target == "":
			done = next
		case links == maxLinks:
			return "", pathError("resolve", name, errTooManyLinks)
		default:
			links++
			if filepath.IsAbs(target) {
				done = filepath.VolumeName(target) + string(filepath.Separator)
				target = target[len(done)-1:]
			}
			todo = append(elements(target), todo...)
		}
	}
	return done, nil
}

// linkTarget reads the link at name; it is empty for anything but a link.
func linkTarget(name string) (string, error) {
	st, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if st.Mode()&fs.ModeSymlink == 0 {
		return "", nil
	}
	return os.Readlink(name)
}

// elements splits a path, without empty and "." elements.
func elements(name string) []string {
	parts := strings.Split(filepath.ToSlash(name), "/")
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "." })
}
