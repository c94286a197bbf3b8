package approval

import (
	"slices"
	"strings"

	"hermes-tui/tools"
)

// beside are commands that may stand beside the program of a [Gate.programScope]:
// they do nothing by themselves. Besides them [inert] and [transparent] ones may.
var beside = words(`cd pushd popd sleep :`)

// inert programs only show what is in files, and start no other program unless
// their arguments say so, which the judge asks about.
var inert = words(`ls cat head tail wc pwd echo printf stat file du df date whoami id uname hostname basename dirname realpath
	readlink cd true false test [ cmp diff comm cut tr sort uniq nl tac rev od hexdump xxd strings md5sum sha1sum sha256sum
	cksum grep egrep fgrep rg tree find which type`)

// programScope is the permission for a program with whatever arguments, where
// there is nothing else in the command that does something, the program is the one
// that its plain name means, and no reason to ask is known but that it is not known
// what the program does. It covers running outside what would run confined.
func (g *Gate) programScope(m *matter) []tools.Scope {
	s := m.seen
	if s == nil || s.loose || s.dark || !m.confines || slices.ContainsFunc(m.verdict.Categories, func(c Category) bool { return !held(c) }) {
		return nil
	}
	name := ""
	for i, c := range s.calls {
		switch word := c.words[0]; {
		case !word.known(), g.shadowed(word.text, m.Action, m.set):
			return nil
		case inert[word.text], beside[word.text], c.transparentFor(s.calls, i), word.text == name:
		case name != "", shellBuiltins[word.text], strings.Contains(word.text, "/"):
			return nil
		default:
			name = word.text
		}
	}
	switch {
	case name == "":
		return nil
	case startsOthers[name]:
		return []tools.Scope{{Label: "this program, which can run anything", Rule: name + " * (outside, with all it starts)"}}
	}
	return []tools.Scope{{Label: "this program", Rule: name + " * (outside)"}}
}

// startsOthers are programs made to run code or other programs that their arguments,
// or files of the project, name.
var startsOthers = words(`sh bash zsh dash ksh fish python python3 node deno bun ruby perl php lua npm npx pnpm yarn uv uvx pip pip3 pipx
	poetry make cmake ninja just task cargo go gradle mvn bazel rake bundle docker podman env sudo xargs find ssh git tox nox pytest`)
