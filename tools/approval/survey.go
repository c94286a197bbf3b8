package approval

import (
	"path"
	"slices"
	"strings"
)

// survey is what following a command has seen, for the rules of a user: every
// call of a program, in the order in which they were met, and to which call each
// finding belongs. A call appears once for each way on which it was met.
type survey struct {
	calls []seen
	// alike are other words for calls, by which rules that forbid or ask know them.
	alike []seen
	found []finding
	// loose says that the command does more than call programs with words that are
	// known: it sets variables, declares functions, or redirects to a file whose
	// name is not known. No permission covers that.
	loose bool
	// dark says that a part of it was not read, so that any program may be called
	// there.
	dark bool
	// unbound says that not all files are known that it would run.
	unbound bool
	// own are words by which a program may change the agent's own files.
	own []string
	// online is the first program met that shows what comes from the network, empty if none.
	online string
}

// noCall is the index of the call where there is none.
const noCall = -1

// seen is a call of a program. Wrappers are calls themselves; parent is the one
// that hands its words on to this one.
type seen struct {
	words  []arg // the program and its arguments
	name   string
	real   string // the last element of what a program named by a path leads to
	parent int
	fed    bool // it reads from a pipe, a file or a here-document
}

// program is the one program of the command that does more than show things, as a
// list of it; empty where there are none or several.
func (s *survey) program() []string {
	if s == nil {
		return nil
	}
	var shows, acts []string
	for i, c := range s.calls {
		name := Canonical(c.name)
		list := &acts
		switch {
		case name == "", c.transparentFor(s.calls, i):
			continue
		case inert[name], beside[name]:
			list = &shows
		}
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	if len(acts) == 0 {
		acts = shows
	}
	if len(acts) != 1 {
		return nil
	}
	return acts
}

// finding is a reason to ask or to block, and the call that gave it.
type finding struct {
	cat  Category
	call int
}

// enter notes a call and makes it the present one. The result undoes that.
func (j *judge) enter(st *state, words []arg, in input) (leave func()) {
	if j.seen == nil {
		return func() {}
	}
	outer := j.at
	_, name := cutLast(words[0].text)
	if j.set.FoldsCase {
		name = strings.ToLower(name)
	}
	s := seen{words: words, name: name, parent: outer, fed: in != (input{})}
	if strings.Contains(words[0].text, "/") {
		if raw, ok := st.raw(words[0].text); ok {
			if real, ok := j.set.real(raw); ok {
				s.real = path.Base(real)
			}
		}
	}
	j.at = len(j.seen.calls)
	j.seen.calls = append(j.seen.calls, s)
	return func() { j.at = outer }
}

// alike notes other words for the present call.
func (j *judge) alike(words []arg) {
	if j.seen != nil {
		j.seen.alike = append(j.seen.alike, seen{words: words, name: words[0].text, parent: j.at})
	}
}

// outside makes what is found from here on belong to no call. The result undoes
// that.
func (j *judge) outside() (back func()) {
	outer := j.at
	j.at = noCall
	return func() { j.at = outer }
}

// noted keeps a finding for the rules.
func (j *judge) noted(cat Category) {
	if j.seen == nil {
		return
	}
	switch cat {
	case CatUnparsable, CatTooComplex, CatObfuscated:
		j.seen.dark = true
	}
	if f := (finding{cat, j.at}); !slices.Contains(j.seen.found, f) {
		j.seen.found = append(j.seen.found, f)
	}
}

// loosen notes that the command does more than call programs.
func (j *judge) loosen() {
	if j.seen != nil {
		j.seen.loose = true
	}
}

// darken notes that there is code which was not read.
func (j *judge) darken() {
	if j.seen != nil {
		j.seen.dark = true
	}
}

// online notes that a program shows what comes from the network.
func (j *judge) online(program string) {
	if j.seen != nil && j.seen.online == "" {
		j.seen.online = Canonical(program)
	}
}

// unbind notes that something runs of which it is not known in which file it is.
func (j *judge) unbind() {
	if j.seen != nil {
		j.seen.unbound = true
	}
}
