package transcript

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/term"
)

// flow is plain text that grows, broken into rows. It holds the newest rows
// only, and taking in more text costs what is taken in.
type flow struct {
	w     int
	clean term.Sanitizer
	fed   []byte // what was taken in; not ours
	rows  []string
	over  int    // rows that are no longer held
	line  string // the unfinished line, from the start of its last row
}

// set takes in the text that is there by now.
func (f *flow) set(text []byte, w int) {
	n := len(f.fed)
	if w != f.w || len(text) < n || n > 0 && &text[0] != &f.fed[0] && !bytes.HasPrefix(text, f.fed) {
		*f = flow{w: w, clean: term.Sanitizer{NoColor: true}}
		n = 0
	}
	f.fed = text
	if len(text) == n && n > 0 {
		return
	}
	f.line += strings.ReplaceAll(f.clean.Push(string(text[n:])), "\t", "    ")
	for {
		end := strings.IndexByte(f.line, '\n')
		if end < 0 {
			break
		}
		f.put(f.line[:end])
		f.line = f.line[end+1:]
	}
	if at := markdown.Tail(f.line, w); at > 0 {
		f.put(strings.TrimRight(f.line[:at], " "))
		f.line = f.line[at:]
	}
}

// put adds the rows of a text that has ended, and drops those that can't be shown
// any more.
func (f *flow) put(text string) {
	f.rows = markdown.Wrap(f.rows, text, f.w)
	if over := len(f.rows) - window; over > window {
		f.over += over
		f.rows = append(f.rows[:0], f.rows[over:]...)
	}
}

// newest returns the last n rows and how many are before them. The rows are valid
// until the next call of a method.
func (f *flow) newest(n int) (out []string, before int) {
	all := f.rows
	if f.line != "" { // in the room behind the rows, which is no one else's
		all = markdown.Wrap(all, f.line, f.w)
	}
	cut := max(len(all)-n, 0)
	return all[cut:], f.over + cut
}

// window is how many rows of a long text are shown in place. The whole of it is
// for the pager.
const window = 200

// wrapper appends the rows of a line, see [markdown.Wrap].
type wrapper func(dst []string, line string, w int) []string

// head breaks the first n rows out of a text and counts the lines that are
// left.
func head(text string, w, n int, wrap wrapper) (out []string, left int) {
	rest := text
	for rest != "" && len(out) < n {
		line, more, _ := strings.Cut(rest, "\n")
		out = wrap(out, line, w)
		rest = more
	}
	if len(out) > n {
		out, left = out[:n], 1
	}
	if rest != "" {
		left += strings.Count(strings.TrimRight(rest, "\n"), "\n") + 1
	}
	return out, left
}

// opening is [head] for a text from outside of any length: it looks at no more of
// it than the rows can need, two bytes for a cell, and only counts the lines of
// the rest.
func opening(text event.Text, w, n int, wrap wrapper) (out []string, left int) {
	all := bytes.TrimRight(text.Bytes(), "\n")
	part, rest := all, []byte(nil)
	if most := 2 * n * max(w, 16); len(all) > most {
		part, rest = cutLines(all, most)
	}
	out, left = head(strings.TrimRight(term.Plain(string(part)), "\n"), w, n, wrap)
	if len(rest) > 0 {
		left += bytes.Count(rest, []byte("\n")) + 1
	}
	return out, left
}

// cutLines parts a text after at most n bytes, at the end of a line when there is
// one in the second half of them.
func cutLines(text []byte, n int) (part, rest []byte) {
	if i := bytes.LastIndexByte(text[n/2:n], '\n'); i >= 0 {
		n = n/2 + i
		return text[:n], text[n+1:]
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], text[n:]
}
