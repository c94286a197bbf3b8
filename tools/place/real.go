package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenReal opens a regular file or directory for reading without going through
// any link: name must be resolved, and a link that stands on the way or at its end
// is refused with [ErrLink], whenever it appeared. Like Open it never blocks.
func (localFS) OpenReal(name string) (File, error) {
	if !filepath.IsAbs(name) {
		return nil, pathError("open", name, errNotAbsolute)
	}
	name = filepath.Clean(name)
	if f, err := openAtOnce(name); !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	if filepath.Dir(name) == name {
		return os.Open(name)
	}
	dir, err := enter(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for range maxReopen {
		f, again, err := openNamed(dir, filepath.Base(name), name)
		if !again {
			return f, err
		}
	}
	return nil, pathError("open", name, ErrLink)
}

// maxReopen is how often an open is repeated because the file was replaced by
// another in between.
const maxReopen = 64

// openNamed opens base of dir if what was opened is what stood there. again says
// that something else took its place in between.
func openNamed(dir *os.Root, base, name string) (_ File, again bool, _ error) {
	named, err := dir.Lstat(base)
	switch {
	case err != nil:
		return nil, false, pathError("open", name, cause(err))
	case named.Mode()&fs.ModeSymlink != 0:
		return nil, false, pathError("open", name, ErrLink)
	case !named.Mode().IsRegular() && !named.IsDir():
		return nil, false, pathError("open", name, ErrNotRegular)
	}
	if err := mayOpen(name, named); err != nil {
		return nil, false, pathError("open", name, err)
	}
	f, err := dir.OpenFile(base, openFlags, 0)
	if err != nil {
		return nil, false, pathError("open", name, cause(err))
	}
	opened, err := f.Stat()
	if err == nil && os.SameFile(named, opened) {
		return f, false, nil
	}
	return nil, err == nil, errors.Join(err, f.Close())
}
