package markdown

import (
	"strings"
	"unicode/utf8"

	"hermes-tui/ui/rows"
)

// piece is the part of a line that makes one row.
type piece struct {
	from, to int // bytes
	width    int // cells
}

// clusters walks over a line by grapheme clusters. Clusters end at the ends of
// runs, because that is where escape sequences part them on the screen.
type clusters struct {
	s     string
	runs  []run
	at    int
	limit int // end of the current run
}

func newClusters(s string, runs []run, base int) clusters {
	c := clusters{s: s, runs: runs, at: base, limit: len(s)}
	c.bound()
	return c
}

// bound finds the run that the position lies in.
func (c *clusters) bound() {
	for len(c.runs) > 0 && c.runs[0].end <= c.at {
		c.runs = c.runs[1:]
	}
	if c.limit = len(c.s); len(c.runs) > 0 {
		c.limit = min(c.limit, c.runs[0].end)
	}
}

// next returns the length in bytes and the width in cells of the cluster at the
// position and moves behind it.
func (c *clusters) next() (n, width int) {
	if c.at >= c.limit {
		c.bound()
	}
	i := c.at
	if c.s[i] < utf8.RuneSelf && (i+1 >= c.limit || c.s[i+1] < utf8.RuneSelf) {
		c.at++
		return 1, 1
	}
	cluster, w := rows.Cluster(c.s[i:c.limit])
	c.at += len(cluster)
	return len(cluster), w
}

// breakWords cuts the line s[base:] into pieces of at most w cells, at blanks
// where possible. Blanks at a cut and at the end of the line are left out. A
// character wider than w is left out as well.
func breakWords(dst []piece, s string, runs []run, base, w int) []piece {
	if n := len(s) - base; n <= w && ascii(s[base:]) {
		to := base + len(strings.TrimRight(s[base:], " "))
		return append(dst, piece{base, to, to - base})
	}
	b := wordBreaker{dst: dst, rows: len(dst), s: s, w: w, from: base, cl: newClusters(s, runs, base)}
	for b.cl.at < len(s) {
		if b.atBlank() {
			b.blanks()
		} else {
			b.cluster()
		}
	}
	return b.finish()
}

// wordBreaker is a line being broken, row after row.
type wordBreaker struct {
	dst  []piece
	rows int // pieces of other lines
	s    string
	w    int
	cl   clusters

	from, col int // start of the row and cells since
	content   int // end of the last character that is no blank
	cells     int // cells from the start of the row to content
	wide      bool
	last      rune

	// The newest place to break, valid when next > from: the row ends at to
	// with width cells, the following row begins at next, which is column col.
	okTo, okWidth, okNext, okCol int
}

// atBlank reports whether a blank follows. A blank that carries a mark is none.
func (b *wordBreaker) atBlank() bool {
	i := b.cl.at
	if i >= len(b.s) || b.s[i] != ' ' {
		return false
	}
	if i+1 >= len(b.s) || b.s[i+1] < utf8.RuneSelf {
		return true
	}
	ahead := b.cl
	n, _ := ahead.next()
	return n == 1
}

// blanks takes a run of blanks, which is a place to break when something stands
// before it.
func (b *wordBreaker) blanks() {
	for b.atBlank() {
		_, width := b.cl.next()
		b.col += width
	}
	if b.content > b.from {
		b.okTo, b.okWidth, b.okNext, b.okCol = b.content, b.cells, b.cl.at, b.col
	}
	b.wide, b.last = false, ' '
}

// cluster takes a character that is no blank.
func (b *wordBreaker) cluster() {
	i := b.cl.at
	n, width := b.cl.next()
	r := rune(b.s[i])
	if r >= utf8.RuneSelf {
		r = firstRune(b.s[i:])
	}
	wide := width > 1
	if (wide || b.wide) && b.content == i && i > b.from && !opens(b.last) && !closes(r) {
		b.okTo, b.okWidth, b.okNext, b.okCol = b.content, b.cells, i, b.col
	}
	for b.col+width > b.w {
		if !b.breakBefore(i) {
			break
		}
	}
	if width > b.w { // no row can hold it
		b.from, b.col = i+n, 0
		b.content, b.cells = b.from, 0
		return
	}
	b.col += width
	b.content, b.cells = i+n, b.col
	b.wide, b.last = wide, r
}

// breakBefore ends the row, at the best place before i. It reports whether that
// made room.
func (b *wordBreaker) breakBefore(i int) bool {
	switch {
	case b.okNext > b.from:
		b.dst = append(b.dst, piece{b.from, b.okTo, b.okWidth})
		b.from, b.col, b.cells = b.okNext, b.col-b.okCol, max(b.cells-b.okCol, 0)
		return true
	case b.content > b.from:
		b.dst = append(b.dst, piece{b.from, b.content, b.cells})
		b.from, b.col, b.cells = i, 0, 0
		return true
	case b.col > 0: // an indentation that fills the row
		b.from, b.col, b.cells = i, 0, 0
		return true
	}
	return false
}

// finish ends the last row. A line has one, even if nothing is on it.
func (b *wordBreaker) finish() []piece {
	switch {
	case b.content > b.from:
		return append(b.dst, piece{b.from, b.content, b.cells})
	case len(b.dst) > b.rows:
		return b.dst
	}
	return append(b.dst, piece{b.from, b.from, 0})
}

// breakCells cuts the line s[base:] into pieces of at most w cells wherever a
// row is full. All blanks are kept.
func breakCells(dst []piece, s string, runs []run, base, w int) []piece {
	return breakBehind(dst, s, runs, base, w, "")
}

// breakCode is breakCells that breaks behind a blank or between words where it can.
func breakCode(dst []piece, s string, runs []run, base, w int) []piece {
	if w < minCode {
		return breakCells(dst, s, runs, base, w)
	}
	return breakBehind(dst, s, runs, base, w, " ,;()[]{}/")
}

// minCode are the cells that rows need to be broken between words.
const minCode = 8

// breakBehind breaks behind one of some characters if that fills half of a row, and anywhere
// else.
func breakBehind(dst []piece, s string, runs []run, base, w int, behind string) []piece {
	if n := len(s) - base; n <= w && ascii(s[base:]) {
		return append(dst, piece{base, len(s), n})
	}
	cl := newClusters(s, runs, base)
	from, col := base, 0
	best, filled := base, 0 // where the row may be broken, and the cells up to there
	for cl.at < len(s) {
		i := cl.at
		n, width := cl.next()
		if col+width > w && i > from {
			if filled < (w+1)/2 {
				best, filled = i, col
			}
			dst = append(dst, piece{from, best, filled})
			from, col, filled = best, col-filled, 0
		}
		if width > w {
			from, col = i+n, 0
			continue
		}
		if col += width; strings.Contains(behind, s[i:i+n]) {
			best, filled = i+n, col
		}
	}
	return append(dst, piece{from, len(s), col})
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// closes reports whether a character must not begin a row.
func closes(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.IndexByte(".,;:!?)]}'\"%", byte(r)) >= 0
	}
	return strings.ContainsRune("、。，．：；！？）］｝〉》」』】〕〗〙〛’”…‥・ーゝゞ々〜～％℃ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ", r)
}

// opens reports whether a character must not end a row.
func opens(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.IndexByte("([{$#'\"", byte(r)) >= 0
	}
	return strings.ContainsRune("（［｛〈《「『【〔〖〘〚‘“￥＄", r)
}
