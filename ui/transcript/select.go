package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// Unit is what a selection of text consists of.
type Unit int

// The units.
const (
	Cells Unit = iota
	Words
	TextLines // all rows of a line, where it is broken into several
)

// point is a cell of the text: a row of an item, its blank rows not counted, and a column
// in that row. Row -1 of a part of a long answer is the blank row before it.
type point struct {
	block    event.BlockID
	at, seg  int // the index of the block, where it was last, and the part of a long answer
	row, col int
	before   string // the text of the row up to there, see [View.holdsStill]
}

// textSelection is a part of the text that is marked to be copied.
type textSelection struct {
	on       bool
	unit     Unit
	keys     bool // it is moved by keys, and has a cursor
	from, to point
	col      int // where the cursor was before it came to shorter rows
	// follow says that the view followed when the selection began, at the row off of
	// part seg of block top.
	follow        bool
	top, seg, off int

	// a and b are its ends in their order; b is behind the last cell. They are of a
	// version of the view.
	a, b    point
	version uint64
}

// HasSelection reports whether text is selected.
func (v *View) HasSelection() bool {
	v.layout()
	return v.selection.on
}

// SelectsByKeys reports whether the selection is moved by keys.
func (v *View) SelectsByKeys() bool { return v.HasSelection() && v.selection.keys }

// Beyond is how many rows a place is above the text on the screen, as a negative number,
// or below it.
func (v *View) Beyond(y int) int { return min(y-v.covered(), 0) + max(y-v.h+1, 0) }

// StartSelection begins to select text at a place on the screen, which stops following.
// It reports false where there is no text.
func (v *View) StartSelection(x, y int, u Unit) bool {
	v.layout()
	p, ok := v.pointAt(x, y)
	if !ok {
		return false
	}
	v.begin(textSelection{unit: u, from: p, to: p})
	return true
}

// beganAt reports whether the screen begins where it did when a selection began.
func (v *View) beganAt(s *textSelection) bool {
	return s.top == v.top && s.seg == v.seg && s.off == v.off
}

func (v *View) begin(s textSelection) {
	old := v.selection
	s.on, s.follow, s.top, s.seg, s.off = true, v.follow, v.top, v.seg, v.off
	if old.on && !v.follow && v.beganAt(&old) {
		s.follow = old.follow
	}
	v.stay()
	v.selection = s
	v.changed()
}

// ExtendSelection moves the end of the selection to a place on the screen. Places beyond
// its edges count as the nearest rows.
func (v *View) ExtendSelection(x, y int) {
	v.layout()
	if p, ok := v.pointAt(x, y); ok && v.selection.on && !p.same(v.selection.to) {
		v.selection.to, v.selection.keys = p, false
		v.changed()
	}
}

// SelectionIsPoint reports whether a selection holds no more than the cell where it began.
func (v *View) SelectionIsPoint() bool {
	s := &v.selection
	return s.on && s.unit == Cells && s.from.same(s.to)
}

// EndSelection gives the selection up. A view that followed when it began, and was not
// scrolled since, follows again.
func (v *View) EndSelection() {
	s := v.selection
	if !s.on {
		return
	}
	v.selection = textSelection{}
	for _, e := range v.cache.entries {
		e.traced = nil
	}
	if s.follow && v.beganAt(&s) {
		v.follow = true
	}
	v.changed()
}

func (p point) same(q point) bool {
	return p.block == q.block && p.seg == q.seg && p.row == q.row && p.col == q.col
}

// pointAt finds the place in the text that is shown at a place on the screen.
func (v *View) pointAt(x, y int) (point, bool) {
	if len(v.parts) == 0 {
		return point{}, false
	}
	y = min(max(y, v.covered()), v.h-1)
	col := x - v.lead()
	last := len(v.parts) - 1
	for i := range v.parts {
		p := &v.parts[i]
		if n := p.to - p.from; y >= n && i < last {
			y -= n
			continue
		}
		row := p.from + y - p.gap
		switch h := p.entry.height(); {
		case row < 0 && !p.item.first():
			return v.point(p.item, row, max(col, -1)), true
		case row < 0 && p.item.from == 0:
			return v.point(p.item, 0, 0), true
		case row < 0: // a blank row belongs to what stands above it
			it, _ := v.prev(p.item)
			return v.point(it, v.entry(it).height()-1, v.w), true
		case row >= h:
			return v.point(p.item, h-1, v.w), true
		}
		return v.point(p.item, row, max(col, -1)), true // -1 is before all text
	}
	return point{}, false
}

func (v *View) point(it item, row, col int) point {
	p := point{block: v.blocks[it.from].ID, at: it.from, seg: it.seg, row: row, col: col}
	p.before = v.textBefore(it, p)
	return p
}

// textBefore is the text that stands before a point in its row.
func (v *View) textBefore(it item, p point) string {
	e := v.entry(it)
	if p.row < 0 || p.row >= e.height() {
		return ""
	}
	text, _ := e.row(p.row)
	return strings.TrimRight(rows.Truncate(ansi.Strip(text), max(p.col, 0), ""), " ")
}

// itemOf looks up the item of a point.
func (v *View) itemOf(p *point) (item, bool) {
	if p.at < len(v.blocks) && v.blocks[p.at].ID == p.block {
		return v.segAt(p.at, p.seg), true
	}
	for i := len(v.blocks) - 1; i >= 0; i-- {
		if v.blocks[i].ID == p.block {
			p.at = i
			return v.segAt(i, p.seg), true
		}
	}
	return item{}, false
}

// holdsStill reports whether the text before a point is what it was when it was set.
// What changes with time is no text.
func (v *View) holdsStill(p *point) bool {
	it, ok := v.itemOf(p)
	if !ok || it.from != p.at {
		return false
	}
	for h := v.entry(it).height(); p.row >= h; h = v.entry(it).height() {
		if it.last() {
			return false
		}
		it, _ = v.next(it) // a part that has become two
		p.seg, p.row = it.seg, p.row-h-v.gap(it)
	}
	for _, row := range v.entry(it).moves {
		if row == p.row {
			return true
		}
	}
	return v.textBefore(it, *p) == p.before
}

// settleSelection finds the ends of the selection. It ends where the text at one of them
// has become another.
func (v *View) settleSelection() {
	s := &v.selection
	if !s.on || s.version == v.version {
		return
	}
	s.version = v.version
	if !v.holdsStill(&s.from) || !v.holdsStill(&s.to) {
		v.selection = textSelection{}
		return
	}
	a, b := s.from, s.to
	if before(b, a) {
		a, b = b, a
	}
	switch s.unit {
	case Words:
		a, _ = v.wordAt(a)
		_, b = v.wordAt(b)
	case TextLines:
		a, _ = v.lineAt(a)
		_, b = v.lineAt(b)
	default:
		it, _ := v.itemOf(&a)
		if g, ok := glyphIn(v.glyphs(it, a.row), a.col); ok {
			a.col = g.from
		}
		it, _ = v.itemOf(&b)
		if g, ok := glyphIn(v.glyphs(it, b.row), b.col); ok {
			b.col = g.to
		} else {
			b.col++
		}
	}
	s.a, s.b = a, b
}

// before reports whether a point stands before another.
func before(p, q point) bool {
	switch {
	case p.at != q.at:
		return p.at < q.at
	case p.seg != q.seg:
		return p.seg < q.seg
	case p.row != q.row:
		return p.row < q.row
	}
	return p.col < q.col
}

// side is -1 for a point before an item, 1 for one behind it, 0 in it.
func (p *point) side(it item) int {
	switch {
	case p.at < it.from, it.segs > 0 && p.at == it.from && p.seg < it.seg:
		return -1
	case p.at >= it.to, it.segs > 0 && p.seg > it.seg:
		return 1
	}
	return 0
}

// selectedCells are the cells of a row that are selected, none where from is not before
// to. Only text is: no gutters, and nothing behind the end of it.
func (v *View) selectedCells(p *part, row int) (from, to int) {
	s := &v.selection
	if !s.on || s.a.side(p.item) > 0 || s.b.side(p.item) < 0 {
		return 0, 0
	}
	lo, hi := 0, v.w
	if s.a.side(p.item) == 0 {
		if row < s.a.row {
			return 0, 0
		}
		if row == s.a.row {
			lo = s.a.col
		}
	}
	if s.b.side(p.item) == 0 {
		if row > s.b.row {
			return 0, 0
		}
		if row == s.b.row {
			hi = s.b.col
		}
	}
	if p.item.segs == 0 && v.blocks[p.item.from].Text.Len() > traceAtOnce && p.entry.traced == nil {
		text, width := p.entry.row(row)
		text = ansi.Strip(text)
		return max(lo, len(text)-len(strings.TrimLeft(text, " "))), min(hi, width)
	}
	list := v.glyphs(p.item, row)
	if len(list) == 0 {
		return 0, 0
	}
	return max(lo, list[0].from), min(hi, list[len(list)-1].to)
}

// traceAtOnce is how much text a block may have that is drawn with a trace while it is
// selected. In a longer one gutters are marked as well; they are not copied.
const traceAtOnce = 32 << 10

// overlay marks the selected cells of a row.
func (v *View) overlay(row string, width int, p *part, i int) string {
	from, to := v.selectedCells(p, i)
	if from >= to {
		return row
	}
	return rows.Splice(row, from, v.st.Selected.Over(rows.Cut(row, from, to)), width)
}
