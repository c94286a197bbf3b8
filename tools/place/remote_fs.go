package place

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// remoteFS is the file system of a place that is not this machine. Every
// operation is one round trip, except reading and writing files of more than
// a block.
type remoteFS struct{ r *Remote }

// checkName refuses names that cannot be meant.
func checkName(op, name string) error {
	switch {
	case !path.IsAbs(name):
		return pathError(op, name, errNotAbsolute)
	case strings.IndexByte(name, 0) >= 0:
		return pathError(op, name, syscall.EINVAL)
	}
	return nil
}

// split gives directory and last element of a checked name. The root has no
// directory.
func split(op, name string) (dir, base string, err error) {
	if err := checkName(op, name); err != nil {
		return "", "", err
	}
	name = path.Clean(name)
	if name == "/" {
		return "", "", pathError(op, name, syscall.EINVAL)
	}
	return path.Dir(name), path.Base(name), nil
}

func (f remoteFS) do(r request) ([]byte, error) { return f.r.serve.do(r) }

// Stat describes what name leads to.
func (f remoteFS) Stat(name string) (fs.FileInfo, error) { return f.stat("stat", "hStat", name) }

// Lstat describes name itself, a link included.
func (f remoteFS) Lstat(name string) (fs.FileInfo, error) { return f.stat("lstat", "hLstat", name) }

func (f remoteFS) stat(op, function, name string) (fs.FileInfo, error) {
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	payload, err := f.do(request{op: op, name: name, code: words(function, name)})
	if err != nil {
		return nil, err
	}
	line, _, _ := bytes.Cut(payload, []byte("\n"))
	info, err := parseStat(path.Base(name), string(line))
	if err != nil {
		return nil, pathError(op, name, err)
	}
	return info, nil
}

// ReadDir lists a directory, sorted by name. Each entry knows its Info already;
// what vanished meanwhile is left out.
func (f remoteFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := checkName("readdir", name); err != nil {
		return nil, err
	}
	payload, err := f.do(request{op: "readdir", name: name, code: words("hDir", name)})
	if err != nil {
		return nil, err
	}
	var list []fs.DirEntry
	for entry := range strings.SplitSeq(string(payload), "//\n") {
		stat, file, ok := strings.Cut(entry, "/./")
		if !ok {
			continue
		}
		info, err := parseStat(file, stat)
		if err != nil {
			return nil, pathError("readdir", name, err)
		}
		list = append(list, fs.FileInfoToDirEntry(info))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// Resolve walks the name in the place, as the local one does.
func (f remoteFS) Resolve(name string) (string, error) {
	if err := checkName("resolve", name); err != nil {
		return "", err
	}
	code := words(append([]string{"hReal"}, splitPath(name)...)...)
	payload, err := f.do(request{op: "resolve", name: name, code: code})
	if err != nil {
		return "", err
	}
	if !path.IsAbs(string(payload)) {
		return "", pathError("resolve", name, fmt.Errorf("the place answered %q", payload))
	}
	return string(payload), nil
}

// splitPath gives the elements of a path, without empty and "." ones.
func splitPath(name string) []string {
	return slices.DeleteFunc(strings.Split(name, "/"), func(s string) bool { return s == "" || s == "." })
}

// WriteAtomic writes a temporary file beside name and renames it. The directory
// is entered in the place and then compared with what was meant, so a link
// swapped in meanwhile is refused. Data and name are on the disk when it returns
// if the place has a sync that takes files.
func (f remoteFS) WriteAtomic(name string, data []byte, mode fs.FileMode) error {
	dir, base, err := split("write", name)
	if err != nil {
		return err
	}
	random, err := randomName(f.r.o.Rand)
	if err != nil {
		return pathError("write", name, err)
	}
	_, err = f.do(request{
		op: "write", name: name, data: data, changes: true,
		code: words("hWrite", dir, base, ".hermes-"+random+".tmp", octal(mode), strconv.Itoa(len(data))),
	})
	return err
}

// octal is a mode as chmod takes it.
func octal(mode fs.FileMode) string {
	bits := uint32(mode.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&flag != 0 {
			bits |= bit
		}
	}
	return fmt.Sprintf("%04o", bits)
}

// MkdirAll makes a directory and its missing parents, with mode less the umask
// of the place.
func (f remoteFS) MkdirAll(name string, mode fs.FileMode) ([]string, error) {
	if err := checkName("mkdir", name); err != nil {
		return nil, err
	}
	mask := fmt.Sprintf("%04o", f.r.facts.mask|^uint32(mode.Perm())&0o777)
	code := words(append([]string{"hMake", mask}, splitPath(path.Clean(name))...)...)
	payload, err := f.do(request{op: "mkdir", name: name, code: code, changes: true})
	list, said, failed := strings.Cut("\x00"+string(payload), "\x00\x00")
	made := strings.FieldsFunc(list, func(r rune) bool { return r == 0 })
	if failed && err != nil && said != "" {
		err = pathError("mkdir", name, remoteError(1, []byte(said)))
	}
	return made, err
}

// Remove deletes a file, a link or an empty directory.
func (f remoteFS) Remove(name string) error {
	dir, base, err := split("remove", name)
	if err != nil {
		return err
	}
	_, err = f.do(request{op: "remove", name: name, code: words("hRemove", dir, base), changes: true})
	return err
}

// Rename moves what stands at from. The new name is looked at just before: who
// puts a file there in that instant loses it. Between file systems of the place
// the data is copied.
func (f remoteFS) Rename(from, to string) error {
	dir, base, err := split("rename", from)
	if err != nil {
		return err
	}
	toDir, toBase, err := split("rename", to)
	if err != nil {
		return err
	}
	_, err = f.do(request{op: "rename", name: from, code: words("hMove", dir, base, toDir, toBase), changes: true})
	if errors.Is(err, fs.ErrExist) {
		err = pathError("rename", to, fs.ErrExist)
	}
	return err
}

// Readlink gives what a link holds.
func (f remoteFS) Readlink(name string) (string, error) {
	if err := checkName("readlink", name); err != nil {
		return "", err
	}
	payload, err := f.do(request{op: "readlink", name: name, code: words("hReadlink", name)})
	return strings.TrimSuffix(string(payload), "\n"), err
}

// Symlink makes a link.
func (f remoteFS) Symlink(target, name string) error {
	dir, base, err := split("symlink", name)
	if err != nil {
		return err
	}
	if target == "" || strings.IndexByte(target, 0) >= 0 {
		return pathError("symlink", name, syscall.EINVAL)
	}
	_, err = f.do(request{op: "symlink", name: name, code: words("hLink", target, dir, base), changes: true})
	return err
}
