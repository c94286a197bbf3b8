package shellrisk

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// state is what is known of a shell while a command is followed: directory,
// variables, functions and parameters. Subshells work on a clone.
type state struct {
	set    Setting
	cwd    string // absolute; empty: not known
	prev   string // OLDPWD
	vars   map[string]variable
	funcs  map[string]*syntax.Stmt
	named  map[string]arg // what other names stand for: "zz", or "git zz"
	params []arg
	bound  bool  // params are known
	zero   arg   // $0, for the code of a shell's -c
	stdin  input // what exec has made the input

	stack    []string // folders under the present one, for pushd and popd
	traps    []string // code that signals and the shell start
	scope    []shadow // variables of the caller that local ones hide
	depth    int      // functions around
	loops    int      // loops around
	physical bool     // cd follows links before two dots
	lastpipe bool     // the last command of a pipe runs in the shell itself
	status   status
	leaving  leaving
	forks    []*state // other states in which the shell may be
}

// shadow is a variable that a local one hides.
type shadow struct {
	name  string
	value variable
	ok    bool
}

// variable is what a name stands for: one value, or those of an array. Unknown
// pieces of a value are holes.
type variable struct {
	list  []string
	from  origin
	array bool
	fixed bool // it is readonly
	code  bool // its value is evaluated: it has the attribute of a number or a reference
}

// unknownVariable may hold anything.
func unknownVariable() variable {
	return variable{list: []string{hole}, from: fromVariable | opaque}
}

func newState(set Setting) *state {
	return &state{set: set, cwd: set.Cwd, vars: map[string]variable{}, funcs: map[string]*syntax.Stmt{}, named: map[string]arg{}}
}

func (st *state) clone() *state {
	c := *st
	c.vars, c.funcs, c.forks = maps.Clone(st.vars), maps.Clone(st.funcs), nil
	c.scope = slices.Clip(c.scope)
	return &c
}

// assign gives a variable one value.
func (st *state) assign(name string, value arg) {
	if len(value.text) > maxText {
		st.forget(name)
		return
	}
	st.put(name, variable{list: []string{value.text}, from: value.from | fromVariable})
}

// put gives a variable its value and keeps its attributes. A readonly one stays
// as it is.
func (st *state) put(name string, v variable) {
	old := st.vars[name]
	if old.fixed {
		return
	}
	v.code = v.code || old.code
	st.vars[name] = v
}

// shade makes a variable local to the function on its way.
func (st *state) shade(name string) {
	if st.depth == 0 {
		return
	}
	v, ok := st.vars[name]
	st.scope = append(slices.Clip(st.scope), shadow{name, v, ok})
	if !v.fixed {
		delete(st.vars, name)
		st.vars[name] = variable{from: fromVariable}
	}
}

// unshade ends a function, whose caller's hidden variables come back.
func (st *state) unshade(outer []shadow) {
	for _, s := range slices.Backward(st.scope) {
		if s.ok {
			st.vars[s.name] = s.value
		} else {
			delete(st.vars, s.name)
		}
	}
	st.scope = outer
}

// name remembers what a name stands for. Clones share the names: what a subshell
// does with git's settings outlives it.
func (st *state) name(name string, value arg) { st.named[name] = value }

// forget makes a variable unknown.
func (st *state) forget(name string) { st.put(name, unknownVariable()) }

// lookup gives a variable and whether anything is known of it. A variable known
// to be unset has an empty list.
func (st *state) lookup(name string) (variable, bool) {
	if v, ok := st.vars[name]; ok {
		return v, true
	}
	switch name {
	case "HOME":
		return st.homeVariable()
	case "PWD":
		return variable{list: []string{st.cwd}}, st.cwd != ""
	case "OLDPWD":
		return variable{list: []string{st.prev}, from: fromVariable}, st.prev != ""
	case "IFS":
		return variable{list: []string{" \t\n"}, from: fromVariable}, true
	}
	if st.set.Getenv == nil {
		return variable{}, false
	}
	value, ok := st.set.Getenv(name)
	if !ok {
		return variable{from: fromVariable}, true
	}
	return variable{list: []string{value}, from: fromVariable}, true
}

// homeVariable is the user's home, unless the command starts with another one.
func (st *state) homeVariable() (variable, bool) {
	if st.set.Getenv != nil {
		if home, ok := st.set.Getenv("HOME"); ok && home != st.set.Home {
			return variable{list: []string{home}, from: fromVariable}, true
		}
	}
	return variable{list: []string{st.set.Home}}, st.set.Home != ""
}

// home is where a tilde leads.
func (st *state) home() (string, bool) {
	v, ok := st.lookup("HOME")
	if !ok || len(v.list) != 1 || hasHole(v.list[0]) {
		return "", false
	}
	return v.list[0], true
}

// separators are the characters at which unquoted expansions are split.
func (st *state) separators() (string, bool) {
	v, ok := st.lookup("IFS")
	if !ok || len(v.list) != 1 || hasHole(v.list[0]) {
		return "", false
	}
	return v.list[0], true
}

// enter changes the directory; an empty path makes it unknown.
func (st *state) enter(dir string) {
	st.prev, st.cwd = st.cwd, dir
	delete(st.vars, "PWD")
	delete(st.vars, "OLDPWD")
}

// merge takes over what may have happened in another branch: what differs is no
// longer known.
func (st *state) merge(other *state) {
	if st.cwd != other.cwd {
		st.cwd = ""
	}
	if !slices.Equal(st.stack, other.stack) {
		st.stack = nil
	}
	st.status, st.physical, st.lastpipe = statusOpen, st.physical || other.physical, st.lastpipe || other.lastpipe
	st.leaving = min(st.leaving, other.leaving)
	for _, code := range other.traps {
		st.traps = withText(st.traps, code)
	}
	for name, v := range other.vars {
		mine, ok := st.vars[name]
		if !ok || !mine.equal(v) {
			st.vars[name] = v.orElse(mine)
		}
	}
	for name, v := range st.vars {
		if _, ok := other.vars[name]; !ok {
			st.vars[name] = v.orElse(variable{})
		}
	}
	for name, body := range other.funcs {
		if _, ok := st.funcs[name]; !ok {
			st.funcs[name] = body
		}
	}
}

// withText is a list of texts with one more.
func withText(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(slices.Clip(list), s)
}

func (v variable) equal(w variable) bool {
	return v.array == w.array && v.fixed == w.fixed && v.code == w.code && v.from == w.from && slices.Equal(v.list, w.list)
}

// orElse is a variable that holds v's value or w's.
func (v variable) orElse(w variable) variable {
	u := unknownVariable()
	u.from |= v.from | w.from
	u.code = v.code || w.code
	return u
}
