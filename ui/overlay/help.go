package overlay

import (
	"strconv"
	"strings"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Entry is a line of [Help]: a key or a command and what it does.
type Entry struct{ Key, Text string }

// Section is a part of [Help].
type Section struct {
	Title   string
	Entries []Entry
}

// Help shows what keys and commands do. The zero value is not ready, see
// [NewHelp].
type Help struct {
	Silent
	st       *rows.Styles
	title    string
	sections []Section
	hints    []status.Hint
	keys     int // cells of the longest key

	w     int      // the width that lines was made for, 0 for none
	lines []string // rows inside the border
	top   int      // first line in sight
	page  int      // lines in sight
}

// maxKeys bounds the column of keys in cells.
const maxKeys = 24

// NewHelp makes a help window.
func NewHelp(st *rows.Styles, title string, sections []Section, hints []status.Hint) *Help {
	h := &Help{st: st, title: term.Line(title), hints: hints, page: 1}
	for _, s := range sections {
		clean := Section{Title: term.Line(s.Title)}
		for _, e := range s.Entries {
			e = Entry{term.Line(e.Key), term.Line(e.Text)}
			clean.Entries = append(clean.Entries, e)
			h.keys = max(h.keys, min(rows.Width(e.Key), maxKeys))
		}
		h.sections = append(h.sections, clean)
	}
	return h
}

// SetStyles implements [Box].
func (h *Help) SetStyles(st *rows.Styles) { h.st, h.w = st, 0 }

// Contexts are where keys of the table have a meaning here besides those of any window.
func (h *Help) Contexts() []keys.Context { return []keys.Context{keys.InText} }

// Act implements [Box].
func (h *Help) Act(a keys.Action) Request {
	if a == keys.Accept {
		return Close{}
	}
	return nil
}

// Move implements [Box].
func (h *Help) Move(m Move) Request {
	h.top = m.From(h.top, len(h.lines), max(h.page-1, 1))
	h.clamp()
	return nil
}

func (h *Help) clamp() { h.top = max(min(h.top, len(h.lines)-h.page), 0) }

// Size implements [Box].
func (h *Help) Size(w, sh int) (bw, bh int) {
	bw = boxWidth(w)
	h.layout(bw)
	room := sh - 2
	if sh < 16 {
		room = sh
	}
	return bw, max(min(len(h.lines)+2, room), 0)
}

// layout makes the lines for a box of w cells.
func (h *Help) layout(w int) {
	if h.w == w {
		return
	}
	h.w, h.lines = w, h.lines[:0]
	keys := max(min(h.keys, (w-edges)*2/5), 1)
	text := max(w-edges-2-keys, 1)
	for i, s := range h.sections {
		if i > 0 {
			h.lines = append(h.lines, cells.NewRow(w-2).String())
		}
		h.lines = append(h.lines, cells.NewRow(w-2).Skip(1).PutMax(h.st.Strong, s.Title, w-edges).String())
		for _, e := range s.Entries {
			h.entry(e, w, keys, text)
		}
	}
}

// entry adds the lines of one entry. Both sides are wrapped.
func (h *Help) entry(e Entry, w, keys, text int) {
	left, right := wrapLine(e.Key, keys), wrapLine(e.Text, text)
	for i := range max(len(left), len(right)) {
		row := cells.NewRow(w - 2).Skip(1)
		if i < len(left) {
			row.PutMax(h.st.Accent, left[i], keys)
		}
		row.Until(w - 2 - 1 - keys - 2)
		if i < len(right) {
			row.PutMax(h.st.Text, right[i], text)
		}
		h.lines = append(h.lines, row.String())
	}
}

// Rows implements [Box].
func (h *Help) Rows(dst []string, w, rh int) []string {
	if rh < 3 || w < edges+1 {
		return rows.Fill(dst, len(dst), max(rh, 0), w)
	}
	h.layout(w)
	h.page = rh - 2
	h.clamp()
	note := ""
	if len(h.lines) > h.page {
		note = strconv.Itoa((h.top+h.page)*100/len(h.lines)) + "%"
	}
	f := NewFrame(h.st, dst, w, rh)
	f.Top(h.title, note)
	for _, line := range h.lines[h.top:min(h.top+h.page, len(h.lines))] {
		f.Add(line)
	}
	return f.Bottom(h.hints)
}

// wrapLine wraps a line of text at blanks.
func wrapLine(s string, w int) []string {
	var list []string
	for {
		first, rest := cells.Split(s, w)
		if first == "" && rest != "" { // a character wider than the column
			return append(list, strings.TrimSpace(rest))
		}
		list = append(list, first)
		if rest == "" {
			return list
		}
		s = rest
	}
}
