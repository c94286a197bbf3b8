package snapshots

// skip says why an entry is left out.
type skip uint8

const (
	kept skip = iota
	skipIgnored
	skipGit
	skipOwn
	skipSpecial
	skipMany
	skipLocked // a directory that may not be read
	skips
)

// words are the reasons for people.
func (s skip) words() string {
	return [skips]string{
		skipIgnored: "ignored by the rules of the workspace",
		skipGit:     "folder of git's own: commits, branches and the like are not undone",
		skipOwn:     "files of this program",
		skipSpecial: "pipes, sockets and devices",
		skipMany:    "more files than are watched",
		skipLocked:  "directories that may not be read",
	}[s]
}

// entry is what is known of a name in a directory.
type entry struct {
	skip skip
	st   stat // as it was when the content was read
	// racy says that the content may have changed since without any sign of it,
	// because it was read too soon after the last change.
	racy bool
	// over says that there was no room to keep the content.
	over bool
	// seeded says that another conversation has told it, and that no one has looked
	// since.
	seeded bool
	state  State
	gen    uint32 // of the walk that saw it last
}

// unchanged reports whether a look at a name shows what is known.
func (e *entry) unchanged(s stat) bool {
	if e.state.Kind == Dir {
		return s.kind() == Dir
	}
	s.links = e.st.links // may be more without anything of the content
	return !e.racy && s == e.st
}

// node is a directory.
type node struct {
	entries map[string]*entry
	// ignored says that only what is known already is watched in it.
	ignored bool
}

// index is everything that is known of the workspace, and of files outside of it
// that were named. It belongs to a Keeper, which locks it.
type index struct {
	nodes map[string]*node
	files int // files and links
}

func newIndex() *index { return &index{nodes: map[string]*node{}} }

func (x *index) node(dir string) *node {
	n := x.nodes[dir]
	if n == nil {
		n = &node{entries: map[string]*entry{}}
		x.nodes[dir] = n
	}
	return n
}

// find gives the entry of a name, nil for none.
func (x *index) find(dir, base string) *entry {
	if n := x.nodes[dir]; n != nil {
		return n.entries[base]
	}
	return nil
}

func (e *entry) counts() bool { return e.skip == kept && e.state.Kind != Dir }

func (x *index) set(dir, base string, e *entry) {
	n := x.node(dir)
	if old := n.entries[base]; old != nil && old.counts() {
		x.files--
	}
	if e.counts() {
		x.files++
	}
	n.entries[base] = e
}

// del forgets a name; what was below it goes to gone, which may be nil.
func (x *index) del(dir, base, path string, join func(string, string) string, gone func(path string, e *entry)) {
	n := x.nodes[dir]
	if n == nil || n.entries[base] == nil {
		return
	}
	e := n.entries[base]
	if below := x.nodes[path]; below != nil {
		for name := range below.entries {
			x.del(path, name, join(path, name), join, gone)
		}
		delete(x.nodes, path)
	}
	if e.counts() {
		x.files--
	}
	delete(n.entries, base)
	if gone != nil {
		gone(path, e)
	}
}
