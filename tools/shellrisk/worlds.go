package shellrisk

import (
	"maps"
	"slices"
)

// A shell may be in one of several states: the right side of a list may not have
// run, a folder may not have been entered. What follows is judged in each of them.
// A state keeps the others as its forks.

// maxWorlds is how many states are followed at a time. Beyond it states become one
// in which what differs is not known.
const maxWorlds = 8

// status is how a command may have ended.
type status uint8

const (
	statusOpen status = iota
	statusOK
	statusFailed
)

// leaving says that nothing more runs in a state, and how far.
type leaving uint8

const (
	stays   leaving = iota
	breaks          // out of a turn of a loop
	returns         // out of a function
	exits           // out of the shell
)

// worlds are the state and its forks, which it no longer has then.
func (st *state) worlds() []*state {
	all := append([]*state{st}, st.forks...)
	st.forks = nil
	return all
}

// become makes the state one of those given, with the others as forks.
func (st *state) become(list []*state) {
	kept := list[:0:0]
	for _, w := range list {
		if !slices.ContainsFunc(kept, w.same) {
			kept = append(kept, w)
		}
	}
	if kept[0] != st {
		if i := slices.Index(kept, st); i >= 0 {
			kept[0], kept[i] = kept[i], kept[0]
		} else {
			*st = *kept[0]
		}
	}
	st.forks = nil
	if len(kept) > maxWorlds {
		for _, w := range kept[maxWorlds:] {
			st.merge(w)
		}
		kept = kept[:maxWorlds]
	}
	st.forks = slices.Clip(slices.Clone(kept[1:]))
}

// join adds states in which the shell may be as well.
func (st *state) join(more ...*state) {
	if len(more) == 1 && len(more[0].forks) == 0 && len(st.forks) == 0 && st.same(more[0]) {
		return
	}
	all := st.worlds()
	for _, w := range more {
		all = append(all, w.worlds()...)
	}
	st.become(all)
}

// each runs f in the state and its forks, as far as commands still run there. Code
// that is never reached is judged, too.
func (st *state) each(f func(*state)) {
	if len(st.forks) == 0 && st.leaving == stays {
		f(st)
		return
	}
	all := st.worlds()
	reached := false
	var after []*state
	for _, w := range all {
		if w.leaving == stays {
			reached = true
			f(w)
		}
		after = append(after, w.worlds()...)
	}
	if !reached {
		dead := st.clone()
		dead.leaving = stays
		f(dead)
	}
	st.become(after)
}

// split parts the states by how the last command may have ended: st keeps those
// in which it may have ended so, the result has copies of those in which it may
// have ended otherwise. With none left st is dead: what is judged there changes
// nothing.
func (st *state) split(so status) (others []*state, dead bool) {
	var kept []*state
	for _, w := range st.worlds() {
		if w.leaving != stays || w.status != so {
			others = append(others, w.clone())
		}
		if w.leaving == stays && (w.status == so || w.status == statusOpen) {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return others, true
	}
	st.become(kept)
	return others, false
}

// back ends a way out: from here on commands run again.
func (st *state) back(from leaving) {
	all := st.worlds()
	for _, w := range all {
		if w.leaving == from {
			w.leaving = stays
		}
	}
	st.become(all)
}

// same reports whether two states, without their forks, are equal.
func (st *state) same(o *state) bool {
	return st == o || st.cwd == o.cwd && st.prev == o.prev && st.status == o.status && st.leaving == o.leaving &&
		st.lastpipe == o.lastpipe && st.physical == o.physical && st.bound == o.bound && st.stdin == o.stdin &&
		slices.Equal(st.params, o.params) && slices.Equal(st.stack, o.stack) && slices.Equal(st.traps, o.traps) &&
		maps.EqualFunc(st.vars, o.vars, variable.equal) && maps.Equal(st.funcs, o.funcs)
}

// whole is a copy of the state and its forks.
func (st *state) whole() *state {
	c := st.clone()
	for _, w := range st.forks {
		c.forks = append(c.forks, w.clone())
	}
	return c
}

// ended says for the state and its forks how the last command ended.
func (st *state) ended(how status) {
	st.status = how
	for _, w := range st.forks {
		w.status = how
	}
}

// unloop ends a loop.
func (st *state) unloop() {
	for _, w := range append([]*state{st}, st.forks...) {
		w.loops--
	}
}

// negate turns around how the last command ended.
func (st *state) negate() {
	for _, w := range append([]*state{st}, st.forks...) {
		switch w.status {
		case statusOK:
			w.status = statusFailed
		case statusFailed:
			w.status = statusOK
		}
	}
}

// trapped adds the states after code that a signal or the shell may start at any
// time.
func (j *judge) trapped(st *state) {
	if len(st.traps) == 0 || j.trapping {
		return
	}
	j.trapping = true
	defer func() { j.trapping = false }()
	for _, code := range st.traps {
		if j.steps += len(code) / 16; !j.step() {
			return
		}
		other := st.clone()
		other.traps, other.leaving, other.status = nil, stays, st.status
		j.text(code, other, input{})
		for _, w := range other.worlds() {
			w.traps, w.leaving, w.status = st.traps, st.leaving, st.status
			st.join(w)
		}
	}
}
