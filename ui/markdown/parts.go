package markdown

import (
	"bytes"
	"sort"

	"github.com/yuin/goldmark/ast"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Parts takes a long text apart into pieces that are drawn on their own, so that no one
// pays for all of it to see a screen. One after the other, with a blank row where
// [Part.Gap] says so, they show what [Renderer.Render] shows of the whole. A text that
// grows changes the last part only, or goes on in others.
type Parts struct {
	m    *Renderer
	size int // of a part, about

	raw    []byte
	clean  term.Sanitizer
	same   bool   // the text is sanitised as it is
	src    []byte // raw, sanitised
	closed bool

	list []Part // but for the last
	from int    // where that begins
	seam seam
	next int // how long the last has to be for another look
	// behind says that the last part stands behind a fence that was taken apart: whether a
	// gap is between them is not known for good.
	behind bool
}

// Part is a piece of a text.
type Part struct {
	// From is where it begins in the sanitised text, and Text that text.
	From int
	Text []byte
	// Ended says that nothing is added to it any more.
	Ended bool
	seam  seam
	// goesOn says that the fence at its end goes on in the next part.
	goesOn bool
}

// Gap reports whether a blank row stands before the part, unless it is the first.
func (p *Part) Gap() bool { return p.seam.gap }

// Parts begins an empty text, to be taken apart into pieces of about size bytes. What
// cannot be parted, like a long table, is larger; so is a fence that may have colours.
func (m *Renderer) Parts(size int) *Parts {
	return &Parts{m: m, size: size, same: true, clean: term.Sanitizer{NoColor: true}}
}

// Set replaces the text; ended says that it is complete. When the new text begins with the
// one before, only the rest is taken in. The bytes are kept, not copied, and must not
// change.
func (p *Parts) Set(text []byte, ended bool) {
	grown := len(text) >= len(p.raw) && (len(p.raw) == 0 || &text[0] == &p.raw[0] || bytes.HasPrefix(text, p.raw))
	switch {
	case grown && len(text) == len(p.raw) && ended == p.closed:
		return
	case !grown || p.closed:
		*p = *p.m.Parts(p.size)
	}
	more := p.clean.Push(string(text[len(p.raw):]))
	p.raw = text
	p.take(more)
	if p.closed = ended; ended {
		p.take(p.clean.Flush())
	}
	p.part()
}

// take appends sanitised text. One that is like the text itself is not held twice.
func (p *Parts) take(more string) {
	n := len(p.src)
	if p.same && n+len(more) <= len(p.raw) && string(p.raw[n:n+len(more)]) == more {
		p.src = p.raw[:n+len(more)]
		return
	}
	if p.same {
		p.same, p.src = false, bytes.Clone(p.src)
	}
	p.src = append(p.src, more...)
}

// part makes parts out of what is finished of the last one. Where a window on its start
// has no place to part it, a larger one may.
func (p *Parts) part() {
	for window := 2 * p.size; ; {
		rest := p.src[p.from:]
		if p.seam.code.length > 0 {
			if !p.code(rest) {
				return
			}
			continue
		}
		p.join(rest)
		if len(rest) < max(2*p.size, p.next) {
			return
		}
		part := rest[:min(window, len(rest))]
		r := &renderer{src: part, first: p.seam.first}
		doc := parse(p.m.split, part)
		c := r.boundary(doc)
		if c.block == nil && p.open(doc, part) {
			window = 2 * p.size
			continue
		}
		if c.block == nil {
			if len(part) == len(rest) {
				p.next = 2 * len(rest)
				return
			}
			window *= 2
			continue
		}
		at, next := r.seamAt(c)
		p.cut(at, next)
		window = 2 * p.size
	}
}

// cut ends the last part after some bytes; next is how the one behind it joins.
func (p *Parts) cut(at int, next seam) {
	text := p.src[p.from : p.from+at : p.from+at]
	p.list = append(p.list, Part{From: p.from, Text: text, Ended: true, seam: p.seam, goesOn: next.code.length > 0})
	p.from, p.seam, p.next, p.behind = p.from+at, next, 0, false
}

// open cuts a source that is one fence before a line of it, if that is too large for
// colours: then its lines look the same wherever they stand.
func (p *Parts) open(doc ast.Node, part []byte) bool {
	first := doc.FirstChild()
	if first == nil {
		return false
	}
	f, ok := fenceAt(first, part)
	if !ok {
		return false
	}
	at, lines := 0, 0
	for end := f.next; ; lines++ {
		n := bytes.IndexByte(part[end:], '\n')
		if n < 0 || f.closes(part[end:end+n]) {
			if lines <= maxCodeLines && end-f.next <= maxCodeBytes {
				return false
			}
			break
		}
		if end > f.next && at < p.size {
			at = end
		}
		end += n + 1
	}
	if at == 0 {
		return false
	}
	p.cut(at, seam{code: fenceMark{f.char, f.length}})
	return true
}

// code cuts a source that begins in a fence: before a line of it, or where it closes and
// something follows. It reports false when there is nothing to cut yet.
func (p *Parts) code(rest []byte) bool {
	mark := p.seam.code
	for at := 0; ; {
		n := bytes.IndexByte(rest[at:], '\n')
		if n < 0 {
			return false
		}
		line := rest[at : at+n]
		if mark.closes(line) {
			if len(bytes.TrimSpace(rest[at+n:])) == 0 {
				return false
			}
			p.cut(at+n+1, seam{})
			p.behind = true
			return true
		}
		if at >= p.size && len(rest) >= 2*p.size {
			p.cut(at, p.seam)
			return true
		}
		at += n + 1
	}
}

// join finds out whether a gap is between a fence and the source that stands behind it. A
// paragraph without a blank line before it may still become a heading, which has one.
func (p *Parts) join(rest []byte) {
	if !p.behind {
		return
	}
	src := append([]byte("#\n"), rest...) // an empty heading in place of the fence
	r := &renderer{src: src}
	n := parse(p.m.split, src).FirstChild().NextSibling()
	if n == nil {
		return
	}
	p.seam.gap = r.gapBefore(n)
	next := n.NextSibling()
	p.behind = !p.seam.gap && (next == nil || start(next, src) > bytes.LastIndexByte(src, '\n'))
}

// seamAt is where a cut stands, and how what follows it joins what is before.
func (r *renderer) seamAt(c cut) (at int, next seam) {
	block := c.block
	if c.item != nil {
		block, next.first = c.item, r.number(c.block.(*ast.List), c.item)
	}
	next.gap = r.gapBefore(block)
	return start(block, r.src), next
}

// Len is how many parts there are, at least one.
func (p *Parts) Len() int { return len(p.list) + 1 }

// At is a part.
func (p *Parts) At(i int) Part {
	if i < len(p.list) {
		return p.list[i]
	}
	return Part{From: p.from, Text: p.src[p.from:len(p.src):len(p.src)], Ended: p.closed, seam: p.seam}
}

// Clean is where a byte of the text as it was set stands in the sanitised one.
func (p *Parts) Clean(at int) int {
	if p.same {
		return at
	}
	return len(term.Plain(string(p.raw[:min(at, len(p.raw))])))
}

// Find is the part that holds a byte of the sanitised text.
func (p *Parts) Find(at int) int {
	return sort.Search(len(p.list), func(i int) bool { return p.list[i].From+len(p.list[i].Text) > at })
}

// SetPart has the stream draw a part of a text.
func (s *Stream) SetPart(p Part) {
	if !s.pure || s.begins != p.seam {
		s.pure, s.begins = true, p.seam
		s.reset()
	}
	s.Set(p.Text)
	if p.Ended && !p.goesOn {
		s.Close()
	}
}

// TracePart is [Renderer.Trace] of a part of a text.
func (m *Renderer) TracePart(p Part, w int, st *rows.Styles, t *rows.Trace) []string {
	return m.trace(string(p.Text), p.seam, w, st, t)
}
