package overlay

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// MaxText bounds the text of a [Pager] in bytes. What is over is left out, and
// the last line says so.
const MaxText = 32 << 20

// segmentBytes bounds how much of a line is wrapped at once. A longer line goes
// on after that on a row of its own.
const segmentBytes = 2048

// document is a long text that is wrapped where it is looked at. It never
// changes.
type document struct {
	text string     // plain: neither colours nor controls but tabs and line feeds
	runs []term.Run // the colours of the text
	// starts are the offsets of the segments: lines, and pieces of lines that are
	// very long.
	starts []uint32
	lines  int
}

func newDocument(text string) *document {
	if len(text) > MaxText {
		end := MaxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "\n… " + strconv.Itoa(len(text)-end) + " more bytes are not shown"
	}
	d := &document{}
	d.text, d.runs = term.SplitStyles(strings.TrimRight(term.Sanitize(text), "\n"))
	d.starts = make([]uint32, 0, 1+strings.Count(d.text, "\n"))
	for i := 0; ; {
		end := len(d.text)
		if n := strings.IndexByte(d.text[i:], '\n'); n >= 0 {
			end = i + n
		}
		d.segments(i, end)
		d.lines++
		if end == len(d.text) {
			return d
		}
		i = end + 1
	}
}

// segments adds the segments of a line.
func (d *document) segments(from, to int) {
	d.starts = append(d.starts, uint32(from))
	for to-from > segmentBytes {
		next := from + segmentBytes
		if i := strings.LastIndexByte(d.text[next-256:next], ' '); i >= 0 {
			next += i + 1 - 256
		}
		for !utf8.RuneStart(d.text[next]) {
			next--
		}
		d.starts, from = append(d.starts, uint32(next)), next
	}
}

// bounds are where segment i begins and ends, without its line feed.
func (d *document) bounds(i int) (from, to int) {
	from, to = int(d.starts[i]), len(d.text)
	if i+1 < len(d.starts) {
		if to = int(d.starts[i+1]); d.text[to-1] == '\n' {
			to--
		}
	}
	return from, to
}

// segmentAt is the segment that holds an offset.
func (d *document) segmentAt(offset int) int {
	return sort.Search(len(d.starts), func(i int) bool { return int(d.starts[i]) > offset }) - 1
}

// runAt is the run that holds an offset.
func (d *document) runAt(offset int) int {
	return sort.Search(len(d.runs), func(i int) bool { return d.runs[i].End > offset })
}

// span is the part of the text on one row.
type span struct{ from, to int }

// wrap appends the rows of segment i at w cells to dst: broken behind blanks
// where possible. There is at least one.
func (d *document) wrap(dst []span, i, w int) []span {
	from, to := d.bounds(i)
	if to-from <= w && rows.Plain(d.text[from:to]) {
		return append(dst, span{from, to})
	}
	run := d.runAt(from)
	pos, col, blank := from, 0, -1
	for pos < to {
		n, width := d.next(pos, to, col, &run)
		space := d.text[pos] == ' '
		if col+width > w && pos > from && !space {
			if blank <= from {
				blank = pos
			}
			dst = append(dst, span{from, blank})
			from, pos, col, blank = blank, blank, 0, -1
			run = d.runAt(pos)
			continue
		}
		pos, col = pos+n, col+width
		if space || d.text[pos-1] == '\t' {
			blank = pos // blanks at the end of a row hang over its edge
		}
	}
	return append(dst, span{from, to})
}

// next measures the character at pos, which ends at limit or with its run at the
// latest: colours part what would otherwise join.
func (d *document) next(pos, limit, col int, run *int) (n, width int) {
	for *run < len(d.runs) && d.runs[*run].End <= pos {
		*run++
	}
	if *run < len(d.runs) {
		limit = min(limit, d.runs[*run].End)
	}
	if d.text[pos] == '\t' {
		return 1, rows.TabWidth - col%rows.TabWidth
	}
	return cells.Next(d.text[pos:limit])
}

// place is a row of the document: a segment and a row within it.
type place struct{ segment, row int }

// rowAt is the row that holds an offset.
func (d *document) rowAt(offset, w int) place {
	at := place{segment: d.segmentAt(offset)}
	list := d.wrap(nil, at.segment, w)
	at.row = sort.Search(len(list), func(i int) bool { return list[i].from > offset }) - 1
	at.row = max(at.row, 0)
	return at
}

// offset is where a row begins.
func (d *document) offset(p place, w int) int {
	list := d.wrap(nil, p.segment, w)
	return list[min(p.row, len(list)-1)].from
}

// forward is the row n rows further on, or the last one.
func (d *document) forward(p place, n, w int) place {
	var buf []span
	for {
		buf = d.wrap(buf[:0], p.segment, w)
		if left := len(buf) - 1 - p.row; n <= left || p.segment == len(d.starts)-1 {
			p.row += min(n, left)
			return p
		}
		n -= len(buf) - p.row
		p = place{segment: p.segment + 1}
	}
}

// back is the row n rows before, or the first one.
func (d *document) back(p place, n, w int) place {
	var buf []span
	for n > p.row {
		if p.segment == 0 {
			return place{}
		}
		n -= p.row + 1
		buf = d.wrap(buf[:0], p.segment-1, w)
		p = place{p.segment - 1, len(buf) - 1}
	}
	p.row -= n
	return p
}

// height is how many rows the document has, at most limit.
func (d *document) height(w, limit int) int {
	var buf []span
	n := 0
	for i := 0; i < len(d.starts) && n < limit; i++ {
		buf = d.wrap(buf[:0], i, w)
		n += len(buf)
	}
	return min(n, limit)
}

// lastPage is the first row of the last page of h rows.
func (d *document) lastPage(h, w int) place {
	last := len(d.starts) - 1
	end := place{last, len(d.wrap(nil, last, w)) - 1}
	return d.back(end, h-1, w)
}

// before reports whether a row stands before another.
func (p place) before(q place) bool {
	return p.segment < q.segment || p.segment == q.segment && p.row < q.row
}

// maxMatches bounds the matches that a search collects.
const maxMatches = 100_000
