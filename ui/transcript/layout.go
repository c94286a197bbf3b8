package transcript

import (
	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// part is what of an item is on the screen: the rows from..to of its blank rows
// and its own.
type part struct {
	item     item
	entry    *entry
	gap      int
	from, to int
}

// place is a row of an item, blank rows before it included.
type place struct {
	item item
	row  int
}

// height is how many rows an item takes, blank rows before it included.
func (v *View) height(it item) int { return v.gap(it) + v.entry(it).height() }

// layout finds out what is on the screen, unless it is known.
func (v *View) layout() {
	if v.laid == v.version {
		return
	}
	v.laid = v.version
	v.cache.begin()
	v.parts, v.moving, v.pinned = v.parts[:0], false, -1
	if len(v.blocks) == 0 || v.h == 0 || v.w == 0 {
		v.follow, v.top, v.seg, v.off = true, 0, 0, 0
		v.selection = textSelection{}
		return
	}
	v.settleSelection()
	if !v.follow {
		v.settle()
	}
	if v.follow {
		p := v.bottom()
		if i, on := v.selected(); on && v.itemAt(i).from < p.item.from {
			v.stay() // what the cursor is on is not scrolled away
			p = place{v.itemAt(i), 0}
		}
		v.setTop(p)
	}
	if !v.follow {
		v.pinned = v.pinAt(v.topPlace())
	}
	v.fill()
	v.cache.evict()
}

// settle puts the top where it belongs after blocks or sizes changed, and turns
// following on when the end of the transcript is on the screen.
func (v *View) settle() {
	v.top = min(v.top, len(v.blocks)-1)
	it := v.topItem()
	if it.from != v.top {
		v.off = 0
	}
	h := v.height(it)
	if v.resized && v.tall > 0 {
		v.off = v.off * h / v.tall
	}
	for ; v.off >= h && !it.last(); h = v.height(it) { // a part that has become two
		v.off -= h
		it, _ = v.next(it)
	}
	v.setTop(place{it, min(v.off, h-1)})
	switch at := v.topPlace(); {
	case v.below(at, v.h):
	case v.selection.on: // which is not scrolled by what arrives
		v.setTop(v.bottom())
	default:
		v.follow = true
	}
}

// below reports whether more than n rows lie from a place on.
func (v *View) below(p place, n int) bool {
	left := v.height(p.item) - p.row
	for it, ok := v.next(p.item); ok && left <= n; it, ok = v.next(it) {
		left += v.height(it)
	}
	return left > n
}

// bottom is the place of the top row when the end of the transcript is at the
// bottom of the screen.
func (v *View) bottom() place {
	it := v.endOf(len(v.blocks) - 1)
	return v.up(place{it, v.height(it)}, v.h)
}

// up is the place n rows above another, or the start.
func (v *View) up(p place, n int) place {
	for n > p.row {
		it, ok := v.prev(p.item)
		if !ok {
			return place{p.item, 0}
		}
		n -= p.row
		p = place{it, v.height(it)}
	}
	p.row -= n
	return p
}

// down is the place n rows below another, or the last row.
func (v *View) down(p place, n int) place {
	for {
		h := v.height(p.item)
		if p.row+n < h {
			p.row += n
			return p
		}
		it, ok := v.next(p.item)
		if !ok {
			p.row = h - 1
			return p
		}
		n -= h - p.row
		p = place{it, 0}
	}
}

// fill collects what is on the screen.
func (v *View) fill() {
	it, ok := v.topItem(), true
	for row, skip := 0, v.off; ok && row < v.h; it, ok = v.next(it) {
		e, gap := v.entry(it), v.gap(it)
		p := part{item: it, entry: e, gap: gap, from: skip, to: min(gap+e.height(), skip+v.h-row)}
		v.parts = append(v.parts, p)
		v.moving = v.moving || p.moves() || e.stream != nil && e.stream.Pending()
		row += p.to - p.from
		skip = 0
	}
	if len(v.parts) > 0 {
		p := v.parts[0]
		v.tall = p.gap + p.entry.height()
	}
	v.resized = false
}

// moves reports whether a row of a part changes with time.
func (p *part) moves() bool {
	for _, row := range p.entry.moves {
		if row += p.gap; row >= p.from && row < p.to {
			return true
		}
	}
	return false
}

// marks stand before every row: of the block the cursor is on, and of others.
const (
	markOff = " "
	markOn  = "▎"
)

// appendPart appends the rows of a part.
func (v *View) appendPart(dst []string, p *part) []string {
	mark := markOff
	if v.sel != "" && v.holds(p.item, v.sel) {
		mark = v.st.Accent.Render(markOn)
	}
	book := p.item.first() && v.bookmarked(p.item)
	for i := p.from; i < p.to; i++ {
		mark := mark
		if book && i == p.gap {
			style := v.st.Warn
			if mark != markOff {
				style = v.st.Accent.With(rows.Reverse)
			}
			mark = style.Render(markBook)
		}
		if i < p.gap && p.item.first() {
			dst = append(dst, v.gapRow(p.item, i, p.gap))
			continue
		}
		if i < p.gap { // inside a block
			dst = append(dst, v.row(mark+v.timeAt(p.item, i, p.gap), "", 0))
			continue
		}
		text, width := p.entry.row(i - p.gap)
		text = v.overlay(v.lit(text, width, p, i-p.gap), width, p, i-p.gap)
		text, width = v.numbered(text, width, p.item, i-p.gap)
		dst = append(dst, v.row(mark+v.timeAt(p.item, i, p.gap), text, width))
	}
	return dst
}

// row makes a row of the screen out of one of a block.
func (v *View) row(mark, text string, width int) string {
	lead := v.lead()
	if v.w < lead+width {
		return rows.Fit(mark+text, v.w)
	}
	return mark + text + rows.Blank(v.w-lead-width)
}

// holds reports whether an item is, or contains, a block.
func (v *View) holds(it item, id event.BlockID) bool {
	for _, b := range v.blocks[it.from:it.to] {
		if b.ID == id {
			return true
		}
	}
	return false
}

// inner is how many cells the text of a block may take: one is left free on
// either side.
func (v *View) inner() int { return max(v.w-1-v.lead(), 1) }
