package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteAtomic writes a temporary file beside name and renames it. The directory
// is entered element by element through handles, so a link swapped in meanwhile
// is refused instead of followed. The file gets exactly mode, and the owner of
// the file it replaces, with its access list and extended attributes, where the
// user may do that. Other names of the old file (hard links) keep the old data:
// they may lie where nothing is to be changed. The data is on the disk when it
// returns.
func (l localFS) WriteAtomic(name string, data []byte, mode fs.FileMode) error {
	dir, err := enter(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	base := filepath.Base(name)
	old, err := replaceable(dir, base, name)
	if err != nil {
		return err
	}
	temp, err := l.writeTemp(dir, base, data, mode, old)
	if err != nil {
		return pathError("write", name, cause(err))
	}
	if _, err = replaceable(dir, base, name); err == nil {
		if err = dir.Rename(temp, base); err != nil {
			err = pathError("write", name, cause(err))
		}
	}
	if err != nil {
		return errors.Join(err, dir.Remove(temp))
	}
	if d, err := dir.Open("."); err == nil { // the new name must last as well
		_ = d.Sync() // not every file system can
		_ = d.Close()
	}
	return nil
}

// replaceable reports whether base may be replaced, and describes what is there
// now; nil when nothing is.
func replaceable(dir *os.Root, base, name string) (fs.FileInfo, error) {
	st, err := dir.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, pathError("write", name, cause(err))
	case st.Mode()&fs.ModeSymlink != 0:
		return nil, pathError("write", name, ErrLink)
	case !st.Mode().IsRegular():
		return nil, pathError("write", name, ErrNotRegular)
	}
	return st, nil
}

// writeTemp writes data to a new file with an unguessable name and returns the
// name. Nothing is left behind on an error.
func (l localFS) writeTemp(dir *os.Root, base string, data []byte, mode fs.FileMode, old fs.FileInfo) (string, error) {
	random, err := randomName(l.rand)
	if err != nil {
		return "", err
	}
	temp := ".hermes-" + random + ".tmp"
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		if old != nil {
			keepOwner(f, old)
			keepAttributes(f, dir, base, old)
		}
		err = f.Chmod(mode) // after the owner, whose change drops setuid
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, dir.Remove(temp))
	}
	return temp, nil
}

// MkdirAll makes a directory and its missing parents, with mode less the umask,
// and returns those it made, outermost first. A link on the way is refused.
func (localFS) MkdirAll(name string, mode fs.FileMode) ([]string, error) {
	if !filepath.IsAbs(name) {
		return nil, pathError("mkdir", name, errNotAbsolute)
	}
	var missing []string
	at := filepath.Clean(name)
	for {
		if _, err := os.Lstat(at); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, at)
		at = filepath.Dir(at)
	}
	dir, err := enter(at)
	if err != nil {
		return nil, err
	}
	var made []string
	for i := len(missing) - 1; i >= 0; i-- {
		base := filepath.Base(missing[i])
		err := dir.Mkdir(base, mode)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return made, errors.Join(pathError("mkdir", missing[i], cause(err)), dir.Close())
		}
		if err == nil {
			made = append(made, missing[i])
		}
		next, err := step(dir, base, missing[i])
		if err = errors.Join(err, dir.Close()); err != nil {
			return made, err
		}
		dir = next
	}
	return made, dir.Close()
}

// enter opens a directory without going through any link. A directory that the
// user may pass but not read, as a shared /home often is, cannot be held by a
// handle; what lies below it is opened by its whole name and compared.
func enter(name string) (*os.Root, error) {
	if !filepath.IsAbs(name) {
		return nil, pathError("open", name, errNotAbsolute)
	}
	name = filepath.Clean(name)
	at := filepath.VolumeName(name) + string(filepath.Separator)
	dir, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	for _, elem := range elements(name[len(at)-1:]) {
		at = filepath.Join(at, elem)
		var next *os.Root
		if dir != nil {
			next, err = step(dir, elem, at)
			err = errors.Join(err, dir.Close())
		} else {
			next, err = direct(at)
		}
		if err != nil && (at == name || !errors.Is(err, fs.ErrPermission)) {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// direct opens the directory at by its whole name.
func direct(at string) (*os.Root, error) {
	named, err := os.Lstat(at)
	if err != nil {
		return nil, err
	}
	next, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	return same(next, named, at)
}

// step opens the directory elem of dir, whose whole path is at. What was opened
// must be what stands there under that name: a link is refused, whenever it
// appeared.
func step(dir *os.Root, elem, at string) (*os.Root, error) {
	named, err := dir.Lstat(elem)
	if err != nil {
		return nil, pathError("open", at, cause(err))
	}
	if named.Mode()&fs.ModeSymlink != 0 {
		return nil, pathError("open", at, ErrLink)
	}
	next, err := dir.OpenRoot(elem)
	if err != nil {
		return nil, pathError("open", at, cause(err))
	}
	return same(next, named, at)
}

// same returns next if it is the directory that named describes.
func same(next *os.Root, named fs.FileInfo, at string) (*os.Root, error) {
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(named, opened) {
		err = pathError("open", at, ErrLink)
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// cause takes the operation and the shortened name off an error.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
