// Package watch tells which files of this machine may have changed.
//
// A [Watcher] is shared by all agents of the program, each of which has a [Set] of
// files. What the system watches is the folders of these files, so that files that
// editors replace are seen as well: never a tree, never more folders than
// [Options.Folders], and nothing before the first file. Where the system has no watches
// left, a folder is not watched: [Set.Watch] says so for each file, and the log once.
//
// Changes that this machine does not make itself, as on a network file system, and the
// move of a folder further up are not seen. Who has to know looks at the files now and
// then. A file that is told of may be as it was.
//
// Watches are used on Linux and Windows. Elsewhere the system would have to open every
// file of a folder, so nothing is watched.
package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options configure [New].
type Options struct {
	// Folders is how many are watched at most; 0 is 512.
	Folders int
	// Dir is a private folder, made when it is needed, in which the watcher makes a file
	// and deletes it to know that it has seen everything that was done before.
	Dir string
	// Warn hears once why something is not watched; it may be nil.
	Warn func(error)
}

// syncTime is how long [Set.Changed] waits for what was done before it was called.
const syncTime = 50 * time.Millisecond

// Watcher watches folders. It is safe for concurrent use.
type Watcher struct {
	o    Options
	once sync.Once
	fs   *fsnotify.Watcher // nil when nothing can be watched
	done chan struct{}     // closes when no more is read

	mu      sync.Mutex
	folders map[string]*folder
	sets    map[*Set]bool
	full    bool // no more folders are watched
	closed  bool
	marks   map[string]chan struct{} // files that are waited for, by name
	marked  int
}

// folder is a watched folder: who wants to know of which of its files.
type folder struct{ files map[string]map[*Set]bool }

// New makes a watcher. It watches nothing yet.
func New(o Options) *Watcher {
	if o.Folders == 0 {
		o.Folders = 512
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Watcher{o: o, done: make(chan struct{}), folders: map[string]*folder{}, sets: map[*Set]bool{}, marks: map[string]chan struct{}{}}
}

// begin makes the watches of the system when they are needed first.
func (w *Watcher) begin() bool {
	w.once.Do(func() {
		if runtime.GOOS != "linux" && runtime.GOOS != "windows" || w.o.Dir == "" {
			return
		}
		fs, err := fsnotify.NewWatcher()
		if err == nil {
			err = errors.Join(os.MkdirAll(w.o.Dir, 0o700), fs.Add(w.o.Dir))
			if err != nil {
				err = errors.Join(err, fs.Close())
			}
		}
		if err != nil {
			w.o.Warn(fmt.Errorf("files are not watched, and looked at instead: %w", err))
			return
		}
		w.mu.Lock()
		w.fs = fs
		w.mu.Unlock()
		go w.run(fs)
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fs != nil && !w.closed
}

// run takes what the system tells.
func (w *Watcher) run(fs *fsnotify.Watcher) {
	defer close(w.done)
	for {
		select {
		case e, ok := <-fs.Events:
			if !ok {
				return
			}
			w.happened(e)
		case _, ok := <-fs.Errors:
			if !ok {
				return
			}
			w.lost()
		}
	}
}

// happened notes what may have changed.
func (w *Watcher) happened(e fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.folders[e.Name]; f != nil && (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) { // a watched folder is gone
		_ = w.fs.Remove(e.Name) // of one that was moved
		delete(w.folders, e.Name)
		for base, sets := range f.files {
			dirty(sets, filepath.Join(e.Name, base))
		}
	}
	dir, base := filepath.Split(e.Name)
	if f := w.folders[filepath.Clean(dir)]; f != nil {
		dirty(f.files[base], e.Name)
	}
	if e.Has(fsnotify.Create) {
		if seen := w.marks[e.Name]; seen != nil {
			delete(w.marks, e.Name)
			close(seen)
		}
	}
}

func dirty(sets map[*Set]bool, path string) {
	for s := range sets {
		s.dirty[path] = true
	}
}

// lost notes that something has happened of which nothing is known.
func (w *Watcher) lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.sets {
		s.all = true
	}
}

// seen waits until everything that was done before has been taken, and reports whether
// that is so.
func (w *Watcher) seen() bool {
	w.mu.Lock()
	w.marked++
	mark := filepath.Join(w.o.Dir, fmt.Sprintf("%d-%d", os.Getpid(), w.marked))
	taken := make(chan struct{})
	w.marks[mark] = taken
	w.mu.Unlock()
	f, err := os.OpenFile(mark, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(mark))
	}
	if err == nil {
		late := time.NewTimer(syncTime)
		defer late.Stop()
		select {
		case <-taken:
			return true
		case <-late.C:
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.marks, mark)
	return false
}

// Close ends all watches. It returns when nothing of the watcher runs any more.
func (w *Watcher) Close() error {
	w.mu.Lock()
	fs, closed := w.fs, w.closed
	w.closed = true
	w.mu.Unlock()
	if fs == nil || closed {
		return nil
	}
	err := fs.Close()
	<-w.done
	return err
}
