// Package cells builds single rows of an exact width out of pieces of text that
// may hold any Unicode: labels, titles and paths from outside.
//
// Guarantees:
//
//   - A finished [Row] takes exactly its width, is self-contained and holds no
//     control sequence but colours, provided that its pieces hold none: text
//     from outside passes through the one-line form of package term first.
//   - Text is cut between grapheme clusters, never inside one. What is left out
//     is shown by an ellipsis.
//
// A [Row] belongs to one goroutine; the functions are safe for concurrent use.
package cells

import (
	"strings"
	"unicode/utf8"

	"hermes-tui/ui/rows"
)

// ellipsis stands for text that is left out.
const ellipsis = "…"

// Next returns the length in bytes of the first grapheme cluster of s and its
// width in cells. s must not be empty and must not begin with a control
// character.
func Next(s string) (n, width int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	cluster, width := rows.Cluster(s)
	return len(cluster), width
}

// Cut shortens s to at most w cells, keeping its beginning.
func Cut(s string, w int) string {
	s, _ = cut(s, w)
	return s
}

// cut is [Cut] and tells the width of what is left.
func cut(s string, w int) (string, int) {
	if w <= 0 || s == "" {
		return "", 0
	}
	n := rows.Width(s)
	if n <= w {
		return s, n
	}
	ends := make([]int, 0, w)
	for i, used := 0, 0; i < len(s); {
		n, cw := Next(s[i:])
		if used+cw > w-1 {
			break
		}
		i, used = i+n, used+cw
		ends = append(ends, i)
	}
	// Some characters swallow the one behind them: the ellipsis must not be.
	for len(ends) > 0 {
		end := ends[len(ends)-1]
		out := s[:end] + ellipsis
		if n := rows.Width(out); n <= w && n > rows.Width(s[:end]) {
			return out, n
		}
		ends = ends[:len(ends)-1]
	}
	return ellipsis, 1
}

// CutStart shortens s to at most w cells, keeping its end, as suits a path.
func CutStart(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := rows.Width(s)
	if n <= w {
		return s
	}
	for i := 0; i < len(s); {
		step, width := Next(s[i:])
		i, n = i+step, n-width
		if n <= w-1 {
			if rest := ellipsis + s[i:]; rows.Width(rest) <= w {
				return rest
			}
		}
	}
	return ellipsis
}

// Split parts s into what fits into w cells and the rest, at a blank where one
// stands in the second half of the row and inside a word where not. The blanks
// at the parting are left out.
func Split(s string, w int) (first, rest string) {
	end, used, blank := 0, 0, 0
	for end < len(s) {
		n, width := Next(s[end:])
		if used+width > w {
			break
		}
		if n == 1 && s[end] == ' ' && 2*used >= w {
			blank = end
		}
		end, used = end+n, used+width
	}
	if end == len(s) {
		return s, ""
	}
	if blank > 0 && s[end] != ' ' {
		end = blank
	}
	return strings.TrimRight(s[:end], " "), strings.TrimLeft(s[end:], " ")
}

// Window chooses which of n entries stand in a list of room rows so that the
// entry at is among them, about a third from the top where possible. Rows that
// say how many entries are hidden above and below take a row each; from and to
// bound the entries between them.
func Window(n, room, at int) (from, to int) {
	if n <= room || room <= 0 {
		return 0, max(min(n, room), 0)
	}
	if room < 3 { // no room for marks
		from = min(max(at, 0), n-room)
		return from, from + room
	}
	from = at - min(room/3, room-3)
	switch {
	case from <= 1:
		return 0, room - 1
	case from >= n-room+1:
		return n - room + 1, n
	}
	return from, from + room - 2
}

// A Row is a row under construction, filled from the left. The zero value is
// not ready, see [NewRow].
type Row struct {
	b    strings.Builder
	w    int
	used int
}

// NewRow begins a row of w cells.
func NewRow(w int) *Row { return &Row{w: max(w, 0)} }

// Left is how many cells are still free.
func (r *Row) Left() int { return r.w - r.used }

// Put adds a piece of text, cut to what is free.
func (r *Row) Put(style rows.Style, text string) *Row {
	return r.PutMax(style, text, r.Left())
}

// PutMarked adds a piece of text of at most n cells, in which the characters at some
// offsets, which rise, have another style.
func (r *Row) PutMarked(style, marked rows.Style, text string, n int, offsets []int) {
	text = Cut(text, min(n, r.Left()))
	from, hit := 0, false
	flush := func(to int) {
		if hit {
			r.Put(marked, text[from:to])
		} else {
			r.Put(style, text[from:to])
		}
		from = to
	}
	for i := 0; i < len(text) && (hit || len(offsets) > 0); {
		step, _ := Next(text[i:])
		now := false
		for len(offsets) > 0 && offsets[0] < i+step {
			now = now || offsets[0] >= i
			offsets = offsets[1:]
		}
		if now != hit {
			flush(i)
			hit = now
		}
		i += step
	}
	flush(len(text))
}

// PutMax adds a piece of text of at most n cells.
func (r *Row) PutMax(style rows.Style, text string, n int) *Row {
	text, width := cut(text, min(n, r.Left()))
	if width == 0 {
		return r
	}
	r.used += width
	// A sequence before and behind keeps characters of neighbouring pieces from
	// joining, which would change their width.
	if style.Open() == "" && !rows.Plain(text) {
		text = "\x1b[m" + text + "\x1b[m"
	}
	r.b.WriteString(style.Render(text))
	return r
}

// Skip adds n blanks.
func (r *Row) Skip(n int) *Row {
	n = min(n, r.Left())
	if n > 0 {
		r.b.WriteString(rows.Blank(n))
		r.used += n
	}
	return r
}

// Until adds blanks until n cells are free.
func (r *Row) Until(n int) *Row { return r.Skip(r.Left() - n) }

// String fills the row up with blanks and returns it.
func (r *Row) String() string {
	r.Skip(r.Left())
	return r.b.String()
}

// DropLast is s without its last character. s must hold no control characters.
func DropLast(s string) string {
	last := 0
	for i := 0; i < len(s); {
		n, _ := Next(s[i:])
		last, i = i, i+n
	}
	return s[:last]
}
