package timeline

import (
	"strings"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// The least window that shows anything.
const minWidth, minHeight = 20, 4

// window collects the rows of a window of w cells and h rows with a border.
type window struct {
	st   *rows.Styles
	w, h int
	base int
	dst  []string
}

// fits tells whether a window of w×h cells shows anything.
func fits(w, h int) bool { return w >= minWidth && h >= minHeight }

// inner is how many cells a row has between the edges and the blanks beside them.
func (f *window) inner() int { return f.w - 4 }

// left is how many rows there are above the lower edge.
func (f *window) left() int { return f.h - 1 - (len(f.dst) - f.base) }

// top draws the upper edge: a title, and a note that yields to it.
func (f *window) top(title, note string) {
	f.dst = append(f.dst, f.edge("╭", "╮", title, f.st.Strong, note, f.st.Muted))
}

// bottom fills the window up and draws the lower edge.
func (f *window) bottom(hints []status.Hint) []string {
	for f.left() > 0 {
		f.add(rows.Blank(f.inner()))
	}
	return append(f.dst, f.edge("╰", "╯", hintLine(hints), f.st.Faint, "", f.st.Faint))
}

func (f *window) edge(left, right, title string, ts rows.Style, note string, ns rows.Style) string {
	row := cells.NewRow(f.w)
	row.Put(f.st.Border, left)
	if n := f.w - 6; title != "" && n > 0 {
		row.Put(f.st.Border, "─").Skip(1).PutMax(ts, title, n).Skip(1)
	}
	if n := rows.Width(note); note == "" || row.Left() < n+5 {
		f.line(row, 1)
	} else {
		f.line(row, n+4)
		row.Skip(1).Put(ns, note).Skip(1).Put(f.st.Border, "─")
	}
	return row.Put(f.st.Border, right).String()
}

// line draws a line until left cells are free.
func (f *window) line(row *cells.Row, left int) {
	if n := row.Left() - left; n > 0 {
		row.Put(f.st.Border, strings.Repeat("─", n))
	}
}

// divide draws a line through the window.
func (f *window) divide() {
	row := cells.NewRow(f.w).Put(f.st.Border, "├")
	f.line(row, 1)
	f.dst = append(f.dst, row.Put(f.st.Border, "┤").String())
}

// add appends a row of inner cells.
func (f *window) add(row string) {
	edge := f.st.Border.Render("│")
	if f.st.Border.Open() == "" {
		edge = "\x1b[m│\x1b[m" // keeps characters from joining with it
	}
	f.dst = append(f.dst, edge+" "+row+" "+edge)
}

// say appends a row with one text.
func (f *window) say(style rows.Style, text string) {
	f.add(cells.NewRow(f.inner()).Put(style, text).String())
}

// size is that of nearly the whole screen, and all of a small one.
func size(w, h int) (bw, bh int) {
	if w < 60 || h < 16 {
		return max(w, 0), max(h, 0)
	}
	return w - 4, h - 2
}

// hintLine writes reminders of keys in one line.
func hintLine(hints []status.Hint) string {
	var parts []string
	for _, h := range hints {
		parts = append(parts, term.Line(h.Key)+" "+term.Line(h.Text))
	}
	return strings.Join(parts, " · ")
}
