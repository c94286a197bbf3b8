package transcript

import "hermes-tui/agent/event"

// Move says where the cursor goes.
type Move int

// The moves of the cursor.
const (
	MoveNone Move = iota // away
	MovePrev
	MoveNext
)

// Select moves the cursor by one block and the screen with it. Without a cursor
// it begins at the last block on the screen, or the first for [MoveNext]. It
// reports whether the cursor is on a block.
func (v *View) Select(m Move) bool {
	v.layout()
	i, on := v.selected()
	switch {
	case m == MoveNone || len(v.parts) == 0:
		v.choose("", 0)
		return false
	case !on && m == MovePrev:
		i = v.parts[len(v.parts)-1].item.from
	case !on:
		i = v.parts[0].item.from
	case m == MovePrev:
		it, ok := v.prev(v.itemAt(i))
		if !ok {
			return true
		}
		i = it.from
	default:
		it, ok := v.next(v.endOf(i))
		if !ok {
			return true
		}
		i = it.from
	}
	v.choose(v.blocks[i].ID, i)
	v.reveal(i)
	return true
}

// choose puts the cursor on a block.
func (v *View) choose(id event.BlockID, at int) {
	if id != v.sel {
		v.changed()
	}
	v.sel, v.selAt = id, at
}

// SelectBlock puts the cursor on a block, as a click does. An empty id takes it
// away.
func (v *View) SelectBlock(id event.BlockID) { v.choose(id, v.selAt) }

// selected finds the block the cursor is on.
func (v *View) selected() (int, bool) {
	if v.sel == "" {
		return 0, false
	}
	if v.selAt < len(v.blocks) && v.blocks[v.selAt].ID == v.sel {
		return v.selAt, true
	}
	for i := len(v.blocks) - 1; i >= 0; i-- {
		if v.blocks[i].ID == v.sel {
			v.selAt = i
			return i, true
		}
	}
	v.choose("", 0)
	return 0, false
}

// Selected is the block the cursor is on, nil if there is none. Of several that
// are drawn as one it is the first.
func (v *View) Selected() *event.Block {
	i, ok := v.selected()
	if !ok {
		return nil
	}
	return v.blocks[v.itemAt(i).from]
}

// reveal scrolls as little as needed to bring a block onto the screen. Of one
// that is higher than the screen the start is shown.
func (v *View) reveal(i int) {
	it, end := v.itemAt(i), v.endOf(i)
	last := v.parts[len(v.parts)-1]
	start, first := place{it, 0}, v.firstInSight()
	switch {
	case it.before(first.item) || it.same(first.item) && first.row > v.gap(it):
		v.moveInSight(start)
	case last.item.before(end) || end.same(last.item) && last.to < last.gap+last.entry.height():
		at := v.up(place{end, v.height(end)}, v.h)
		if at.item.before(it) {
			v.moveTo(at)
			return
		}
		v.moveInSight(start)
	}
}

// BlockAt is the block at a row of the screen, counted from 0; nil when there
// is none, or on what is pinned. Of several that are drawn as one it is the first.
func (v *View) BlockAt(row int) *event.Block {
	v.layout()
	if row < v.covered() {
		return nil
	}
	for _, p := range v.parts {
		if n := p.to - p.from; row >= n {
			row -= n
			continue
		}
		if row < 0 || p.from+row < p.gap {
			return nil
		}
		return v.blocks[p.item.from]
	}
	return nil
}

// ToggleFold folds or opens the block the cursor is on; without a cursor, the
// last one on the screen that can be folded. It reports whether there was one.
func (v *View) ToggleFold() bool {
	v.layout()
	if i, ok := v.selected(); ok {
		return v.toggle(v.itemAt(i))
	}
	for i := len(v.parts) - 1; i >= 0; i-- {
		if v.toggle(v.parts[i].item) {
			return true
		}
	}
	return false
}

// Folds reports whether [View.ToggleFold] does something with the block the cursor is on.
func (v *View) Folds() bool {
	v.layout()
	i, ok := v.selected()
	if !ok {
		return false
	}
	it := v.itemAt(i)
	return it.closed() || it.head || foldable(v.blocks[it.from])
}

func (v *View) toggle(it item) bool {
	b := v.blocks[it.from]
	switch {
	case it.closed():
		for _, b := range v.members(it) {
			v.groups[b.ID] = true
		}
	case it.head:
		for _, b := range v.members(it) {
			delete(v.groups, b.ID)
			v.unaim(b.ID)
		}
	case foldable(b):
		v.folds[b.ID] = !v.folded(b)
		v.unaim(b.ID)
	default:
		return false
	}
	v.recount(0)
	v.changed()
	return true
}

// FoldAll folds or opens all blocks, now and to come.
func (v *View) FoldAll(folded bool) {
	v.allFolded, v.sections = folded, [sections]fold{}
	clear(v.folds)
	clear(v.groups)
	v.aim = aim{}
	v.recount(0)
	v.changed()
	v.revealMark()
}

// revealMark keeps the block that the cursor is on in sight.
func (v *View) revealMark() {
	if i, on := v.selected(); on {
		if v.layout(); len(v.parts) > 0 {
			v.reveal(i)
		}
	}
}
