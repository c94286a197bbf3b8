package transcript

import (
	"slices"

	"hermes-tui/agent/event"
)

// maxScroll bounds how far one call scrolls, in rows.
const maxScroll = 2000

// Following reports whether the view stays at the end of the transcript.
func (v *View) Following() bool {
	v.layout()
	return v.follow
}

// AtEnd reports whether the end of the transcript is on the screen.
func (v *View) AtEnd() bool {
	v.layout()
	if len(v.parts) == 0 {
		return true
	}
	p := v.parts[len(v.parts)-1]
	return p.item.to == len(v.blocks) && p.item.last() && p.to == p.gap+p.entry.height()
}

// ScrollBy moves the view by rows, down when n is positive. Moving up stops
// following, reaching the end begins it again. The cursor stays in sight.
func (v *View) ScrollBy(n int) {
	v.layout()
	if len(v.blocks) == 0 || n == 0 || n > 0 && v.follow {
		return
	}
	at := v.topPlace()
	if n = min(max(n, -maxScroll), maxScroll); n < 0 {
		at = v.up(at, -n)
	} else {
		at = v.down(at, n)
	}
	v.moveTo(at)
	v.markInSight()
}

// mark moves the cursor, if there is one, to the item of block i.
func (v *View) mark(i int) {
	if _, on := v.selected(); on {
		at := v.itemAt(i).from
		v.choose(v.blocks[at].ID, at)
	}
}

// markInSight moves the cursor to the nearest block on the screen, if it is on one
// that is not.
func (v *View) markInSight() {
	i, on := v.selected()
	v.layout()
	if !on || len(v.parts) == 0 {
		return
	}
	from := v.itemAt(i).from
	first, last := v.parts[0], v.parts[len(v.parts)-1]
	if len(v.parts) > 1 && first.from+v.covered() >= first.gap+first.entry.height() {
		first = v.parts[1]
	}
	if len(v.parts) > 1 && last.to <= last.gap {
		last = v.parts[len(v.parts)-2]
	}
	switch {
	case from < first.item.from:
		v.mark(first.item.from)
	case from > last.item.from:
		v.mark(last.item.from)
	}
}

// moveTo puts a place on top.
func (v *View) moveTo(p place) {
	if p.item.from == v.top && p.item.seg == v.seg && p.row == v.off {
		return
	}
	v.stay()
	v.setTop(p)
	v.changed()
}

// PageUp moves the view up by a screen; two rows stay in view.
func (v *View) PageUp() { v.ScrollBy(-max(v.h-2, 1)) }

// PageDown moves the view down by a screen; two rows stay in view.
func (v *View) PageDown() { v.ScrollBy(max(v.h-2, 1)) }

// Top moves the view to the start, and the cursor with it.
func (v *View) Top() {
	if len(v.blocks) > 0 {
		v.layout()
		v.moveTo(place{v.itemAt(0), 0})
		v.mark(0)
	}
}

// Bottom moves the view to the end and follows it from there. The cursor goes with
// it.
func (v *View) Bottom() {
	v.mark(len(v.blocks) - 1)
	if !v.follow {
		v.follow = true
		v.changed()
	}
}

// TurnPrev moves to what the user wrote before the block the cursor is on and
// puts the cursor there. Without a cursor it begins at the end of the
// transcript while that is followed, otherwise at the top of the screen. It
// reports whether there is such a block.
func (v *View) TurnPrev() bool {
	v.layout()
	if len(v.blocks) == 0 {
		return false
	}
	i, ok := v.selected()
	switch {
	case ok:
	case v.follow:
		i = len(v.blocks)
	default:
		if i = v.top; v.seg > 0 || v.off > v.gap(v.itemAt(i)) {
			i++
		}
	}
	for i = min(i, len(v.blocks)) - 1; i >= 0; i-- {
		if v.blocks[i].Kind == event.BlockUser {
			v.jump(i)
			return true
		}
	}
	return false
}

// TurnNext moves to what the user wrote next, or to the end.
func (v *View) TurnNext() bool {
	v.layout()
	i, ok := v.selected()
	if !ok {
		i = v.top
	}
	for i++; i < len(v.blocks); i++ {
		if v.blocks[i].Kind == event.BlockUser {
			v.jump(i)
			return true
		}
	}
	v.choose("", 0)
	v.Bottom()
	return false
}

// Prompts are what the user has written, the newest first.
func (v *View) Prompts() (list []*event.Block) {
	for _, b := range slices.Backward(v.blocks) {
		if (b.Kind == event.BlockUser || b.Kind == event.BlockSteer) && b.Origin == "" {
			list = append(list, b)
		}
	}
	return list
}

// Show puts a block on top, and the cursor on it. It reports false for one that is
// not there.
func (v *View) Show(id event.BlockID) bool {
	i := slices.IndexFunc(v.blocks, func(b *event.Block) bool { return b.ID == id })
	if i >= 0 {
		v.jump(i)
	}
	return i >= 0
}

// jump puts a block on top, and the cursor on it.
func (v *View) jump(i int) {
	it := v.itemAt(i)
	v.choose(v.blocks[it.from].ID, it.from)
	v.moveInSight(place{it, v.gap(it)})
}
