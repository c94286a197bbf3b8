package overlay

import (
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
)

// Frame collects the rows of a window with a border, from the top to the bottom.
// It serves boxes of other packages.
type Frame struct {
	st   *rows.Styles
	w, h int
	base int
	dst  []string
}

// NewFrame begins a window of h rows of w cells behind dst. It must have room for
// both edges and for [Frame.Inner] cells.
func NewFrame(st *rows.Styles, dst []string, w, h int) *Frame {
	return &Frame{st: st, w: w, h: h, base: len(dst), dst: dst}
}

// Inner is how many cells a row has between the edges and the blanks beside them.
func (f *Frame) Inner() int { return max(f.w-edges, 0) }

// Left is how many rows there are above the lower edge.
func (f *Frame) Left() int { return f.h - 1 - (len(f.dst) - f.base) }

// Top draws the upper edge: a title, and a note on the right, which yields to it.
func (f *Frame) Top(title, note string) {
	f.dst = append(f.dst, upper(f.st).draw(f.w, title, f.st.Strong, note, f.st.Muted))
}

// Add appends a row of exactly w-2 cells, which brings the blanks beside the edges
// with it.
func (f *Frame) Add(row string) { f.dst = append(f.dst, inside(f.st, row, f.w)) }

// Put appends a row of exactly [Frame.Inner] cells.
func (f *Frame) Put(row string) { f.Add(" " + row + " ") }

// Say appends a row with one text, cut to the row.
func (f *Frame) Say(style rows.Style, text string) {
	f.Add(cells.NewRow(f.w-2).Skip(1).PutMax(style, text, f.Inner()).String())
}

// Divide draws a line through the window.
func (f *Frame) Divide() { f.dst = append(f.dst, divider(f.st, f.w)) }

// Bottom fills the window up, draws the lower edge with reminders of keys, and
// returns all rows.
func (f *Frame) Bottom(hints []status.Hint) []string {
	for f.Left() > 0 {
		f.Add(rows.Blank(f.w - 2))
	}
	return append(f.dst, lower(f.st).draw(f.w, hintLine(hints, f.w), f.st.Faint, "", f.st.Faint))
}
