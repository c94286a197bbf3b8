package transcript

import (
	"slices"

	"hermes-tui/agent/event"
)

// Sync takes the blocks of the agent as they are now. It compares pointers, and
// keeps no reference to the slice.
func (v *View) Sync(blocks []*event.Block) {
	if !v.hidden {
		if same := prefix(v.blocks, blocks); same < len(blocks) || same < len(v.blocks) {
			v.exchange(same, blocks[same:])
		}
		return
	}
	same := prefix(v.all, blocks)
	if same == len(blocks) && same == len(v.all) {
		return
	}
	at := len(v.blocks) - visible(v.all[same:])
	rest := without(blocks[same:])
	v.all = replaced(v.all, same, blocks[same:])
	more := prefix(v.blocks[at:], rest)
	if at+more < len(v.blocks) || more < len(rest) {
		v.exchange(at+more, rest[more:])
	}
}

// Complete is Sync for blocks of which the view has shown only the last ones so far.
func (v *View) Complete(blocks []*event.Block) {
	shown, seen := len(v.blocks), v.new.seen
	v.Sync(blocks)
	if v.follow {
		return
	}
	v.countedTo(max(len(v.blocks)-shown+seen, 0))
}

// countedTo says that what has arrived stands behind the first n blocks.
func (v *View) countedTo(n int) {
	v.new.seen, v.new.upto, v.new.sum = n, n, 0
	if n > 0 && v.blocks[n-1] != v.new.last {
		v.new.last, v.new.rows = v.blocks[n-1], v.rowsOf(v.itemAt(n-1))
	}
}

// prefix is how many blocks two lists have in common at their start.
func prefix(a, b []*event.Block) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// replaced puts others in the place of the blocks from one on.
func replaced(list []*event.Block, from int, others []*event.Block) []*event.Block {
	old := len(list)
	list = append(list[:from], others...)
	if len(list) < old {
		clear(list[len(list):old])
	}
	return list
}

// without leaves out what the model thought.
func without(blocks []*event.Block) []*event.Block {
	out := make([]*event.Block, 0, visible(blocks))
	for _, b := range blocks {
		if b.Kind != event.BlockReasoning {
			out = append(out, b)
		}
	}
	return out
}

// exchange puts others in the place of the blocks from one on, and keeps the top
// of the screen where it is.
func (v *View) exchange(from int, others []*event.Block) {
	var anchor event.BlockID
	if v.top >= from && v.top < len(v.blocks) {
		anchor = v.blocks[v.top].ID
	}
	v.hear(v.blocks[from:], others)
	v.forgetLong(v.blocks[from:], others)
	v.forgetGone(v.blocks[from:], others)
	v.blocks = replaced(v.blocks, from, others)
	if anchor != "" && !v.follow {
		v.reanchor(anchor, from)
	}
	v.recount(from)
	v.findFrom(from)
	v.changed()
}

// forgetGone drops what was drawn of blocks that others have replaced: no one looks at
// these again, and each of them holds the whole body of a call. An open block hands its
// entry on to its next revision.
func (v *View) forgetGone(old, others []*event.Block) {
	var kept map[*event.Block]bool
	for i, b := range old {
		if i < len(others) && others[i] == b {
			continue
		}
		if kept == nil {
			kept = make(map[*event.Block]bool, len(others))
			for _, b := range others {
				kept[b] = true
			}
		}
		if !kept[b] {
			v.cache.forget(b)
		}
	}
}

// reanchor finds the top block again among those from index from on. When it
// is gone the view stays at the block that took its place.
func (v *View) reanchor(id event.BlockID, from int) {
	for i := from; i < len(v.blocks); i++ {
		if v.blocks[i].ID == id {
			v.top = i
			return
		}
	}
	v.top, v.seg, v.off = min(v.top, max(len(v.blocks)-1, 0)), 0, 0
}

// SetReasoning shows or hides what the model thought. What is on top of the screen
// stays there, and the cursor on its block; when they are hidden, they go on to
// the block behind.
func (v *View) SetReasoning(show bool) {
	if show != v.hidden {
		return
	}
	v.layout()
	old, row := v.blocks, 0
	if v.top < len(old) {
		row = v.off - v.gap(v.topItem())
	}
	if v.hidden = !show; show {
		v.blocks, v.all = v.all, nil
	} else {
		v.all = v.blocks
		v.blocks = without(v.all)
	}
	v.carry(old, row)
	v.findFrom(0)
	v.changed()
}

// carry takes everything that is a place among the old blocks over to the new
// ones. row is the row of the top block that the screen begins with, its blank
// rows not counted.
func (v *View) carry(old []*event.Block, row int) {
	if len(v.blocks) == 0 {
		v.follow, v.top, v.seg, v.off, v.new, v.sel = true, 0, 0, 0, arrivals{}, ""
		return
	}
	if v.sel != "" {
		if i := slices.IndexFunc(old, func(b *event.Block) bool { return b.ID == v.sel }); i >= 0 {
			v.selAt = v.moved(old, i)
			v.sel = v.blocks[v.selAt].ID
		}
	}
	if v.follow {
		return
	}
	if v.top < len(old) {
		was := old[v.top]
		v.top, v.off, v.tall = v.moved(old, v.top), 0, 0
		if v.blocks[v.top] == was {
			v.off = max(row+v.gap(v.topItem()), 0)
		} else {
			v.seg = 0
		}
	}
	switch seen := v.new.seen; {
	case seen >= len(old):
		v.countedTo(len(v.blocks))
	case seen > 0 && v.hidden:
		v.countedTo(visible(old[:seen]))
	case seen > 0:
		v.countedTo(v.moved(old, seen-1) + 1)
	}
}

// moved is where an old block is now; for one that is hidden, where the next one
// is, or the last.
func (v *View) moved(old []*event.Block, i int) int {
	if v.hidden {
		return min(visible(old[:i]), len(v.blocks)-1)
	}
	at := 0
	for left := i; ; at++ {
		if v.blocks[at].Kind == event.BlockReasoning {
			continue
		}
		if left == 0 {
			return at
		}
		left--
	}
}

// visible counts the blocks that are shown without what the model thought.
func visible(blocks []*event.Block) int {
	n := 0
	for _, b := range blocks {
		if b.Kind != event.BlockReasoning {
			n++
		}
	}
	return n
}

// stay stops following, at the row that is on top now.
func (v *View) stay() {
	if v.follow {
		v.follow = false
		v.countFrom()
	}
}
