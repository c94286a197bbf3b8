package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes a file, a link or an empty directory.
func (localFS) Remove(name string) error {
	dir, base, err := enterParent(name, "remove")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Remove(base); err != nil {
		return pathError("remove", name, cause(err))
	}
	return nil
}

// Rename moves what stands at from. Both directories are held by handles. On
// Linux and macOS the kernel sees to it that the new name is free; elsewhere, and
// on file systems that cannot, it is looked at just before, and who puts a file
// there in that instant loses it.
func (localFS) Rename(from, to string) error {
	dir, base, err := enterParent(to, "rename")
	if err != nil {
		return err
	}
	defer dir.Close()
	source, old, err := enterParent(from, "rename")
	if err != nil {
		return err
	}
	defer source.Close()
	if err := free(dir, base, "rename", to); err != nil {
		return err
	}
	if _, err := source.Lstat(old); err != nil {
		return pathError("rename", from, cause(err))
	}
	err = renameFree(dirName{source, old, from}, dirName{dir, base, to})
	switch {
	case errors.Is(err, fs.ErrExist):
		return pathError("rename", to, fs.ErrExist)
	case err != nil:
		return pathError("rename", from, cause(err))
	}
	return nil
}

// enterParent opens the directory in which name stands, without going through
// any link, and gives the last element of name.
func enterParent(name, op string) (*os.Root, string, error) {
	if !filepath.IsAbs(name) {
		return nil, "", pathError(op, name, errNotAbsolute)
	}
	name = filepath.Clean(name)
	if filepath.Dir(name) == name {
		return nil, "", pathError(op, name, errTop)
	}
	dir, err := enter(filepath.Dir(name))
	return dir, filepath.Base(name), err
}

// errTop is the cause when the top of the file system is to be changed.
var errTop = errors.New("is the top of the file system")

// dirName is a name in a directory that is held open.
type dirName struct {
	dir  *os.Root
	base string
	name string // as a whole
}

// free reports whether nothing stands under a name.
func free(dir *os.Root, base, op, name string) error {
	_, err := dir.Lstat(base)
	switch {
	case err == nil:
		return pathError(op, name, fs.ErrExist)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return pathError(op, name, cause(err))
}

// Readlink gives what a link holds.
func (localFS) Readlink(name string) (string, error) {
	if !filepath.IsAbs(name) {
		return "", pathError("readlink", name, errNotAbsolute)
	}
	return os.Readlink(name)
}

// Symlink makes a link.
func (localFS) Symlink(target, name string) error {
	dir, base, err := enterParent(name, "symlink")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Symlink(target, base); err != nil {
		return pathError("symlink", name, cause(err))
	}
	return nil
}
