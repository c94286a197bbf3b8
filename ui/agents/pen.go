package agents

import (
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// pen writes rows of an exact width one after the other into the same memory. It
// is [cells.Row] for a tree of many rows, which are drawn for every frame: a row
// costs one allocation.
type pen struct {
	b    []byte
	left int // free cells
}

// begin starts a row of w cells.
func (k *pen) begin(w int) {
	k.b, k.left = k.b[:0], max(w, 0)
}

// put adds a piece of text, cut to what is free.
func (k *pen) put(style rows.Style, text string) { k.putMax(style, text, k.left) }

// putMax adds a piece of text of at most n cells.
func (k *pen) putMax(style rows.Style, text string, n int) {
	if n = min(n, k.left); n <= 0 || text == "" {
		return
	}
	width := rows.Width(text)
	if width > n {
		text = cells.Cut(text, n)
		width = rows.Width(text)
	}
	if width == 0 {
		return
	}
	k.left -= width
	// Sequences on both sides keep characters of neighbouring pieces from joining,
	// which would change their width.
	open := style.Open()
	if open == "" {
		open = "\x1b[m"
	}
	k.b = append(k.b, open...)
	k.b = append(k.b, text...)
	k.b = append(k.b, "\x1b[m"...)
}

// skip adds n blanks.
func (k *pen) skip(n int) {
	if n = min(n, k.left); n > 0 {
		k.b = append(k.b, rows.Blank(n)...)
		k.left -= n
	}
}

// until adds blanks until n cells are free.
func (k *pen) until(n int) { k.skip(k.left - n) }

// end fills the row up with blanks and returns it.
func (k *pen) end() string {
	k.skip(k.left)
	return string(k.b)
}
