package composer

import (
	"slices"
	"strings"
)

// pos is a place in the buffer: a line and a byte offset in it.
type pos struct{ line, off int }

func (p pos) less(q pos) bool { return p.line < q.line || p.line == q.line && p.off < q.off }

// after is where a text ends that begins at p.
func (p pos) after(text string) pos {
	n := strings.Count(text, "\n")
	if n == 0 {
		return pos{p.line, p.off + len(text)}
	}
	return pos{p.line + n, len(text) - strings.LastIndexByte(text, '\n') - 1}
}

// buffer is text in lines. There is always at least one line.
type buffer struct {
	lines []*line
	chips map[int]*chip
	// lastID is the id of the newest chip. Ids are not used twice.
	lastID int
	edits  uint64 // counts calls of replace
	// width is how many cells of a row hold text.
	width int
}

func newBuffer() buffer {
	return buffer{lines: []*line{{}}, chips: map[int]*chip{}, width: 77}
}

func (b *buffer) text(p pos) string { return b.lines[p.line].text }

func (b *buffer) end() pos {
	last := len(b.lines) - 1
	return pos{last, len(b.lines[last].text)}
}

func (b *buffer) empty() bool { return len(b.lines) == 1 && b.lines[0].text == "" }

// slice is the text between two places.
func (b *buffer) slice(from, to pos) string {
	if from.line == to.line {
		return b.text(from)[from.off:to.off]
	}
	var s strings.Builder
	s.WriteString(b.text(from)[from.off:])
	for _, l := range b.lines[from.line+1 : to.line] {
		s.WriteByte('\n')
		s.WriteString(l.text)
	}
	s.WriteByte('\n')
	s.WriteString(b.text(to)[:to.off])
	return s.String()
}

// replace puts a text between two boundaries and returns what was there, and the
// first boundary at or behind the end of the text.
func (b *buffer) replace(from, to pos, text string) (removed string, end pos) {
	b.edits++
	removed = b.slice(from, to)
	first, tail := b.lines[from.line], b.text(to)[to.off:]
	head := first.text[:from.off]
	end = from.after(text)
	if parts := strings.Split(text, "\n"); len(parts) == 1 {
		first.set(head+text+tail, from.off)
		if to.line > from.line {
			b.lines = slices.Delete(b.lines, from.line+1, to.line+1)
		}
	} else {
		more := make([]*line, len(parts)-1)
		for i, part := range parts[1:] {
			more[i] = &line{text: part}
		}
		more[len(more)-1].text += tail
		first.set(head+parts[0], from.off)
		b.lines = slices.Replace(b.lines, from.line+1, to.line+1, more...)
	}
	end.off = snap(b.text(end), end.off)
	return removed, end
}

// back is the boundary before p, p itself at the start of the buffer.
func (b *buffer) back(p pos) pos {
	switch {
	case p.off > 0:
		return pos{p.line, prev(b.text(p), p.off)}
	case p.line > 0:
		return pos{p.line - 1, len(b.lines[p.line-1].text)}
	}
	return p
}

// forth is the boundary after p, p itself at the end of the buffer.
func (b *buffer) forth(p pos) pos {
	switch text := b.text(p); {
	case p.off < len(text):
		return pos{p.line, next(text, p.off)}
	case p.line+1 < len(b.lines):
		return pos{p.line + 1, 0}
	}
	return p
}

// wordBack is the start of the word before p. The start of a line is a stop of
// its own.
func (b *buffer) wordBack(p pos) pos {
	if p.off == 0 {
		p = b.back(p)
		return p
	}
	text, off := b.text(p), p.off
	kind := blank
	for off > 0 {
		start := prev(text, off)
		c := classOf(text[start:off])
		if kind != blank && (c != kind || kind == paste) {
			break
		}
		kind, off = c, start
	}
	return pos{p.line, off}
}

// wordForth is the end of the word after p. The end of a line is a stop of its
// own.
func (b *buffer) wordForth(p pos) pos {
	text, off := b.text(p), p.off
	if off == len(text) {
		p = b.forth(p)
		return p
	}
	kind := blank
	for off < len(text) {
		end := next(text, off)
		c := classOf(text[off:end])
		if kind != blank && (c != kind || kind == paste) {
			break
		}
		kind, off = c, end
	}
	return pos{p.line, off}
}
