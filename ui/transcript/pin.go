package transcript

import (
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// Pinned is what the user has written that what is on top of the screen belongs to; nil
// while the view follows or its first row is on the screen. It is shown on the first row,
// over what stands there.
func (v *View) Pinned() *event.Block {
	v.layout()
	if i := v.pinned; i >= 0 {
		return v.blocks[i]
	}
	return nil
}

// pinAt finds the text of the user whose turn a place is in, when the screen begins there
// and its first row is above that; -1 for none.
func (v *View) pinAt(p place) int {
	if v.h > 0 && v.h < leastPinned { // before it is drawn for the first time it has none
		return -1
	}
	for i := p.item.from; i >= 0; i-- {
		b := v.blocks[i]
		if b.Kind != event.BlockUser || b.Origin != "" {
			continue
		}
		if i == p.item.from && p.row <= v.gap(p.item) {
			return -1
		}
		return i
	}
	return -1
}

// leastPinned is from which height on a row is taken for what is pinned.
const leastPinned = 4

// covered is how many rows at the top of the screen are under what is pinned.
func (v *View) covered() int {
	if v.pinned >= 0 {
		return 1
	}
	return 0
}

// moveInSight puts a place on top, or below what is pinned then.
func (v *View) moveInSight(p place) {
	if v.pinAt(p) >= 0 {
		p = v.up(p, 1)
	}
	v.moveTo(p)
}

// firstInSight is the first place that is not under what is pinned.
func (v *View) firstInSight() place {
	return v.down(v.topPlace(), v.covered())
}

// pinnedRow draws what is pinned.
func (v *View) pinnedRow() string {
	b := v.blocks[v.pinned]
	text := clip(b.Text.String()[:min(b.Text.Len(), pinnedBytes)], v.w)
	end := ""
	if v.keys.Turn != "" && v.w >= bothKeys {
		end = v.st.Faint.Render(v.keys.Turn+" goes there") + " "
	}
	return rows.Between(markOff+v.st.User.Render("↑ ")+v.st.Muted.With(rows.Underline).Render(text), end, v.w)
}

// pinnedBytes is how much of a text is looked at for its first row.
const pinnedBytes = 4 << 10

// SetTimes shows or hides when each block came.
func (v *View) SetTimes(on bool) {
	if on != v.times {
		v.times, v.resized = on, true
		v.EndSelection()
		v.recount(0)
		v.changed()
	}
}

// Times reports whether it is shown when each block came.
func (v *View) Times() bool { return v.times }

// timeCells is the room for the time before a block, timesFrom the width from which there
// is some.
const (
	timeCells = len("15:04 ")
	timesFrom = 40
)

// lead is how many cells stand before the text of blocks.
func (v *View) lead() int {
	if v.times && v.w >= timesFrom {
		return len(markOff) + timeCells
	}
	return len(markOff)
}

// came is when a block came, in the time zone of the clock.
func (v *View) came(i int) time.Time {
	at := v.blocks[i].At
	if c := v.blocks[i].Call; c != nil && !c.Started.IsZero() {
		at = c.Started
	}
	return at.In(v.now.Location())
}

// newDay reports whether a block came on another day than the one before it.
func (v *View) newDay(i int) bool {
	if v.lead() == len(markOff) || v.blocks[i].At.IsZero() {
		return false
	}
	if i == 0 {
		return true
	}
	y, m, d := v.came(i).Date()
	oy, om, od := v.came(i - 1).Date()
	return y != oy || m != om || d != od
}

// timeAt is what stands before row i of an item, blank rows before it included, behind
// the mark.
func (v *View) timeAt(it item, i, gap int) string {
	if v.lead() == len(markOff) {
		return ""
	}
	if i != gap || !it.first() || v.blocks[it.from].At.IsZero() {
		return rows.Blank(timeCells)
	}
	return v.st.Faint.Render(v.came(it.from).Format("15:04")) + " "
}

// gapRow is a blank row before an item; on the first one of a day it says which.
func (v *View) gapRow(it item, i, gap int) string {
	if i != gap-1 || !v.newDay(it.from) {
		return rows.Blank(v.w)
	}
	return rows.Fit(markOff+v.st.Faint.Render(v.came(it.from).Format("Monday, 2 January 2006")), v.w)
}
