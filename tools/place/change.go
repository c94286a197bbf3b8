package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes a file, a link or an empty directory.
func (localFS) Remove(name string) error {
	dir, err := enter(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Remove(filepath.Base(name)); err != nil {
		return pathError("remove", name, cause(err))
	}
	return nil
}

// Rename moves what stands at from. The new name is looked at just before: who
// puts a file there in that instant loses it.
func (localFS) Rename(from, to string) error {
	dir, err := enter(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := free(dir, filepath.Base(to), "rename", to); err != nil {
		return err
	}
	source, err := enter(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer source.Close()
	if _, err := source.Lstat(filepath.Base(from)); err != nil {
		return pathError("rename", from, cause(err))
	}
	if err := os.Rename(from, to); err != nil {
		return pathError("rename", from, cause(err))
	}
	return nil
}

// free tells whether nothing stands under a name.
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
	dir, err := enter(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Symlink(target, filepath.Base(name)); err != nil {
		return pathError("symlink", name, cause(err))
	}
	return nil
}
