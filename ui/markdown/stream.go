package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Stream draws a text that is still growing. Top-level blocks that are finished
// are drawn once; what is drawn again with every piece is the last of them. An
// open code fence costs only its new lines.
type Stream struct {
	m     *Renderer
	lexer lexer

	raw    []byte // what was given
	own    bool   // raw is our copy
	clean  term.Sanitizer
	pure   bool   // raw is sanitised
	src    []byte // raw, sanitised
	closed bool
	begins seam // how it joins what stands before it

	// chunks are the finished parts of src; from is where the open part begins.
	chunks []chunk
	from   int
	seam   seam
	fence  openFence

	w     int
	st    *rows.Styles
	rows  []string
	kept  int // rows of chunks
	ready int // rows that stay as they are: kept, and the lines of the fence
	same  int
	stale bool // the open part has to be drawn again
	redo  int  // and the chunks from this one on; all is well when it is len(chunks)
}

// chunk is a finished part of a source: blocks that nothing changes any more.
type chunk struct {
	end  int
	seam seam
	rows int // drawn up to its end
}

// seam is how a part of the source joins the one before.
type seam struct {
	gap   bool      // a blank row stands between
	first int       // the number of its first item when a list goes on in it
	code  fenceMark // a fence that goes on in it
}

// Stream begins an empty text.
func (m *Renderer) Stream() *Stream {
	s := &Stream{m: m}
	s.reset()
	return s
}

func (s *Stream) reset() {
	*s = Stream{m: s.m, w: s.w, st: s.st, stale: true, clean: term.Sanitizer{NoColor: true}, rows: s.rows[:0],
		pure: s.pure, begins: s.begins, seam: s.begins,
		lexer: lexer{clock: s.m.opts.Clock, deferred: s.m.opts.Defer, shared: &s.m.lexed}}
}

// Append adds to the text.
func (s *Stream) Append(piece string) {
	if piece == "" {
		return
	}
	if s.closed {
		old := s.raw
		s.reset()
		s.feed(old)
	}
	raw := s.raw
	if !s.own {
		raw = bytes.Clone(raw)
	}
	s.raw, s.own = append(raw, piece...), true
	s.src = append(s.src, s.clean.Push(piece)...)
	s.stale = true
}

// Set replaces the text. When the new text begins with the one before, only the
// rest is taken in. The bytes are kept, not copied, and must not change.
func (s *Stream) Set(text []byte) {
	old := s.raw
	grown := len(text) >= len(old) && (len(old) == 0 || &text[0] == &old[0] || bytes.HasPrefix(text, old))
	switch {
	case grown && len(text) == len(old):
		return
	case grown && !s.closed:
		s.take(text[len(old):])
		s.raw, s.own, s.stale = text, false, true
	default:
		s.reset()
		s.feed(text)
	}
}

func (s *Stream) feed(text []byte) {
	s.raw, s.own = text, false
	s.take(text)
}

// take appends to the source.
func (s *Stream) take(text []byte) {
	if s.pure {
		s.src = append(s.src, text...)
		return
	}
	s.src = append(s.src, s.clean.Push(string(text))...)
}

// Close says that the text is complete: a fence that is still open is coloured
// as it is. Closing again has no effect; a text that grows opens the stream
// again.
func (s *Stream) Close() {
	if s.closed {
		return
	}
	s.closed, s.stale = true, true
	s.src = append(s.src, s.clean.Flush()...)
	if s.fence.active {
		s.fence.active, s.ready = false, s.kept
	}
}

// Pending reports whether code waits for [Stream.Refine].
func (s *Stream) Pending() bool { return len(s.lexer.waiting) > 0 }

// Refine colours code that [Options.Defer] left plain, for some milliseconds.
// It reports whether rows changed. Blocks before the code are not drawn again.
func (s *Stream) Refine() bool {
	from, changed := s.lexer.refine()
	if changed {
		s.restyle(from)
	}
	return changed
}

// restyle makes the rows from a chunk on again with the next call of Rows.
func (s *Stream) restyle(from int) {
	s.redo = min(s.redo, from)
	s.kept = s.rowsBefore(s.redo)
	s.ready, s.fence.active, s.stale = s.kept, false, true
}

// rowsBefore counts the rows of the chunks before one.
func (s *Stream) rowsBefore(i int) int {
	if i == 0 {
		return 0
	}
	return s.chunks[i-1].rows
}

// Size is about how many bytes the stream holds.
func (s *Stream) Size() int {
	const each = 16 // of a string's header
	n := len(s.src) + s.lexer.size + each*len(s.rows)
	for _, row := range s.rows {
		n += len(row)
	}
	return n
}

// Rows draws the text as rows of at most w cells. The slice is valid until the
// next call and must not be changed.
func (s *Stream) Rows(w int, st *rows.Styles) []string {
	if w != s.w || st != s.st {
		s.w, s.st = w, st
		s.restyle(0)
	}
	if !s.stale {
		s.same = len(s.rows)
		return s.rows
	}
	s.same, s.stale = s.ready, false
	if w <= 0 {
		s.rows = s.rows[:0]
		return s.rows
	}
	s.redraw()
	s.draw()
	return s.rows
}

// Same is how many of the first rows the last call of [Stream.Rows] left as the
// call before had returned them.
func (s *Stream) Same() int { return s.same }

// redraw draws the finished chunks that have to be drawn again.
func (s *Stream) redraw() {
	if s.redo == len(s.chunks) {
		return
	}
	s.rows = s.rows[:s.rowsBefore(s.redo)]
	from := 0
	if s.redo > 0 {
		from = s.chunks[s.redo-1].end
	}
	for ; s.redo < len(s.chunks); s.redo++ {
		c := &s.chunks[s.redo]
		part := s.src[from:c.end]
		s.lexer.chunk = s.redo
		r := s.m.renderer(part, s.st, &s.lexer)
		r.first = c.seam.first
		s.gapRow(c.seam.gap)
		s.rows = r.children(s.rows, s.m.parse(part), s.w, body)
		from, c.rows = c.end, len(s.rows)
	}
	s.kept, s.ready = len(s.rows), len(s.rows)
}

func (s *Stream) gapRow(gap bool) {
	if gap && len(s.rows) > 0 {
		s.rows = append(s.rows, "")
	}
}

// draw draws the open part of the source, after taking from it what is
// finished by now.
func (s *Stream) draw() {
	if s.fence.active {
		if s.drawFence() {
			return
		}
		s.same = min(s.same, s.kept)
	}
	s.rows, s.ready = s.rows[:s.kept], s.kept
	if s.seam.code.length > 0 {
		s.fence = openFence{fenceMark: s.seam.code, active: true, next: s.from, lines: 1}
		s.drawFence()
		return
	}
	part := s.src[s.from:]
	doc := s.m.parse(part)
	s.lexer.chunk = len(s.chunks)
	r := s.m.renderer(part, s.st, &s.lexer)
	first := doc.FirstChild()
	if first == nil {
		return
	}
	r.first = s.seam.first
	s.gapRow(s.seam.gap)
	c := r.boundary(doc)
	if c.block != nil {
		s.finish(r, first, c)
		first = c.block
	}
	if !s.closed {
		if c.item == nil && s.beginFence(first, part) {
			return
		}
		r.open = unclosed(doc, part)
	}
	if c.item != nil {
		s.rows = r.items(s.rows, c.block.(*ast.List), c.item, nil, s.w, body)
		if first = first.NextSibling(); first == nil {
			return
		}
		s.gapRow(r.gapBefore(first))
	}
	s.rows = r.siblings(s.rows, first, nil, s.w, body)
}

// finish draws what is finished of a part, from its first block on, and makes
// a chunk of it.
func (s *Stream) finish(r *renderer, first ast.Node, c cut) {
	s.rows = r.siblings(s.rows, first, c.block, s.w, body)
	if c.item != nil {
		list := c.block.(*ast.List)
		if list != first {
			s.gapRow(r.gapBefore(list))
		}
		s.rows = r.items(s.rows, list, list.FirstChild(), c.item, s.w, body)
	}
	at, next := r.seamAt(c)
	s.from += at
	s.kept, s.ready = len(s.rows), len(s.rows)
	s.chunks = append(s.chunks, chunk{end: s.from, seam: s.seam, rows: s.kept})
	s.redo = len(s.chunks)
	s.seam = next
	s.gapRow(next.gap)
}
