package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/ui/status/cells"
)

// glyph is a character of the text on a row.
type glyph struct {
	from, to int // cells
	source   int
	at, end  int // bytes of the source
	text     string
}

// glyphs are the characters of the text on a row of an item.
func (v *View) glyphs(it item, row int) []glyph {
	var list []glyph
	for _, r := range v.columnRuns(it, row) {
		if r.Whole {
			list = append(list, glyph{r.From, r.To, r.Source, r.At, r.End, r.Text})
			continue
		}
		for n, col := 0, r.From; n < len(r.Text); {
			size, width := cells.Next(r.Text[n:])
			list = append(list, glyph{col, col + width, r.Source, r.At + n, r.At + n + size, r.Text[n : n+size]})
			n, col = n+size, col+width
		}
	}
	return list
}

// glyphIn is the character in a column.
func glyphIn(list []glyph, col int) (glyph, bool) {
	for _, g := range list {
		if g.from <= col && col < g.to {
			return g, true
		}
	}
	return glyph{}, false
}

// word reports whether a character is part of a word, a name or a path.
func word(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-./~@%+#=:?&", r)
}

// ends are the characters that end a word only where another part of it follows.
const ends = ".:?"

// wordAt are the ends of the word at a point, which may go over the ends of rows. Other
// characters are words of their own.
func (v *View) wordAt(p point) (from, to point) {
	it, ok := v.itemOf(&p)
	if !ok {
		return p, p
	}
	list := v.glyphs(it, p.row)
	i := 0
	for i < len(list) && list[i].to <= p.col {
		i++
	}
	if i == len(list) || list[i].from > p.col {
		return p, p
	}
	from, to = p, p
	from.col, to.col = list[i].from, list[i].to
	if !word(list[i].text) {
		return from, to
	}
	for at := (walk{v, it, p.row, i, list}); at.step(-1) && word(at.glyph().text); {
		from.row, from.col = at.row, at.glyph().from
	}
	at := walk{v, it, p.row, i, list}
	end := at
	for at.step(1) && word(at.glyph().text) {
		if !strings.Contains(ends, at.glyph().text) {
			end = at
		}
	}
	if !strings.Contains(ends, end.glyph().text) {
		to.row, to.col = end.row, end.glyph().to
	}
	return from, to
}

// walk goes through the characters of an item.
type walk struct {
	v    *View
	it   item
	row  int
	i    int
	list []glyph
}

func (w *walk) glyph() glyph { return w.list[w.i] }

// step goes to the next character in a direction, as long as nothing stands between the
// two in their source.
func (w *walk) step(by int) bool {
	next := *w
	if next.i += by; next.i < 0 || next.i >= len(next.list) {
		next.row += by
		next.list = w.v.glyphs(w.it, next.row)
		if next.i = 0; by < 0 {
			next.i = len(next.list) - 1
		}
		if len(next.list) == 0 {
			return false
		}
	}
	a, b := w.glyph(), next.glyph()
	if by < 0 {
		a, b = b, a
	}
	if a.source != b.source || a.end != b.at {
		return false
	}
	*w = next
	return true
}

// lineAt are the ends of the line of text at a point: of all rows that it is broken into.
func (v *View) lineAt(p point) (from, to point) {
	it, ok := v.itemOf(&p)
	list := v.glyphs(it, p.row)
	from, to = p, p
	if from.col, to.col = 0, v.w; !ok || len(list) == 0 {
		return from, to
	}
	text := v.tracedOf(it).trace
	joined := func(a, b []glyph) bool {
		if len(a) == 0 || len(b) == 0 {
			return false
		}
		x, y := a[len(a)-1], b[0]
		return x.source == y.source && x.end <= y.at && !strings.Contains(text.Slice(x.source, x.end, y.at), "\n")
	}
	for row := list; from.row > 0; from.row-- {
		above := v.glyphs(it, from.row-1)
		if !joined(above, row) {
			break
		}
		row = above
	}
	for row := list; ; to.row++ {
		below := v.glyphs(it, to.row+1)
		if !joined(row, below) {
			break
		}
		row = below
	}
	return from, to
}

// Step is a move of the cursor of a selection.
type Step int

// The steps.
const (
	StepLeft Step = iota
	StepRight
	StepUp
	StepDown
	StepWordLeft
	StepWordRight
	StepRowStart
	StepRowEnd
	StepPageUp
	StepPageDown
	StepTop
	StepBottom
)

// SelectByKeys begins a selection at the start of the block that the cursor is on, as far
// as that is on the screen, to be moved by [View.MoveSelection]. One that was made with
// the mouse goes on. It reports false where there is no text.
func (v *View) SelectByKeys() bool {
	v.layout()
	if v.selection.on {
		v.selection.keys = true
		v.changed()
		return true
	}
	i, on := v.selected()
	for k := range v.parts {
		p := &v.parts[k]
		if on && p.item.from != v.itemAt(i).from {
			continue
		}
		for row := max(p.from-p.gap, 0); row < p.to-p.gap; row++ {
			if list := v.glyphs(p.item, row); len(list) > 0 {
				at := v.point(p.item, row, list[0].from)
				v.begin(textSelection{keys: true, from: at, to: at, col: at.col})
				return true
			}
		}
	}
	return false
}

// SelectLines has the selection consist of whole lines, or of single characters again.
func (v *View) SelectLines() {
	if v.selection.unit == TextLines {
		v.selection.unit = Cells
	} else {
		v.selection.unit = TextLines
	}
	v.changed()
}

// MoveSelection moves the cursor of the selection, over text only, and the screen with it.
func (v *View) MoveSelection(step Step) {
	v.layout()
	s := &v.selection
	it, ok := v.itemOf(&s.to)
	if !s.on || !ok {
		return
	}
	at := cursor{v: v, it: it, row: s.to.row}
	at.list = v.glyphs(it, at.row)
	at.i = nearest(at.list, s.to.col)
	col := s.col
	switch step {
	case StepLeft:
		at.by(-1)
	case StepRight:
		at.by(1)
	case StepUp:
		at.rows(-1, col)
	case StepDown:
		at.rows(1, col)
	case StepPageUp:
		at.rows(-max(v.h-2, 1), col)
	case StepPageDown:
		at.rows(max(v.h-2, 1), col)
	case StepWordLeft:
		at.word(-1)
	case StepWordRight:
		at.word(1)
	case StepRowStart:
		at.i = 0
	case StepRowEnd:
		at.i = len(at.list) - 1
	case StepTop:
		at.end(-1)
	case StepBottom:
		at.end(1)
	}
	if len(at.list) == 0 {
		return
	}
	s.to, s.keys = v.point(at.it, at.row, at.list[at.i].from), true
	if step != StepUp && step != StepDown && step != StepPageUp && step != StepPageDown {
		s.col = s.to.col
	}
	v.changed()
	v.reach(at.it, at.row)
}

// reach scrolls as little as needed to bring a row of an item onto the screen.
func (v *View) reach(it item, row int) {
	v.layout()
	at := place{it, v.gap(it) + row}
	first, last := v.firstInSight(), v.parts[len(v.parts)-1]
	switch {
	case it.before(first.item) || it.same(first.item) && at.row < first.row:
		v.moveInSight(at)
	case last.item.before(it) || it.same(last.item) && at.row >= last.to:
		at.row++
		v.moveTo(v.up(at, v.h))
	}
}

// SelectionCursor is where the cursor of a selection stands on the screen; false where
// there is none.
func (v *View) SelectionCursor() (x, y int, ok bool) {
	v.layout()
	s := &v.selection
	if !s.on || !s.keys {
		return 0, 0, false
	}
	y = 0
	for i := range v.parts {
		p := &v.parts[i]
		if row := p.gap + s.to.row; v.blocks[p.item.from].ID == s.to.block && p.item.seg == s.to.seg && row >= p.from && row < p.to {
			return min(v.lead()+s.to.col, v.w-1), y + row - p.from, true
		}
		y += p.to - p.from
	}
	return 0, 0, false
}

// cursor goes through the text, item by item.
type cursor struct {
	v    *View
	it   item
	row  int
	list []glyph
	i    int
}

// line goes to the next row in a direction that has text. It stays where it is and
// reports false when there is none.
func (c *cursor) line(by int) bool {
	next := *c
	for {
		next.row += by
		if next.row < 0 || next.row >= c.v.entry(next.it).height() {
			it, ok := c.v.prev(next.it)
			if by > 0 {
				it, ok = c.v.next(next.it)
			}
			if !ok {
				return false
			}
			if next.it, next.row = it, 0; by < 0 {
				next.row = c.v.entry(it).height() - 1
			}
		}
		if next.list = c.v.glyphs(next.it, next.row); len(next.list) > 0 {
			*c = next
			return true
		}
	}
}

// by goes one character on.
func (c *cursor) by(by int) bool {
	if i := c.i + by; i >= 0 && i < len(c.list) {
		c.i = i
		return true
	}
	if !c.line(by) {
		return false
	}
	if c.i = 0; by < 0 {
		c.i = len(c.list) - 1
	}
	return true
}

// rows goes by so many rows, to a column.
func (c *cursor) rows(n, col int) {
	for ; n != 0; n -= sign1(n) {
		if !c.line(sign1(n)) {
			break
		}
	}
	c.i = nearest(c.list, col)
}

func sign1(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// word goes to the start of the next word, or of this or the previous one.
func (c *cursor) word(by int) {
	start := func() bool {
		g := c.list[c.i]
		if strings.TrimSpace(g.text) == "" {
			return false
		}
		if c.i == 0 {
			return true
		}
		return word(g.text) != word(c.list[c.i-1].text) || c.list[c.i-1].to < g.from
	}
	for c.by(by) && !start() {
		continue
	}
}

// end goes to the first or the last character of all.
func (c *cursor) end(by int) {
	v := c.v
	if c.it, c.row, c.list, c.i = v.itemAt(0), -1, nil, 0; by > 0 {
		c.it = v.endOf(len(v.blocks) - 1)
		c.row = v.entry(c.it).height()
	}
	if c.line(-by); by > 0 && len(c.list) > 0 {
		c.i = len(c.list) - 1
	}
}

// nearest is the character in a column, or the last one before it.
func nearest(list []glyph, col int) int {
	i := 0
	for i+1 < len(list) && list[i+1].from <= col {
		i++
	}
	return i
}
