package place

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A lock that SQLite takes on a file belongs to the process, and ends when the process
// closes any descriptor of that file, wherever that was opened. A tool that only reads a
// database of this program, or a snapshot of the folder it lies in, would so let other
// programs write to it at the same time, and damage it.
var reserved struct {
	sync.RWMutex
	files []*reservedFile
	keys  []*keyFiles
}

// keyFiles are files that may be opened by their own names only.
type keyFiles struct{ names []string }

// ReserveNames keeps files, named by absolute paths, from being opened by any place of this
// machine under another name, such as a hard link's, until release is called. They may be
// made later.
func ReserveNames(files ...string) (release func()) {
	k := &keyFiles{}
	for _, name := range files {
		k.names = append(k.names, realPath(name))
	}
	reserved.Lock()
	defer reserved.Unlock()
	reserved.keys = append(reserved.keys, k)
	return sync.OnceFunc(func() {
		reserved.Lock()
		defer reserved.Unlock()
		reserved.keys = slices.DeleteFunc(reserved.keys, func(other *keyFiles) bool { return other == k })
	})
}

// LinkedError says that a file holds keys and is named by another name than its own.
type LinkedError struct{}

// Error implements error.
func (LinkedError) Error() string { return "another name of a file that holds keys of this program" }

// Is tells that it may not be opened, which is how callers treat it.
func (LinkedError) Is(target error) bool { return target == fs.ErrPermission }

type reservedFile struct {
	name string
	info atomic.Pointer[fs.FileInfo] // nil until it was seen
	uses int
}

// shared ends the name of the file by which those who have a database open share memory.
const shared = "-shm"

// Reserve keeps databases that this process has open, named by absolute paths, from being
// opened by any place of this machine, until release is called. They may be made later.
func Reserve(databases ...string) (release func()) {
	reserved.Lock()
	defer reserved.Unlock()
	var mine []*reservedFile
	for _, base := range databases {
		for _, name := range []string{base, base + shared} {
			at := slices.IndexFunc(reserved.files, func(r *reservedFile) bool { return r.name == name })
			if at < 0 {
				at = len(reserved.files)
				reserved.files = append(reserved.files, &reservedFile{name: filepath.Clean(name)})
			}
			reserved.files[at].uses++
			mine = append(mine, reserved.files[at])
		}
	}
	return sync.OnceFunc(func() {
		reserved.Lock()
		defer reserved.Unlock()
		for _, r := range mine {
			r.uses--
		}
		reserved.files = slices.DeleteFunc(reserved.files, func(r *reservedFile) bool { return r.uses == 0 })
	})
}

// ReservedError says that a file is a database that this program has open.
type ReservedError struct{}

// Error implements error.
func (ReservedError) Error() string {
	return "a database that this program has open; read it with a command, such as sqlite3"
}

// Is tells that it may not be opened, which is how callers treat it.
func (ReservedError) Is(target error) bool { return target == fs.ErrPermission }

// mayOpen is why a file may not be opened, nil when it may.
func mayOpen(name string, st fs.FileInfo) error {
	reserved.RLock()
	defer reserved.RUnlock()
	if !st.Mode().IsRegular() {
		return nil
	}
	name = filepath.Clean(name)
	if slices.ContainsFunc(reserved.files, func(r *reservedFile) bool { return r.name == name || r.same(st) }) {
		return ReservedError{}
	}
	for _, k := range reserved.keys {
		if !linked(st) {
			break
		}
		for _, own := range k.names {
			if now, err := os.Stat(own); err == nil && os.SameFile(st, now) && realPath(name) != own {
				return LinkedError{}
			}
		}
	}
	return nil
}

// same reports whether a file is this one, by whatever name.
func (r *reservedFile) same(st fs.FileInfo) bool {
	info := r.info.Load()
	if info != nil && (!os.SameFile(st, *info) || !strings.HasSuffix(r.name, shared)) {
		return os.SameFile(st, *info)
	}
	// What SQLite shares memory by is removed when a database is closed, and its number is
	// given to the next file that is made.
	now, err := os.Stat(r.name)
	if err != nil {
		r.info.Store(nil)
		return false // it is not there, or not yet
	}
	r.info.Store(&now)
	return os.SameFile(st, now)
}
