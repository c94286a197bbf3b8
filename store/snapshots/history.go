package snapshots

import (
	"slices"
	"time"
)

// set is a group of changes as the journal has them.
type set struct {
	n      uint64
	at     time.Time
	calls  []CallRef // empty for someone else's changes and for rewinds
	unsure bool
	doubt  string
	rewind string // the id, for a rewind
	undoes string
	note   string
	rows   []row
	skip   map[string]bool // paths a rewind has not restored
	open   bool            // a rewind that has not ended
}

// row is a change of a set.
type row struct {
	Change
	back uint64 // of a rewind, see changeRow
}

// step is what happened to a path in a set.
type step struct {
	*set
	row
}

// history is all that the journal tells. It belongs to a Keeper.
type history struct {
	sets    []*set
	paths   map[string][]step
	begun   []*record // calls without an end, in order
	trees   []CallRef // calls that could change anything
	pending *set      // a rewind without an end
	unsaid  *set      // the newest rewind, until it is settled
	ready   []*record // of a rewind that has not begun
}

func newHistory(records []*record) *history {
	h := &history{paths: map[string][]step{}}
	for _, r := range records {
		h.add(r)
	}
	h.ready = nil
	return h
}

// add takes a record in.
func (h *history) add(r *record) {
	switch r.Kind {
	case recBegin:
		if r.Call != nil {
			h.begun = append(h.begun, r)
			if r.Tree {
				h.trees = append(h.trees, *r.Call)
			}
		}
	case recEnd:
		if r.Call != nil {
			h.begun = slices.DeleteFunc(h.begun, func(b *record) bool { return b.Call.ID == r.Call.ID })
		}
	case recChanges:
		h.addSet(&set{n: r.N, at: r.At, calls: r.Calls, unsure: r.Unsure, doubt: r.Doubt}, []*record{r})
	case recRewind:
		h.ready = append(h.ready, r)
	case recGo:
		parts := slices.DeleteFunc(h.ready, func(p *record) bool { return p.ID != r.ID })
		h.ready = nil
		if len(parts) > 0 {
			s := &set{n: parts[0].N, at: r.At, rewind: r.ID, undoes: parts[0].Undoes, note: r.Note, open: true}
			h.addSet(s, parts)
			h.pending, h.unsaid = s, s
		}
	case recRewound:
		if s := h.pending; s != nil && s.rewind == r.ID {
			s.open, h.pending = false, nil
			s.skip = map[string]bool{}
			for _, p := range r.Paths {
				s.skip[string(p)] = true
			}
		}
	case recSettled:
		if s := h.unsaid; s != nil && s.rewind == r.ID {
			h.unsaid = nil
		}
	}
}

func (h *history) addSet(s *set, records []*record) {
	for _, r := range records {
		for _, cr := range r.Changes {
			c := Change{Path: string(cr.Path), Before: cr.Before, After: cr.After, By: s.calls, Unsure: s.unsure, Doubt: s.doubt}
			s.rows = append(s.rows, row{c, cr.Back})
			h.paths[c.Path] = append(h.paths[c.Path], step{s, s.rows[len(s.rows)-1]})
		}
	}
	h.sets = append(h.sets, s)
}

// last is the state in which a path was left, as far as it was recorded.
func (h *history) last(path string) (State, bool) {
	steps := h.paths[path]
	for i := len(steps) - 1; i >= 0; i-- {
		if s := steps[i]; !s.skip[path] && !s.open {
			return s.After, true
		}
	}
	return State{}, false
}

// selection says which sets are meant. The zero selection means none.
type selection struct {
	all    bool // of the agents' changes
	turns  map[string]bool
	calls  map[string]bool
	rewind string
	undone bool // as if nothing had been taken back
}

// of reports whether a set is meant, and whether all of its calls are.
func (s selection) of(x *set) (meant, whole bool) {
	if x.rewind != "" {
		return x.rewind == s.rewind, true
	}
	whole = len(x.calls) > 0
	for _, c := range x.calls {
		if s.call(c) {
			meant = true
		} else {
			whole = false
		}
	}
	return meant, whole && meant
}

// call reports whether a call is meant.
func (s selection) call(c CallRef) bool { return s.all || s.turns[c.Turn] || s.calls[c.ID] }

// anything reports whether a meant call could change anything.
func (h *history) anything(sel selection) bool { return slices.ContainsFunc(h.trees, sel.call) }

// net is what the meant changes of a path come to.
type net struct {
	path   string
	begun  bool
	first  uint64 // number of the first set
	before State  // the first of them found this
	left   State  // the last of them left this
	by     []CallRef
	unsure bool
	doubt  string // why someone else may have changed it
	// broken says that someone else changed the path in between, other who
	// changed it after the last one or in between.
	broken bool
	other  *set
}

// net follows a path through the history. A rewind takes the story back to where
// it was before the first change that it undid.
func (h *history) net(path string, sel selection) net {
	steps := h.paths[path]
	was := make([]net, len(steps)) // the story so far before each step
	at := net{path: path}
	for i, s := range steps {
		was[i] = at
		if s.skip[path] || sel.undone && s.rewind != "" {
			continue
		}
		meant, whole := sel.of(s.set)
		switch {
		case meant:
			at = at.follow(s, whole)
		case s.rewind != "" && s.back != 0:
			if j := slices.IndexFunc(steps[:i], func(b step) bool { return b.n == s.back }); j >= 0 {
				at = was[j]
				continue
			}
			at.other = s.set
		default:
			at.other = s.set
		}
	}
	return at
}

// follow adds a change that is meant.
func (at net) follow(s step, whole bool) net {
	switch {
	case !at.begun:
		at = net{path: at.path, begun: true, first: s.n, before: s.Before}
	case s.Before.Equal(at.before):
		at.broken, at.other = false, nil // nothing of anyone is lost by going back
	case !s.Before.Equal(at.left):
		at.broken = true
	case !at.broken:
		at.other = nil
	}
	at.left = s.After
	at.unsure = at.unsure || s.unsure || !whole
	if at.doubt == "" {
		at.doubt = s.doubt
	}
	by := slices.Clone(at.by)
	for _, c := range s.calls {
		if !slices.Contains(by, c) {
			by = append(by, c)
		}
	}
	at.by = by
	return at
}

// nets gives the net changes of all paths that sel means, sorted by path.
func (h *history) nets(sel selection) []net {
	var all []net
	for path := range h.paths {
		if n := h.net(path, sel); n.begun {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b net) int { return compare(a.path, b.path) })
	return all
}
