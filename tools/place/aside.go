package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
)

// wards are the protected paths that can only be protected once they are there.
// What is made at one while a confined process runs is moved aside when that ends,
// unless a tool has made it. What it leaves running can make one later; and what
// others make meanwhile cannot be told from what it makes.
type wards struct {
	fs       localFS
	names    []string
	harmless func(name string) bool // nil: nothing is
	folder   string                 // takes what is moved aside, made when needed

	mu    sync.Mutex
	tools map[string]bool // paths that tools have made
}

// missing gives the paths at which nothing stands.
func (w *wards) missing() []string {
	return slices.DeleteFunc(slices.Clone(w.names), func(name string) bool {
		_, err := os.Lstat(name)
		return err == nil
	})
}

// note marks the paths that a tool's change of name makes.
func (w *wards) note(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.names {
		if within(name, n) || within(n, name) {
			w.tools[n] = true
		}
	}
}

// sweep moves aside what stands at paths where nothing stood, and tells of it.
func (w *wards) sweep(were []string) []Refusal {
	var out []Refusal
	for _, name := range were {
		w.mu.Lock()
		made := w.tools[name]
		w.mu.Unlock()
		if _, err := os.Lstat(name); err != nil || made || w.harmless != nil && w.harmless(name) {
			continue
		}
		if err := w.move(linkOn(name)); err != nil {
			out = append(out, Refusal{Kind: RefusedOther, What: fmt.Sprintf("make %s, which could not be taken away: %v", name, err)})
			continue
		}
		out = append(out, Refusal{Kind: RefusedWrite, What: name})
	}
	return out
}

// linkOn is the first link on the way to a path, or the path.
func linkOn(name string) string {
	if dir := filepath.Dir(name); dir != name {
		if at := linkOn(dir); at != dir {
			return at
		}
		if st, err := os.Lstat(dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return dir
		}
	}
	return name
}

// move takes what stands at name into the folder, under a name that is free there.
func (w *wards) move(name string) error {
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return err
	}
	for i := 1; ; i++ {
		to := filepath.Join(w.folder, filepath.Base(name)+"."+strconv.Itoa(i))
		err := w.fs.Rename(name, to)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			if no := w.fs.Rename(name, name+".refused-"+strconv.Itoa(i)); no == nil { // it is on another file system
				return nil
			}
		}
		return err
	}
}

// guardedFS is this machine's, and notes what is changed through it.
type guardedFS struct {
	localFS
	w *wards
}

func (f guardedFS) WriteAtomic(name string, data []byte, mode fs.FileMode) error {
	f.w.note(name)
	return f.localFS.WriteAtomic(name, data, mode)
}

func (f guardedFS) MkdirAll(name string, mode fs.FileMode) ([]string, error) {
	f.w.note(name)
	return f.localFS.MkdirAll(name, mode)
}

func (f guardedFS) Rename(from, to string) error {
	f.w.note(to)
	return f.localFS.Rename(from, to)
}

func (f guardedFS) Symlink(target, name string) error {
	f.w.note(name)
	return f.localFS.Symlink(target, name)
}
