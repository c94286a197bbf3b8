package search

import (
	"path/filepath"
	"sync"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// Ignored gives a function that reports whether ignore files leave a path below
// root out, as for a search: .gitignore and .ignore files, the repository's exclude
// file and the user's own. Ignore files are read once, when they first matter; a
// directory that is left out is not looked into. The function is safe for
// concurrent use.
func Ignored(fs place.FS, root, home string) func(path string, dir bool) bool {
	i := &ignored{fs: fs, root: root, scopes: map[string]*scope{}}
	outer := outerScope(fs, root, home)
	i.scopes[root] = i.enter(outer, root)
	return i.left
}

// ignored remembers the scopes of directories.
type ignored struct {
	fs   place.FS
	root string

	mu     sync.Mutex
	scopes map[string]*scope
}

func (i *ignored) left(path string, dir bool) bool {
	if path == i.root || !tools.Within(path, i.root) {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.scope(filepath.Dir(path)).ignored(path, dir)
}

// scope gives the rules that hold in a directory.
func (i *ignored) scope(dir string) *scope {
	if s, ok := i.scopes[dir]; ok {
		return s
	}
	s := i.enter(i.scope(filepath.Dir(dir)), dir)
	i.scopes[dir] = s
	return s
}

func (i *ignored) enter(above *scope, dir string) *scope {
	there := func(name string) bool {
		st, err := i.fs.Lstat(filepath.Join(dir, name))
		return err == nil && st.Mode().IsRegular()
	}
	return above.enter(i.fs, dir, there(".gitignore"), there(".ignore"))
}
