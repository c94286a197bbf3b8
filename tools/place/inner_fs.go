package place

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// innerTemp says where the temporary files of confined processes are, which find them under
// the names of the common folder. Of a name that they have not taken themselves, that folder
// holds for them what it holds for all.
type innerTemp struct {
	at, base string
	except   []string // folders in at that are the same for all
}

// file is where something is that confined processes know by a name whose links are followed.
func (t innerTemp) file(name string) string {
	rel, ok := strings.CutPrefix(name, t.at+"/")
	if t.at == "" || !ok || slices.ContainsFunc(t.except, func(dir string) bool { return within(name, dir) }) {
		return name
	}
	first, _, _ := strings.Cut(rel, "/")
	if st, err := os.Lstat(filepath.Join(t.base, first)); err != nil || t.shown(st) {
		return name
	}
	return filepath.Join(t.base, rel)
}

// shown reports whether something only stands where what is common is shown.
func (t innerTemp) shown(st fs.FileInfo) bool {
	return st.Mode()&(fs.ModePerm|fs.ModeSymlink) == 0
}

// innerFS is this machine's as confined processes name its files, with the rights of the
// user.
type innerFS struct {
	localFS
	temp innerTemp
}

// to follows the links on the way to what a name stands for.
func (f innerFS) to(name string) string {
	if real, err := f.Resolve(name); f.temp.at != "" && err == nil {
		return f.temp.file(real)
	}
	return name
}

// at follows those on the way to the name.
func (f innerFS) at(name string) string {
	if f.temp.at == "" || !filepath.IsAbs(name) || filepath.Dir(name) == name {
		return name
	}
	dir, err := f.Resolve(filepath.Dir(filepath.Clean(name)))
	if err != nil {
		return name
	}
	return f.temp.file(filepath.Join(dir, filepath.Base(name)))
}

func (f innerFS) Open(name string) (File, error) { return f.localFS.Open(f.to(name)) }

func (f innerFS) OpenReal(name string) (File, error) { return f.localFS.OpenReal(f.temp.file(name)) }

func (f innerFS) Stat(name string) (fs.FileInfo, error) { return f.localFS.Stat(f.to(name)) }

func (f innerFS) Lstat(name string) (fs.FileInfo, error) { return f.localFS.Lstat(f.at(name)) }

func (f innerFS) Readlink(name string) (string, error) { return f.localFS.Readlink(f.at(name)) }

// ReadDir lists in the common folder what confined processes have made there as well.
func (f innerFS) ReadDir(name string) ([]fs.DirEntry, error) {
	name = f.to(name)
	list, err := f.localFS.ReadDir(name)
	if err != nil || name != f.temp.at || f.temp.at == "" {
		return list, err
	}
	own, err := f.localFS.ReadDir(f.temp.base)
	own = slices.DeleteFunc(own, func(e fs.DirEntry) bool {
		st, err := e.Info()
		return err != nil || f.temp.shown(st)
	})
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool {
		return slices.ContainsFunc(own, func(o fs.DirEntry) bool { return o.Name() == e.Name() })
	})
	list = append(list, own...)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

func (f innerFS) Resolve(name string) (string, error) {
	return resolve(name, func(at string) (string, error) { return linkTarget(f.temp.file(at)) })
}

func (f innerFS) WriteAtomic(name string, data []byte, mode fs.FileMode) error {
	return f.localFS.WriteAtomic(f.temp.file(name), data, mode)
}

func (f innerFS) MkdirAll(name string, mode fs.FileMode) ([]string, error) {
	made, err := f.localFS.MkdirAll(f.temp.file(name), mode)
	for i, dir := range made {
		if rel, ok := strings.CutPrefix(dir, f.temp.base+"/"); ok && !within(name, f.temp.base) {
			made[i] = filepath.Join(f.temp.at, rel)
		}
	}
	return made, err
}

func (f innerFS) Remove(name string) error { return f.localFS.Remove(f.temp.file(name)) }

func (f innerFS) Rename(from, to string) error {
	return f.localFS.Rename(f.temp.file(from), f.temp.file(to))
}

func (f innerFS) Symlink(target, name string) error {
	return f.localFS.Symlink(target, f.temp.file(name))
}

// Outer is the file system of a place as processes see it that are not confined.
func Outer(at Place) FS {
	if at, ok := at.(interface{ Outer() FS }); ok {
		return at.Outer()
	}
	return at.FS()
}
