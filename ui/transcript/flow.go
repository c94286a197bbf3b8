package transcript

import (
	"bytes"
	"strings"

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
	f.line += strings.ReplaceAll(f.clean.Push(string(text[n:])), "\t", "    ")
	for {
		end := strings.IndexByte(f.line, '\n')
		if end < 0 {
			break
		}
		f.rows = markdown.Wrap(f.rows, f.line[:end], w)
		f.line = f.line[end+1:]
		f.trim()
	}
	if at := markdown.Tail(f.line, w); at > 0 {
		f.rows = markdown.Wrap(f.rows, strings.TrimRight(f.line[:at], " "), w)
		f.line = f.line[at:]
		f.trim()
	}
}

// trim drops rows that can't be shown any more.
func (f *flow) trim() {
	if over := len(f.rows) - window; over > window {
		f.over += over
		f.rows = append(f.rows[:0], f.rows[over:]...)
	}
}

// newest returns the last n rows and how many are before them.
func (f *flow) newest(n int) (out []string, before int) {
	all := f.rows
	if f.line != "" {
		all = markdown.Wrap(all[:len(all):len(all)], f.line, f.w)
	}
	cut := max(len(all)-n, 0)
	return all[cut:], f.over + cut
}

// window is how many rows of a long text are shown in place. The whole of it is
// for the pager.
const window = 200

// head breaks the first n rows out of a text and counts the lines that are
// left.
func head(text string, w, n int) (out []string, left int) {
	rest := text
	for rest != "" && len(out) < n {
		line, more, _ := strings.Cut(rest, "\n")
		out = markdown.Wrap(out, line, w)
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
