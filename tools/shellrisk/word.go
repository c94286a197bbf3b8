package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hole stands in a text for a piece that is not known before the command runs.
// A shell string cannot hold a NUL, so it is never mistaken.
const hole = "\x00"

func hasHole(s string) bool { return strings.Contains(s, hole) }

// origin says where a text came from.
type origin uint16

const (
	fromVariable origin = 1 << iota // a variable other than HOME and PWD
	fromCommand                     // the output of a command
	fromInput                       // given while running, by xargs or find
	fromBraces                      // brace expansion
	fromSecret                      // a variable named like a credential
	fromDownload                    // a command that fetches from the network
	fromProcess                     // a pipe from or to a command: <(…)
	fromJob                         // the number of a job of this very shell
	fromParent                      // the number of the process that started the shell
	fromOutside                     // a variable that the command does not set itself
	opaque                          // a hole that may be anything at all
	executable                      // a file that was made executable
	written                         // a file that was written
	scattered                       // a hole outside quotes: any number of words
)

// dynamic origins make a text something other than what was typed.
const dynamic = fromVariable | fromCommand | fromInput | fromProcess

// arg is a word of a command as the program would get it.
type arg struct {
	text string // after quote removal, with holes
	// pat is the pattern of a word with active pattern characters, quoted ones
	// escaped by a backslash; empty when there are none.
	pat  string
	from origin
}

// known reports whether text is exactly what the program gets.
func (a arg) known() bool { return a.pat == "" && !hasHole(a.text) }

// literal reports whether the word is known and was typed as it is.
func (a arg) literal() bool { return a.known() && a.from&dynamic == 0 }

// show is the word for people.
func (a arg) show() string { return strings.ReplaceAll(a.text, hole, "…") }

func show(args []arg) []string {
	out := make([]string, 0, len(args))
	for _, a := range args {
		out = append(out, a.show())
	}
	return out
}

func literalArg(s string) arg { return arg{text: s} }

// holeArg is a word of which nothing is known.
func holeArg(from origin) arg { return arg{text: hole, from: from | opaque} }

// expand gives the words a typed word turns into. Commands in substitutions are
// judged on the way.
func (j *judge) expand(st *state, w *syntax.Word) []arg {
	if !j.step() {
		return []arg{holeArg(fromVariable)}
	}
	if text, ok := asTyped(w); ok {
		return []arg{{text: text}}
	}
	expanded, ok := braces(w)
	if !ok {
		j.fields(st, w) // for the commands in it
		return []arg{{text: hole, from: fromBraces | opaque}}
	}
	if len(expanded) == 1 {
		return j.fields(st, expanded[0])
	}
	var out []arg
	for _, word := range expanded {
		for _, a := range j.fields(st, word) {
			a.from |= fromBraces
			out = append(out, a)
		}
	}
	return out
}

// asTyped gives a word in which the shell expands nothing and takes nothing away.
func asTyped(w *syntax.Word) (text string, ok bool) {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[{~") {
			return lit.Value, true
		}
	}
	return "", false
}

func (j *judge) expandAll(st *state, words []*syntax.Word) []arg {
	out := make([]arg, 0, len(words))
	for _, w := range words {
		out = append(out, j.expand(st, w)...)
	}
	return out
}

// fields expands everything but braces, and splits.
func (j *judge) fields(st *state, w *syntax.Word) []arg {
	b := builder{judge: j, st: st, values: j.expansion, splits: true}
	for i, part := range w.Parts {
		b.part(part, i == 0, i == len(w.Parts)-1)
	}
	out := b.finish()
	j.steps += len(out) // a list can double itself
	return out
}

// value expands a word where it is not split: an assignment, a redirect's
// here-string, a case word. A tilde after a colon expands as well.
func (j *judge) value(st *state, w *syntax.Word) arg {
	if w == nil {
		return arg{}
	}
	if !j.step() {
		return holeArg(fromVariable)
	}
	b := builder{judge: j, st: st, values: j.expansion}
	for i, part := range w.Parts {
		b.part(part, i == 0, i == len(w.Parts)-1)
	}
	a := b.single()
	a.pat = ""
	return a
}

// document expands the body of a here-document, in which quotes mean nothing.
func (j *judge) document(st *state, w *syntax.Word) arg {
	if w == nil {
		return arg{}
	}
	b := builder{judge: j, st: st, values: j.expansion}
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.quoted(unescapeDocument(lit.Value))
			continue
		}
		b.quotedPart(part)
	}
	return b.single()
}

// unescapeDocument removes the backslashes that have a meaning there.
func unescapeDocument(s string) string {
	return unescape(s, "$`\\\n")
}

// unescape removes backslashes before the given characters, and line breaks
// after a backslash altogether.
func unescape(s, special string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
