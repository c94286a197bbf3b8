package place

import (
	"io/fs"
	"path/filepath"
)

// FS reads like this machine's, and changes only what lies in the roots and the
// scratch directory: anything else is refused with [ErrConfined].
func (s *Sandbox) FS() FS { return sandboxFS{s.fs(), s} }

type sandboxFS struct {
	guardedFS
	s *Sandbox
}

// allow refuses a change of what stands at name when it is not inside a writable
// directory, as it is written and with the links of its directory followed. The
// change itself goes through no link, so a link that appears later leads nowhere.
func (f sandboxFS) allow(op, name string) error {
	if !filepath.IsAbs(name) {
		return pathError(op, name, errNotAbsolute)
	}
	name = filepath.Clean(name)
	dir, err := f.Resolve(filepath.Dir(name))
	if err != nil {
		return err
	}
	if f.s.root(filepath.Dir(f.temp.file(filepath.Join(dir, filepath.Base(name))))) == "" {
		return pathError(op, name, ErrConfined)
	}
	if f.s.root(filepath.Dir(f.temp.file(name))) == "" { // a link to the inside is still a link
		return pathError(op, name, ErrLink)
	}
	return nil
}

// WriteAtomic replaces a file in a writable directory.
func (f sandboxFS) WriteAtomic(name string, data []byte, mode fs.FileMode) error {
	if err := f.allow("write", name); err != nil {
		return err
	}
	return f.guardedFS.WriteAtomic(name, data, mode)
}

// MkdirAll makes a directory in a writable one.
func (f sandboxFS) MkdirAll(name string, mode fs.FileMode) ([]string, error) {
	if st, err := f.Lstat(name); err == nil && st.IsDir() {
		return nil, nil // there is nothing to make
	}
	if err := f.allow("mkdir", name); err != nil {
		return nil, err
	}
	return f.guardedFS.MkdirAll(name, mode)
}

// Remove deletes what stands in a writable directory.
func (f sandboxFS) Remove(name string) error {
	if err := f.allow("remove", name); err != nil {
		return err
	}
	return f.localFS.Remove(name)
}

// Rename moves from one writable directory to another.
func (f sandboxFS) Rename(from, to string) error {
	if err := f.allow("rename", from); err != nil {
		return err
	}
	if err := f.allow("rename", to); err != nil {
		return err
	}
	return f.guardedFS.Rename(from, to)
}

// Symlink makes a link in a writable directory. It may hold anything: who follows
// it is held to the same limits.
func (f sandboxFS) Symlink(target, name string) error {
	if err := f.allow("symlink", name); err != nil {
		return err
	}
	return f.guardedFS.Symlink(target, name)
}
