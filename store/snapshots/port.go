package snapshots

import (
	"io"
	"io/fs"
	"strings"
)

// Files is the file system of the workspace. Names are absolute paths. It must be
// safe for concurrent use; errors are *fs.PathError with the usual causes.
type Files interface {
	// Lstat describes a name, a link itself. Where Sys of the result is the
	// system's own structure, inode and change time are compared as well.
	Lstat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory. Info of an entry describes a link itself; an
	// implementation far away does well to deliver it with the listing.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Open opens a regular file; anything else is refused without blocking.
	Open(name string) (io.ReadCloser, error)
	Readlink(name string) (string, error)
	// Resolve gives the real path behind links; elements that do not exist are
	// kept as they are.
	Resolve(name string) (string, error)
	// WriteAtomic replaces or makes a regular file in one step. A link at name or
	// in its directory is refused.
	WriteAtomic(name string, data []byte, mode fs.FileMode) error
	// MkdirAll makes a directory and its missing parents; a link on the way is
	// refused.
	MkdirAll(name string, mode fs.FileMode) ([]string, error)
	// Remove deletes a file, a link or an empty directory.
	Remove(name string) error
	// Symlink makes a link where nothing stands.
	Symlink(target, name string) error
}

// Ignored reports whether a path is left out; dir says that it is a directory.
// Nothing below a directory that is left out is asked about. It must be safe for
// concurrent use.
type Ignored func(path string, dir bool) bool

// ignoreFiles are the names whose change makes the rules be read again.
var ignoreFiles = [...]string{".gitignore", ".ignore"}

// stat is what a walk compares.
type stat struct {
	mode               fs.FileMode
	size, mtime, ctime int64
	inode, links       uint64
}

func statOf(info fs.FileInfo) stat {
	s := stat{mode: info.Mode() & (fs.ModeType | fs.ModePerm), size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.ctime, s.inode, s.links = system(info)
	return s
}

// kind is what the stat describes; None for pipes, sockets and devices.
func (s stat) kind() Kind {
	switch s.mode.Type() {
	case 0:
		return File
	case fs.ModeSymlink:
		return Link
	case fs.ModeDir:
		return Dir
	}
	return None
}

// Paths of the workspace have slashes, or backslashes on a Windows machine; the
// root tells.

func separator(root string) string {
	if strings.HasPrefix(root, "/") {
		return "/"
	}
	return `\`
}

// join adds a name to a directory.
func (k *Keeper) join(dir, base string) string {
	if strings.HasSuffix(dir, k.sep) {
		return dir + base
	}
	return dir + k.sep + base
}

// split divides a path into its directory and its name. A root has no name.
func (k *Keeper) split(path string) (dir, base string) {
	i := strings.LastIndex(path, k.sep)
	if i < 0 || i == len(path)-1 {
		return path, ""
	}
	dir = path[:i]
	if strings.Count(path, k.sep) == 1 { // "/x", `C:\x`
		dir = path[:i+1]
	}
	return dir, path[i+1:]
}

// within reports whether a path is dir or lies below it.
func (k *Keeper) within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || strings.HasSuffix(dir, k.sep) || strings.HasPrefix(rest, k.sep))
}
