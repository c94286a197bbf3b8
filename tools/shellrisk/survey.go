package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// Survey is what following a command has seen, for the rules of a user: every
// call of a program, in the order in which they were met, and to which call each
// finding belongs. A call appears once for each way on which it was met.
type Survey struct {
	set   Setting
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
	// online are the programs met that show what comes from the network.
	online []string
	// push is the first call that sends commits to another repository.
	push []string
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

// Program is the one program of the command that does more than show things, as a
// list of it; empty where there are none or several.
func (s *Survey) Program() []string {
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

// Sole is the one program of the command that does something, called by its plain
// name, whatever else only shows things or does nothing by itself. It is empty where
// there are none or several, where part of the command is not known, and where shadowed
// says of a name that it may be another program.
func (s *Survey) Sole(shadowed func(name string) bool) string {
	if s.loose || s.dark {
		return ""
	}
	name := ""
	for i, c := range s.calls {
		switch word := c.words[0]; {
		case !word.known(), shadowed(word.text):
			return ""
		case inert[word.text], beside[word.text], c.transparentFor(s.calls, i), word.text == name:
		case name != "", shellBuiltins[word.text], strings.Contains(word.text, "/"):
			return ""
		default:
			name = word.text
		}
	}
	return name
}

// First is the name of the program that is called first, empty for none.
func (s *Survey) First() string {
	if s == nil || len(s.calls) == 0 {
		return ""
	}
	return s.calls[0].name
}

// Names are the plain names by which programs are called, each once, without those of
// the shell's own commands.
func (s *Survey) Names() []string {
	if s == nil {
		return nil
	}
	var names []string
	for _, c := range s.calls {
		word := c.words[0]
		if word.known() && word.text != "" && !strings.Contains(word.text, "/") && !shellBuiltins[word.text] && !slices.Contains(names, word.text) {
			names = append(names, word.text)
		}
	}
	return names
}

// Words are the words of all calls that are known, the programs among them.
func (s *Survey) Words() (list []string) {
	if s == nil {
		return nil
	}
	for _, c := range s.calls {
		for _, w := range c.words {
			if w.known() {
				list = append(list, w.text)
			}
		}
	}
	return list
}

// Online are the programs met that show what comes from the network, those of git with
// its verb, each once.
func (s *Survey) Online() []string {
	if s == nil {
		return nil
	}
	return s.online
}

// Pushes are the words of a call that sends commits to another repository, nil for none. It
// is nothing that a verdict asks about: that is for whoever knows where commands run.
func (s *Survey) Pushes() []string {
	if s == nil {
		return nil
	}
	return s.push
}

// Unbound reports whether not all files are known that the command would run.
func (s *Survey) Unbound() bool { return s != nil && s.unbound }

// beside are commands that may stand beside the program of [Survey.Sole]:
// they do nothing by themselves. Besides them [inert] and [transparent] ones may.
var beside = words(`cd pushd popd sleep :`)

// inert programs only show what is in files, and start no other program unless
// their arguments say so, which the judge asks about.
var inert = words(`ls cat head tail wc pwd echo printf stat file du df date whoami id uname hostname basename dirname realpath
	readlink cd true false test [ cmp diff comm cut tr sort uniq nl tac rev od hexdump xxd strings md5sum sha1sum sha256sum
	cksum grep egrep fgrep rg tree find which type`)

// startsOthers are programs made to run code or other programs that their arguments,
// or files of the project, name.
var startsOthers = words(`sh bash zsh dash ksh fish python python3 node deno bun ruby perl php lua npm npx pnpm yarn uv uvx pip pip3 pipx
	poetry make cmake ninja just task cargo go gradle mvn bazel rake bundle docker podman env sudo xargs find ssh git tox nox pytest`)

// StartsOthers reports whether a program is one of those.
func StartsOthers(name string) bool { return startsOthers[name] }

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
	if name := Canonical(program); j.seen != nil && !slices.Contains(j.seen.online, name) {
		j.seen.online = append(j.seen.online, name)
	}
}

// pushes notes a call that sends commits to another repository.
func (j *judge) pushes(words []string) {
	if j.seen != nil && j.seen.push == nil {
		j.seen.push = words
	}
}

// unbind notes that something runs of which it is not known in which file it is.
func (j *judge) unbind() {
	if j.seen != nil {
		j.seen.unbound = true
	}
}
