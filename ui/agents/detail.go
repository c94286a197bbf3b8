package agents

import (
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
)

// Section is a part of [Detail] that can be folded.
type Section int

// The sections, in the order in which they stand. One that has nothing to show is
// left out.
const (
	SectionGoal   Section = iota + 1 // what it is to do
	SectionResult                    // its summary, or why it failed
	SectionCalls                     // the newest tool calls, the newest first
	SectionOutput                    // the newest lines of what runs, or of what is being written
	SectionAgents                    // its own subagents
	SectionFiles                     // read and changed
	SectionFacts                     // model, toolsets, budget, time, tokens, cost

	sections = int(SectionFacts)
)

// fold is how a section is shown.
type fold uint8

const (
	foldAuto  fold = iota // as far as there is room
	foldOpen              // in full
	foldClose             // its title, with the little that fits beside it
)

// Detail shows everything about one agent. What does not fit scrolls; before that
// sections yield room, the least important first, unless the user has opened
// them. The zero value is not ready, see [NewDetail].
type Detail struct {
	st    *rows.Styles
	md    *markdown.Renderer
	now   time.Time
	frame int

	id    event.AgentID
	card  card
	folds [sections + 1]fold // as the user wants them
	memo  map[memoKey][]string
	tail  tail

	drawn []string           // all rows, as they were drawn last
	open  [sections + 1]bool // the sections that had rows then
	top   int                // the first of the rows in sight
	page  int                // how many of them are in sight
}

// NewDetail makes a view that shows no one.
func NewDetail(st *rows.Styles) *Detail {
	return &Detail{st: st, md: markdown.New(markdown.Options{}), memo: map[memoKey][]string{}}
}

// SetStyles changes the colours.
func (d *Detail) SetStyles(st *rows.Styles) {
	d.st = st
	clear(d.memo)
}

// Show chooses the agent. An empty id shows no one. What is known about it comes
// with the next [Detail.Sync].
func (d *Detail) Show(id event.AgentID) {
	if d.id == id {
		return
	}
	d.id, d.card, d.top, d.tail = id, card{}, 0, tail{}
	clear(d.memo)
}

// Shown is the agent that was chosen, empty for none.
func (d *Detail) Shown() event.AgentID { return d.id }

// Tick tells the time and the frame of the animation.
func (d *Detail) Tick(now time.Time, frame int) { d.now, d.frame = now, frame }

// Animating reports whether the view changes as time goes by.
func (d *Detail) Animating() bool {
	if !d.card.found {
		return false
	}
	for i := range d.card.kids {
		if atWork(d.card.kids[i].state) {
			return true
		}
	}
	return atWork(d.card.state)
}

// ToggleSection folds a section or opens it in full. It reports whether the
// section is there.
func (d *Detail) ToggleSection(s Section) bool {
	if s < 1 || int(s) > sections || !d.card.has(s) {
		return false
	}
	if d.folds[s] = foldOpen; d.open[s] {
		d.folds[s] = foldClose
	}
	d.open[s] = !d.open[s]
	return true
}

// Up scrolls up by a row and reports whether it did.
func (d *Detail) Up() bool { return d.scroll(d.top - 1) }

// Down scrolls down by a row and reports whether it did.
func (d *Detail) Down() bool { return d.scroll(d.top + 1) }

// PageUp scrolls up by what is in sight and reports whether it did.
func (d *Detail) PageUp() bool { return d.scroll(d.top - max(d.page-1, 1)) }

// PageDown scrolls down by what is in sight and reports whether it did.
func (d *Detail) PageDown() bool { return d.scroll(d.top + max(d.page-1, 1)) }

// Top scrolls to the beginning and reports whether it did.
func (d *Detail) Top() bool { return d.scroll(0) }

// Bottom scrolls to the end and reports whether it did.
func (d *Detail) Bottom() bool { return d.scroll(len(d.drawn)) }

// scroll moves the first row, within what was drawn last.
func (d *Detail) scroll(to int) bool {
	to = max(min(to, len(d.drawn)-d.page), 0)
	moved := to != d.top
	d.top = to
	return moved
}
