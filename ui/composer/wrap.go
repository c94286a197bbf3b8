package composer

import (
	"sort"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/rows"
)

// line is one line of the buffer with what is known of its rows on the screen.
type line struct {
	text string
	// width is what starts was made for, in cells, and by how they are measured.
	width int
	by    ansi.Method
	// starts are the offsets at which rows begin, as far as they are known.
	starts []int
	// whole is set when all of them are known.
	whole bool
}

// set changes the text. It is as it was before the byte at from.
//
// Where a row begins depends on the row before it and on the text up to the
// first cluster that no longer fitted there, which is never beyond the row
// itself. So rows that end two rows before the change stay as they are.
func (l *line) set(text string, from int) {
	l.text, l.whole = text, false
	if len(l.starts) > 0 {
		row := sort.SearchInts(l.starts, from+1) - 1
		l.starts = l.starts[:max(row-1, 1)]
	}
}

// grow finds one more row, if there is one.
func (b *buffer) grow(l *line) {
	if b.stale(l) {
		l.width, l.by, l.starts, l.whole = b.width, rows.Method(), append(l.starts[:0], 0), false
	}
	if l.whole {
		return
	}
	end, more := b.rowEnd(l.text, l.starts[len(l.starts)-1])
	if more {
		l.starts = append(l.starts, end)
	} else {
		l.whole = true
	}
}

// rowOf is the number of the row in which an offset stands. An offset between
// two rows belongs to the second.
func (b *buffer) rowOf(l *line, off int) int {
	for b.stale(l) || !l.whole && l.starts[len(l.starts)-1] <= off {
		b.grow(l)
	}
	return sort.SearchInts(l.starts, off+1) - 1
}

// hasRow reports whether a line has a row of that number.
func (b *buffer) hasRow(l *line, row int) bool {
	for b.stale(l) || !l.whole && len(l.starts) <= row {
		b.grow(l)
	}
	return row < len(l.starts)
}

// lastRow is the number of the last row of a line.
func (b *buffer) lastRow(l *line) int {
	for b.stale(l) || !l.whole {
		b.grow(l)
	}
	return len(l.starts) - 1
}

func (b *buffer) stale(l *line) bool {
	return l.width != b.width || l.by != rows.Method() || len(l.starts) == 0
}

// span is where a row begins and ends, and whether it is the last of its line.
func (b *buffer) span(l *line, row int) (start, end int, last bool) {
	if b.hasRow(l, row+1) {
		return l.starts[row], l.starts[row+1], false
	}
	return l.starts[row], len(l.text), true
}

// rowEnd finds the end of the row that begins at start. Rows are broken after
// blanks and beside wide characters where possible, inside words where not. One
// blank that no longer fits stands in the margin, further ones begin the next
// row, so that no blank is out of sight. more reports whether another row follows:
// also after a blank in the margin, where the cursor would have no cell.
func (b *buffer) rowEnd(text string, start int) (end int, more bool) {
	cells, breakAt := 0, -1
	for off := start; off < len(text); {
		stop := next(text, off)
		n, wide := 1, false
		if stop > off+1 {
			_, n, wide = b.shown(text[off:stop])
		}
		space := text[off] == ' ' && stop == off+1
		if cells+n > b.width {
			switch {
			case space && cells == b.width:
				return stop, true
			case wide && off > start, breakAt <= start:
				return off, true
			}
			return breakAt, true
		}
		cells += n
		off = stop
		if space || wide {
			breakAt = off
		}
	}
	return len(text), false
}

// maxShown is the longest cluster that is drawn as it is, in bytes. Emoji of
// several characters stay below it; piles of combining marks do not.
const maxShown = 64

// shown is how a cluster looks and how many cells it takes, from one to the
// width of the text. What has no width of its own is drawn as a dotted circle,
// so that the cursor moves visibly. wide is set for characters of two cells.
func (b *buffer) shown(cluster string) (text string, cells int, wide bool) {
	if c := b.chipOf(cluster); c != nil {
		if cells = rows.Width(c.label); cells > b.width {
			return rows.Fit(c.label, b.width), b.width, false
		}
		return c.label, cells, false
	}
	if len(cluster) > maxShown {
		_, n := utf8.DecodeRuneInString(cluster)
		cluster = cluster[:n]
	}
	switch cells = rows.Width(cluster); {
	case cells == 0:
		return "◌", 1, false
	case cells > b.width:
		return "…", 1, false
	}
	return cluster, cells, cells == 2
}

// cellsTo is the number of cells from one offset of a row to another.
func (b *buffer) cellsTo(text string, from, to int) int {
	n := 0
	for from < to {
		end := next(text, from)
		_, cells, _ := b.shown(text[from:end])
		n += cells
		from = end
	}
	return n
}

// offsetAt is the boundary of a row at most that many cells from its start.
func (b *buffer) offsetAt(l *line, row, cells int) int {
	off, end, last := b.span(l, row)
	for off < end {
		stop := next(l.text, off)
		_, n, _ := b.shown(l.text[off:stop])
		if n > cells || stop == end && !last {
			break // behind the last cluster is the next row
		}
		cells -= n
		off = stop
	}
	return off
}
