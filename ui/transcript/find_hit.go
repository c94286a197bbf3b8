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
	line int    // of its piece
	body bool   // it is in the body of a call, or in a text
	// same is how many times its text stands before it in the block, inLine in its
	// line.
	same, inLine int
}

// resolve finds the n-th match of a block.
func (v *View) resolve(b *event.Block, n int) (out found) {
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
			out.text, out.body = string(text[from:to]), body
			out.line = bytes.Count(text[:from], []byte("\n"))
			out.inLine = bytes.Count(text[bytes.LastIndexByte(text[:from], '\n')+1:from], text[from:to])
			return false
		}
	})
	if out.text != "" {
		left := out
		v.earlier(b, &left)
		out.same = left.same
	}
	return out
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
	m := v.resolve(b, n)
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
		it := v.itemAt(i)
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
		if p.item.from <= f.hit.at && f.hit.at < p.item.to && v.laid == v.version {
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
		if p.item.from == it.from && row >= p.from && row < p.to {
			return y+row-p.from >= v.covered()
		}
		y += p.to - p.from
	}
	return false
}
