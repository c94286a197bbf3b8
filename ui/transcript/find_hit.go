package transcript

import (
	"bytes"

	"hermes-tui/agent/event"
	"hermes-tui/ui/find"
	"hermes-tui/ui/term"
)

// pieces are the texts of a block that a search looks at: of a call what it does, what
// there is to say about its end, and its output.
func pieces(b *event.Block, buf []byte, each func(text []byte, body bool) bool) []byte {
	if b.Kind != event.BlockTool {
		text := b.Text.Bytes()
		if bytes.IndexByte(text, '\x1b') >= 0 {
			text = []byte(term.Plain(string(text)))
		}
		each(text, true)
		return buf
	}
	c := b.Call
	list := [...]string{c.View.Subject, c.View.Summary, c.View.Body}
	if c.Stage == event.CallRunning {
		list[2] = c.Tail.String()
	}
	for i, s := range list {
		buf = append(buf[:0], s...)
		text := buf
		if bytes.IndexByte(text, '\x1b') >= 0 {
			text = []byte(term.Plain(s))
		}
		if len(text) > 0 && !each(text, i == 2) {
			break
		}
	}
	return buf
}

// sizeOf is about how much text of a block a search looks at.
func sizeOf(b *event.Block) int {
	if b.Call == nil {
		return b.Text.Len()
	}
	return len(b.Call.View.Subject) + len(b.Call.View.Body) + b.Call.Tail.Len()
}

// count counts the matches in a block, and how much text it has.
func count(b *event.Block, m find.Matcher, buf *[]byte) (n, size int) {
	*buf = pieces(b, *buf, func(text []byte, _ bool) bool {
		size += len(text)
		for at := 0; ; n++ {
			_, to := m(text, at, b.Kind == event.BlockAnswer)
			if to < 0 {
				return true
			}
			at = to
		}
	})
	return n, size
}

// found is where a match stands in the text of its block.
type found struct {
	text string // of the match
	at   int    // in its piece
	seg  int    // of a long answer: the part
	line int    // of its piece, or of that part
	body bool   // it is in the body of a call, or in a text
	// same is how many times its text stands before it in the block, inLine in its
	// line.
	same, inLine int
}

// resolve finds the n-th match of block i. One that was found before is known, as long as
// its text stands there.
func (v *View) resolve(i, n int) found {
	f, b := &v.find, v.blocks[i]
	r := &f.resolved
	switch {
	case r.of(b, f.gen, n):
	case r.block != nil && r.block.ID == b.ID && r.gen == f.gen && r.n == n && r.holds(b):
		r.block, r.found = b, v.inPart(i, r.found)
	default:
		*r = resolved{b, f.gen, n, v.inPart(i, v.nth(b, n))}
	}
	return r.found
}

// resolved is a match that was found.
type resolved struct {
	block *event.Block
	gen   uint64
	n     int
	found
}

func (r *resolved) of(b *event.Block, gen uint64, n int) bool {
	return r.block == b && r.gen == gen && r.n == n
}

// holds reports whether the match of an answer stands where it was found before that grew.
func (r *resolved) holds(b *event.Block) bool {
	text := b.Text.Bytes()
	return b.Kind == event.BlockAnswer && r.text != "" && r.at+len(r.text) <= len(text) && string(text[r.at:r.at+len(r.text)]) == r.text
}

// nth finds the n-th match of a block.
func (v *View) nth(b *event.Block, n int) (out found) {
	f := &v.find
	f.buf = pieces(b, f.buf, func(text []byte, body bool) bool {
		for at := 0; ; n-- {
			from, to := f.m(text, at, b.Kind == event.BlockAnswer)
			if to < 0 {
				return true
			}
			if at = to; n > 0 {
				continue
			}
			out.text, out.body, out.at = string(text[from:to]), body, from
			out.line = bytes.Count(text[:from], []byte("\n"))
			out.inLine = bytes.Count(text[bytes.LastIndexByte(text[:from], '\n')+1:from], text[from:to])
			return false
		}
	})
	return out
}

// inPart completes what is known of a match: where it stands in its block, or in its part
// of a long answer.
func (v *View) inPart(i int, m found) found {
	b, p := v.blocks[i], v.partsOf(i)
	if m.text == "" || p == nil {
		m.same = 0
		if m.text != "" {
			v.earlier(b, &m)
		}
		return m
	}
	at := m.at
	if bytes.IndexByte(b.Text.Bytes(), '\x1b') < 0 { // see [pieces]
		at = p.Clean(at)
	}
	m.seg = p.Find(at)
	part := p.At(m.seg)
	before := part.Text[:min(max(at-part.From, 0), len(part.Text))]
	m.line, m.same = bytes.Count(before, []byte("\n")), bytes.Count(before, []byte(m.text))
	return m
}

// hitItem is the item that the match that is shown stands in.
func (v *View) hitItem() item {
	h := v.find.hit
	if v.partsOf(h.at) != nil {
		return v.segAt(h.at, v.resolve(h.at, h.n).seg)
	}
	return v.itemAt(h.at)
}

// earlier counts how often the text of a match stands in its block before it.
func (v *View) earlier(b *event.Block, m *found) {
	f := &v.find
	f.buf = pieces(b, f.buf, func(text []byte, body bool) bool {
		if body != m.body {
			m.same += bytes.Count(text, []byte(m.text))
			return true
		}
		for range m.line {
			i := bytes.IndexByte(text, '\n')
			if i < 0 {
				break
			}
			m.same += bytes.Count(text[:i], []byte(m.text))
			text = text[i+1:]
		}
		m.same += m.inLine
		return false
	})
}

// showHit brings a match into sight: its block is opened and marked.
func (v *View) showHit(i, n int) {
	f, b := &v.find, v.blocks[i]
	f.hit, f.spot = hit{b.ID, i, n}, spot{}
	m := v.resolve(i, n)
	v.aim = aim{block: b.ID}
	if m.body {
		v.aim.line = m.line + 1
	}
	v.choose(b.ID, i)
	v.stay()
	v.changed()
	v.showAgain()
}

// showAgain brings the match that is shown into sight.
func (v *View) showAgain() {
	v.layout()
	if i := v.find.hit.at; i < len(v.blocks) && len(v.parts) > 0 {
		it := v.hitItem()
		v.bringUp(it, v.gap(it)+v.locate(it).row())
	}
}

// hitInSight reports whether the newest frame has the match that is shown.
func (v *View) hitInSight() bool {
	f := &v.find
	if f.m == nil || f.hit.block == "" {
		return false
	}
	for i := range v.parts {
		p := &v.parts[i]
		if p.item.from <= f.hit.at && f.hit.at < p.item.to && v.laid == v.version && (p.item.segs == 0 || p.item.same(v.hitItem())) {
			row := p.gap + v.locate(p.item).row()
			return v.inSight(p.item, row)
		}
	}
	return false
}

// unaim lets a block be folded as the user has said.
func (v *View) unaim(id event.BlockID) {
	if v.aim.block == id {
		v.aim = aim{}
	}
}

// bringUp scrolls so that a row of an item is in sight, unless it is.
func (v *View) bringUp(it item, row int) {
	if !v.inSight(it, row) {
		v.moveTo(v.up(place{it, row}, max(v.h/3, 1)))
	}
}

// inSight reports whether a row of an item is on the screen, and not under what is pinned.
func (v *View) inSight(it item, row int) bool {
	y := 0
	for _, p := range v.parts {
		if p.item.same(it) && row >= p.from && row < p.to {
			return y+row-p.from >= v.covered()
		}
		y += p.to - p.from
	}
	return false
}
