package watch

import (
	"fmt"
	"path/filepath"
)

// Set is the files of one agent. It is safe for concurrent use.
type Set struct {
	w *Watcher
	// What follows is guarded by the watcher's lock.
	dirty map[string]bool
	all   bool
	files map[string]bool
}

// Set makes an empty set. It must be closed.
func (w *Watcher) Set() *Set {
	s := &Set{w: w, dirty: map[string]bool{}, files: map[string]bool{}}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sets[s] = true
	return s
}

// maxFiles bounds the files of a set.
const maxFiles = 1 << 16

// Watch reports whether changes of a file, named by its real path, will be told from
// now on.
func (s *Set) Watch(path string) bool {
	w := s.w
	if !w.begin() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(s.files) >= maxFiles {
		return false
	}
	dir, base := filepath.Dir(path), filepath.Base(path)
	f := w.folders[dir]
	if f == nil {
		if !w.watch(dir) {
			return false
		}
		f = &folder{files: map[string]map[*Set]bool{}}
		w.folders[dir] = f
	}
	if f.files[base] == nil {
		f.files[base] = map[*Set]bool{}
	}
	f.files[base][s], s.files[path] = true, true
	return true
}

// watch begins to watch a folder, if there may be another one.
func (w *Watcher) watch(dir string) bool {
	if w.full {
		return false
	}
	err := fmt.Errorf("%d folders are watched, which is the most", len(w.folders))
	if len(w.folders) < w.o.Folders {
		if err = w.fs.Add(dir); err == nil {
			return true
		}
		if !exhausted(err) {
			return false // this folder cannot be watched, another one may
		}
	}
	w.full = true
	w.o.Warn(fmt.Errorf("further files are not watched, and looked at instead: %w", err))
	return false
}

// Changed gives the files of the set that may have changed since it was asked last;
// all says that any may have. What was done before it is called is in that.
func (s *Set) Changed() (paths []string, all bool) {
	w := s.w
	w.mu.Lock()
	none := len(s.files) == 0 || w.closed
	w.mu.Unlock()
	if none {
		return nil, false
	}
	seen := w.seen()
	w.mu.Lock()
	defer w.mu.Unlock()
	for p := range s.dirty {
		paths = append(paths, p)
	}
	all = s.all || !seen
	clear(s.dirty)
	s.all = false
	return paths, all
}

// Close forgets the files of the set. Folders that no one else watches are watched no
// longer.
func (s *Set) Close() error {
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sets, s)
	for path := range s.files {
		dir, base := filepath.Dir(path), filepath.Base(path)
		f := w.folders[dir]
		if f == nil {
			continue
		}
		if delete(f.files[base], s); len(f.files[base]) == 0 {
			delete(f.files, base)
		}
		if len(f.files) == 0 {
			delete(w.folders, dir)
			w.full = false
			if !w.closed {
				_ = w.fs.Remove(dir) // it may have gone
			}
		}
	}
	clear(s.files)
	return nil
}
