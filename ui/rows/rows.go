// Package rows composes a screen out of rows. A region of the screen yields
// exactly h rows of exactly w cells; the frame puts cached rows side by side
// without looking into them.
//
// Widths are cells, as the terminal counts them; see [Method]. A row is self-contained: it
// holds no tab, no line break and no control sequence but SGR and links, and ends
// with all attributes and links off.
package rows

import "strings"

// Width is the number of cells a row takes.
func Width(s string) int {
	if n, ok := simple(s); ok {
		return n
	}
	return Method().StringWidth(s)
}

// simple counts the cells of a string of printable ASCII, styles, and the signs
// that frames and prose are full of: each of these takes one cell and joins with
// nothing. That is the common case, and much cheaper than finding clusters.
func simple(s string) (cells int, ok bool) {
	for i := 0; i < len(s); cells++ {
		switch c := s[i]; {
		case c >= 0x20 && c <= 0x7e:
			i++
		case c == 0x1b:
			if i = afterStyle(s, i); i < 0 {
				return 0, false
			}
			cells--
		case c == 0xe2 && i+2 < len(s) && single(s[i+1], s[i+2]):
			i += 3
		default:
			return 0, false
		}
	}
	return cells, true
}

// single reports whether the bytes after 0xe2 make a dash, quotation mark, bullet
// or ellipsis (U+2010 to U+2027) or an element of boxes (U+2500 to U+259F).
func single(b, c byte) bool {
	switch b {
	case 0x80:
		return c >= 0x90 && c <= 0xa7
	case 0x94, 0x95:
		return c >= 0x80 && c <= 0xbf
	case 0x96:
		return c >= 0x80 && c <= 0x9f
	}
	return false
}

// afterStyle finds the end of the SGR sequence or of the beginning or end of a link
// at i, -1 if there is none.
func afterStyle(s string, i int) int {
	if strings.HasPrefix(s[i+1:], "]8;") {
		if end := strings.IndexAny(s[i+1:], "\a\x1b"); end >= 0 && s[i+1+end] == '\a' {
			return i + end + 2
		}
		return -1
	}
	if i++; i == len(s) || s[i] != '[' {
		return -1
	}
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c < '0' || c > ';':
			return -1
		}
	}
	return -1
}

// Plain reports whether a string is printable ASCII only, which is the common
// case and needs no parsing.
func Plain(s string) bool {
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
		s = Truncate(s, w, "…")
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
		right = Truncate(right, max(w-room-1, 0), "…")
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
		over = Truncate(over, w-x, "")
		ow = Width(over)
	}
	left := Truncate(row, x, "")
	right := TruncateLeft(row, x+ow, "")
	if Width(right) > w-x-ow { // a wide character stands across the edge
		right = TruncateLeft(row, x+ow+1, "")
	}
	// A wide character under an edge is gone; blanks take its place.
	return left + Blank(x-Width(left)) + over + Blank(w-x-ow-Width(right)) + right
}
