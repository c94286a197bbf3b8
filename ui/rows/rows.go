// Package rows composes a screen out of rows. A region of the screen yields
// exactly h rows of exactly w cells; the frame puts cached rows side by side
// without looking into them.
//
// Widths are cells, counted by grapheme clusters. A row is self-contained: it
// holds no tab, no line break and no control sequence but SGR, and ends with
// all attributes off.
package rows

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Region is a part of the screen.
type Region interface {
	// Rows appends exactly h rows of exactly w cells to dst.
	Rows(dst []string, w, h int) []string
}

// Width is the number of cells a row takes.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// plain tells whether a string is printable ASCII only, which is the common
// case and needs no parsing.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// blanks is a run of spaces to cut padding from.
const blanks = "                                                                                                                                "

// Blank is a row of w empty cells.
func Blank(w int) string {
	if w <= 0 {
		return ""
	}
	if w <= len(blanks) {
		return blanks[:w]
	}
	return strings.Repeat(" ", w)
}

// Fit makes a row exactly w cells wide: longer ones are cut with an ellipsis,
// shorter ones filled with blanks.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(s)
	if n > w {
		s = ansi.Truncate(s, w, "…")
		if n = Width(s); n > w {
			return Blank(w)
		}
	}
	return s + Blank(w-n)
}

// Between makes a row of w cells with left at its start and right at its end.
// When both do not fit, left is cut first, down to a third of the row.
func Between(left, right string, w int) string {
	lw, rw := Width(left), Width(right)
	if lw+rw+1 <= w {
		return left + Blank(w-lw-rw) + right
	}
	room := max(w-rw-1, w/3)
	if room+1+rw > w {
		right = ansi.Truncate(right, max(w-room-1, 0), "…")
	}
	left = Fit(left, min(room, lw))
	return Fit(left+Blank(w-Width(left)-Width(right))+right, w)
}

// Fill appends blank rows to dst until it is n rows longer than base, and cuts
// what is over.
func Fill(dst []string, base, n, w int) []string {
	if len(dst) > base+n {
		return dst[:base+n]
	}
	for len(dst) < base+n {
		dst = append(dst, Blank(w))
	}
	return dst
}

// Rule is a horizontal line of w cells in the given style.
func Rule(w int, style Style) string {
	if w <= 0 {
		return ""
	}
	return style.Render(strings.Repeat("─", w))
}

// Splice lays over on top of a row of w cells, its left edge at cell x.
func Splice(row string, x int, over string, w int) string {
	ow := Width(over)
	if x < 0 || x >= w || ow == 0 {
		return row
	}
	if x+ow > w {
		over = ansi.Truncate(over, w-x, "")
		ow = Width(over)
	}
	left := ansi.Truncate(row, x, "")
	right := ansi.TruncateLeft(row, x+ow, "")
	if Width(right) > w-x-ow { // a wide character stands across the edge
		right = ansi.TruncateLeft(row, x+ow+1, "")
	}
	// A wide character under an edge is gone; blanks take its place.
	return left + Blank(x-Width(left)) + over + Blank(w-x-ow-Width(right)) + right
}
