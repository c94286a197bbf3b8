package transcript

import "hermes-tui/agent/event"

// Sync takes the blocks of the agent as they are now. It compares pointers, and
// keeps no reference to the slice.
func (v *View) Sync(blocks []*event.Block) {
	same := 0
	for same < len(blocks) && same < len(v.blocks) && blocks[same] == v.blocks[same] {
		same++
	}
	if same == len(blocks) && same == len(v.blocks) {
		return
	}
	var anchor event.BlockID
	if v.top >= same && v.top < len(v.blocks) {
		anchor = v.blocks[v.top].ID
	}
	old := len(v.blocks)
	v.blocks = append(v.blocks[:same], blocks[same:]...)
	if len(v.blocks) < old {
		clear(v.blocks[len(v.blocks):old])
	}
	if anchor != "" && !v.follow {
		v.reanchor(anchor, same)
	}
	v.seen = min(v.seen, len(v.blocks))
	v.changed()
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
	v.top, v.off = min(v.top, max(len(v.blocks)-1, 0)), 0
}

// NewBelow counts the blocks that arrived, or grew, since the view stopped
// following.
func (v *View) NewBelow() int {
	if v.follow {
		return 0
	}
	n := len(v.blocks) - v.seen
	if v.seen > 0 && v.blocks[v.seen-1] != v.last {
		n++
	}
	return n
}

// stay stops following, at the row that is on top now.
func (v *View) stay() {
	if !v.follow {
		return
	}
	v.follow = false
	v.seen, v.last = len(v.blocks), nil
	if v.seen > 0 {
		v.last = v.blocks[v.seen-1]
	}
}
