package transcript

import (
	"math"
	"time"

	"hermes-tui/agent/event"
)

// item is what the list consists of: one block, several that are drawn as one row, or a
// part of a long answer. from is its first block, to the one behind its last.
type item struct {
	from, to int
	// Of a long answer it is part seg, of segs.
	seg, segs int
	// head marks the first block of an open group, above which the group's row
	// stands.
	head bool
	// size is how many blocks the group has; 0 without a group.
	size int
}

// first and last report whether an item begins a block, and ends one.
func (it item) first() bool { return it.seg == 0 }
func (it item) last() bool  { return it.seg+1 >= it.segs }

// before reports whether an item stands before another.
func (it item) before(other item) bool {
	return it.from < other.from || it.from == other.from && it.seg < other.seg
}

// same reports whether two items begin at the same place.
func (it item) same(other item) bool { return it.from == other.from && it.seg == other.seg }

// closed reports whether an item is a group drawn as one row.
func (it item) closed() bool { return it.to-it.from > 1 }

// members are the blocks of the group whose row an item has, none if it has no
// such row.
func (v *View) members(it item) []*event.Block {
	if it.closed() || it.head {
		return v.blocks[it.from : it.from+it.size]
	}
	return nil
}

// quiet reports whether a block may be drawn together with its neighbours: a look
// at something that went well, or has not gone wrong so far. One that is planned
// or at work is among them, so that a group grows by one name with every look and
// its height stays the same; one that the user is asked about stands alone.
func quiet(b *event.Block) bool {
	if b.Kind != event.BlockTool {
		return false
	}
	c := b.Call
	if c.View.Kind != event.ViewRead && c.View.Kind != event.ViewSearch {
		return false
	}
	switch c.Stage {
	case event.CallPlanned, event.CallRunning:
		return c.Asked == ""
	case event.CallEnded:
		return c.Outcome == event.OutcomeOK
	}
	return false
}

// itemAt finds the item that block i belongs to, or begins with.
func (v *View) itemAt(i int) item {
	single := item{from: i, to: i + 1}
	if p := v.partsOf(i); p != nil {
		single.segs = p.Len()
		return single
	}
	if v.sectionFold(Calls) == unfolded || !quiet(v.blocks[i]) {
		return single
	}
	turn := v.blocks[i].Turn
	from, to := i, i+1
	for from > 0 && v.blocks[from-1].Turn == turn && quiet(v.blocks[from-1]) {
		from--
	}
	for to < len(v.blocks) && v.blocks[to].Turn == turn && quiet(v.blocks[to]) {
		to++
	}
	if to-from < 2 {
		return single
	}
	if v.groups[v.blocks[from].ID] || v.aim.block != "" && v.holds(item{from: from, to: to}, v.aim.block) {
		return item{from: i, to: i + 1, head: i == from, size: to - from}
	}
	return item{from: from, to: to, size: to - from}
}

// segAt is a part of block i, or the last one before it that there is.
func (v *View) segAt(i, seg int) item {
	it := v.itemAt(i)
	it.seg = max(min(seg, it.segs-1), 0)
	return it
}

// endOf is the item that block i ends with.
func (v *View) endOf(i int) item { return v.segAt(i, math.MaxInt) }

// topItem is the item that the screen begins with, and top the place.
func (v *View) topItem() item   { return v.segAt(v.top, v.seg) }
func (v *View) topPlace() place { return place{v.topItem(), v.off} }

// setTop has the screen begin at a place.
func (v *View) setTop(p place) { v.top, v.seg, v.off = p.item.from, p.item.seg, p.row }

// prev is the item before one; ok is false at the start.
func (v *View) prev(it item) (item, bool) {
	if it.seg > 0 {
		it.seg--
		return it, true
	}
	if it.from == 0 {
		return item{}, false
	}
	return v.endOf(it.from - 1), true
}

// next is the item behind one; ok is false at the end.
func (v *View) next(it item) (item, bool) {
	if !it.last() {
		it.seg++
		return it, true
	}
	if it.to >= len(v.blocks) {
		return item{}, false
	}
	return v.itemAt(it.to), true
}

// folded reports whether a block is folded.
func (v *View) folded(b *event.Block) bool {
	if b.ID == v.aim.block {
		return false
	}
	if f, ok := v.folds[b.ID]; ok {
		return f
	}
	switch s := sectionOf(b); {
	case s == Diffs && v.sections[s] == asEver && shown(b):
		return false
	default:
		return v.sectionFold(s) == folded
	}
}

// shown reports whether a block is open from the beginning: what was changed in
// files is what the user has to look at.
func shown(b *event.Block) bool {
	return b.Kind == event.BlockTool && b.Call.Stage == event.CallEnded && b.Call.View.Kind == event.ViewWrite &&
		b.Call.View.Lang == "diff" && b.Call.Outcome == event.OutcomeOK
}

// foldable reports whether folding a block changes how it looks.
func foldable(b *event.Block) bool {
	switch b.Kind {
	case event.BlockReasoning, event.BlockCompact:
		return b.Text.Len() > 0
	case event.BlockUser, event.BlockSteer:
		return long(b) || b.Origin != ""
	case event.BlockTool:
		return b.Call.Made > 1 || len(b.Call.Agents) > agentLines || b.Call.View.Body != "" || b.Call.Tail.Len() > 0
	}
	return false
}

// gap is how many blank rows stand before an item. What the agent did stands
// together, and so do notices.
func (v *View) gap(it item) int {
	i := it.from
	switch {
	case it.seg > 0:
		if p := v.part(it); p.Gap() {
			return 1
		}
		return 0
	case v.times && v.newDay(i):
		return 1
	case i == 0:
		return 0
	case v.activity(i) && v.activity(i-1):
		return 0
	case v.blocks[i].Kind == event.BlockNotice && v.blocks[i-1].Kind == event.BlockNotice:
		return 0
	}
	return 1
}

// activity reports whether block i is a call, or reasoning folded to one row.
func (v *View) activity(i int) bool {
	b := v.blocks[i]
	return b.Kind == event.BlockTool || b.Kind == event.BlockReasoning && v.folded(b) && !v.thinking(i)
}

// since is the time from a moment to the newest tick.
func (v *View) since(t time.Time) time.Duration {
	if t.IsZero() || v.now.IsZero() {
		return 0
	}
	return max(v.now.Sub(t), 0)
}
