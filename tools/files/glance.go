package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// Watcher tells which files may have changed, so that not all have to be looked at.
type Watcher interface {
	// Watch reports whether changes of a file, named by its real path, will be told
	// from now on.
	Watch(path string) bool
	// Changed gives the watched files that may have changed since it was asked last;
	// all says that any may have.
	Changed() (paths []string, all bool)
}

// glance is what a file is on disk, and what the agent takes it to be. Other agents
// and programs change the one, and being told of that the other.
type glance struct {
	seen, now content
	// as is what the file system said of the content now, zero when it was not asked;
	// recent says that it said so
	// right after a change, when another one may look the same.
	as     signature
	recent bool
	// watched says that the watcher tells of changes.
	watched bool
	// foreign says that the difference was there before the call under way.
	foreign bool
}

type content struct {
	sum  sum
	gone bool // no file is there
}

// signature is what changes with every change of a file.
type signature struct {
	size    int64
	content time.Time
	status  time.Time
}

// The limits of looking: files over hashedFile bytes, and those behind the first
// hashedAll bytes of one look, count as changed when their signature has. recently is
// within how much time of a change another one may have the same signature.
const (
	hashedFile = 8 << 20
	hashedAll  = 64 << 20
	recently   = time.Second
)

// glance notes what a file was when the agent saw or wrote it. m is locked.
func (m *memory) glance(path string, s sum) {
	is := content{sum: s}
	g, ok := m.glances.Get(path)
	if ok && g.seen == is && g.now == is {
		return
	}
	next := &glance{seen: is, now: is}
	if ok {
		next.watched = g.watched
	}
	m.glances.Put(path, next)
}

// look brings what is known of files up to date.
func (f *Files) look() {
	m := &f.memory
	budget := int64(hashedAll)
	for path := range f.due() {
		g, ok := m.glances.Get(path)
		if !ok {
			continue
		}
		if f.watch != nil && !g.watched {
			g.watched = f.watch.Watch(path) // from before it is looked at
		}
		f.lookAt(path, g, &budget)
	}
}

// Begin is called when a turn begins: all files are looked at once, since a watcher does
// not see what other machines do, nor the move of a folder further up.
func (f *Files) Begin() {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	f.memory.begun = true
}

// due are the files to be looked at.
func (f *Files) due() map[string]bool {
	m := &f.memory
	due := map[string]bool{}
	all := f.watch == nil
	if !all {
		var paths []string
		paths, all = f.watch.Changed()
		for _, p := range paths {
			due[p] = true
			if g, ok := m.glances.Get(p); ok {
				g.watched = false // its folder may have gone
			}
		}
	}
	all, m.begun = all || m.begun, false
	for path, g := range m.glances.All() {
		if all || !g.watched || g.recent || g.as == (signature{}) {
			due[path] = true
		}
	}
	return due
}

// lookAt looks at one file.
func (f *Files) lookAt(path string, g *glance, budget *int64) {
	st, err := f.fs.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !st.Mode().IsRegular():
		g.now = content{gone: true}
		return
	case err != nil: // it cannot be said
		return
	}
	as := signature{size: st.Size(), content: st.ModTime(), status: place.ChangedAt(st)}
	if as == g.as && !g.recent && !g.now.gone {
		return
	}
	switch {
	case as.size <= hashedFile && as.size <= *budget:
		*budget -= as.size
		now, err := f.sumNow(path)
		if err != nil {
			return
		}
		g.now = content{sum: now}
	case g.as == signature{} && !g.now.gone: // it was read just now
	case as != g.as:
		g.now = content{sum: sha256.Sum256(fmt.Append(nil, as))}
	}
	g.as, g.recent = as, f.now().Sub(as.status).Abs() < recently
}

// sumNow identifies the content of a file as it is.
func (f *Files) sumNow(path string) (sum, error) {
	file, err := f.open(target{name: path, real: path})
	if err != nil {
		return sum{}, err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(file, hashedFile+1)); err != nil {
		return sum{}, fmt.Errorf("read file: %w", err)
	}
	return sum(h.Sum(nil)), nil
}

// Acts is called before a call of the agent that may change files, and when it is
// over. What it changes is no news.
func (f *Files) Acts(over bool) {
	if !f.near {
		return
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	f.look()
	for _, g := range f.memory.glances.All() {
		if !over {
			g.foreign = g.now != g.seen
		} else if !g.foreign {
			g.seen = g.now
		}
	}
}

// The bounds of what is said about files.
const (
	namedFiles  = 12
	longestName = 120
)

// News says which files others have changed since the agent read or wrote them, once
// for each change. Only files of this machine are looked at.
func (f *Files) News() []tools.News {
	if !f.near {
		return nil
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	f.look()
	var paths []string
	said := map[string]string{}
	for path, g := range f.memory.glances.All() {
		if g.now != g.seen {
			paths = append(paths, path)
			said[path] = f.what(path, g)
			g.seen, g.foreign = g.now, false
		}
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	var named []string
	for _, p := range paths[:min(len(paths), namedFiles)] {
		named = append(named, said[p])
	}
	list := strings.Join(named, ", ")
	if more := len(paths) - len(named); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	text := "Files that have changed since you read or wrote them, not by your calls: " + list + ". Read them again before you rely on what you know of them."
	if f.jobs() {
		text += " A background job of yours may have done it."
	}
	return []tools.News{{Text: text, Short: "changed meanwhile: " + list}}
}

// what says what became of a file.
func (f *Files) what(path string, g *glance) string {
	name := path
	if root, err := f.fs.Resolve(f.root); err == nil && f.root != "" && tools.Within(path, root) {
		name = strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
	}
	name = tools.Quote(name, longestName)
	switch w, ok := f.shared.last(f.sharedKey(path)); {
	case g.now.gone:
		return name + " (no longer a file)"
	case g.seen.gone:
		return name + " (there again)"
	case ok && w.member != f.member && w.sum == g.now.sum && w.name != "":
		return name + " (by the agent " + tools.Quote(w.name, longestName) + ")"
	}
	return name
}
