package search

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"hermes-tui/tools/place"
)

// file is a regular file that a walk came by.
type file struct {
	path  string
	entry fs.DirEntry
}

// walker goes through a tree in the order of names. It follows no links, so it
// comes to an end, and leaves out what ignore files name, hidden files unless
// they are asked for, every .git, and the trees that are no files of a disk.
//
// Listing directories ahead of their turn was measured and is no gain: where files
// are read as well, the readers keep every core busy.
type walker struct {
	fs     place.FS
	start  string
	filter *filter // nil selects everything
	also   *filter // a second one
	hidden bool
	// emit takes a file and reports whether to go on.
	emit func(file) bool
	// unreadable counts directories that could not be listed.
	unreadable int
	// secret counts files with keys that were left out.
	secret int
	// hid and ignored count what was passed over unread, a folder as one.
	hid, ignored int
}

// walk visits a directory and all below it. It returns false when emit or ctx
// ended it.
func (w *walker) walk(ctx context.Context, dir string, above *scope) bool {
	entries, err := w.fs.ReadDir(dir)
	if err != nil {
		w.unreadable++
		return true
	}
	here := above.enter(w.fs, dir, has(entries, ".gitignore"), has(entries, ".ignore"))
	for _, e := range entries {
		if ctx.Err() != nil {
			return false
		}
		name := e.Name()
		isDir := e.IsDir()
		path := filepath.Join(dir, name)
		if !isDir && !e.Type().IsRegular() || name == ".git" || isDir && virtual(path) {
			continue
		}
		if left := w.left(here, path, isDir); left != nil {
			if isDir || w.selects(path) {
				*left++
			}
			continue
		}
		if isDir && !w.walk(ctx, path, here) || !isDir && !w.emit(file{path, e}) {
			return false
		}
	}
	return true
}

// left returns the count of what is passed over as a path is, nil for one that is not.
func (w *walker) left(here *scope, path string, isDir bool) *int {
	switch {
	case !w.hidden && filepath.Base(path)[0] == '.':
		return &w.hid
	case here.ignored(path, isDir):
		return &w.ignored
	}
	return nil
}

// has reports whether a directory has an ordinary file of a name.
func has(entries []fs.DirEntry, name string) bool {
	for _, e := range entries {
		if e.Name() == name {
			return e.Type().IsRegular()
		}
	}
	return false
}

// virtual reports whether a directory is the root of a tree that the system makes
// up.
func virtual(path string) bool {
	return path == "/proc" || path == "/sys" || path == "/dev"
}

// selects reports whether the filters let a file pass. The start itself counts by
// its name.
func (w *walker) selects(path string) bool {
	rel := w.relative(path)
	if rel == "" {
		rel = filepath.Base(path)
	}
	return w.filter.match(rel) && w.also.match(rel)
}

// relative gives a path below the start of the walk, with slashes.
func (w *walker) relative(path string) string {
	return filepath.ToSlash(strings.TrimPrefix(path[len(w.start):], string(filepath.Separator)))
}
