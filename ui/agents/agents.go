// Package agents draws the agents of a conversation. [Pane] shows them as a tree,
// with what each of them does and uses, and how full the root's context window
// is: as a pane of its own, and as one line for screens without room for it.
// [Detail] shows everything about one of them.
//
// Guarantees:
//
//   - [Pane.Rows] and [Detail.Rows] yield exactly h rows of exactly w cells,
//     [Pane.Line] one row.
//   - The selection belongs to an agent, not to a row: it stays with its agent
//     while rows come, go and are sorted. One that a filter hides is selected
//     again as soon as it is shown again.
//   - Every state has a sign of its own and needs no colour.
//   - There is no clock: time and animation are passed in by [Pane.Tick] and
//     [Detail.Tick]. Activity is measured by what [Pane.Sync] finds at the time of
//     the last tick, over the last minute, in a fixed amount of memory per agent.
//   - A sync costs what the agents are, not what their transcripts hold.
//   - Text from outside is made safe before it is kept.
//
// A [Pane] and a [Detail] belong to one goroutine each. They copy what they show
// and keep no part of the state they were given.
package agents

import (
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// Pane shows the agents of one conversation. The zero value is not ready, see
// [New].
type Pane struct {
	st      *rows.Styles
	focused bool
	now     time.Time
	frame   int

	// all are the agents to be shown, parents before their children; lines are
	// those that the filter lets through, in the order of the rows.
	all    []node
	lines  []line
	forest forest
	pen    pen
	known  map[event.AgentID]*record
	place  map[event.AgentID]int
	trees  map[event.TurnID]bool
	round  uint64 // of the newest sync

	children int         // agents but the root
	active   int         // of those, the ones at work
	spent    event.Usage // by those
	frozen   bool
	past     string // which turn the tree belongs to, empty for the present one
	context  event.Context
	cache    status.Cache // of the root
	doing    string       // what the root does now

	sort     Sort
	filter   Filter
	selected event.AgentID
	steer    steering
}

// New makes an empty pane.
func New(st *rows.Styles) *Pane {
	return &Pane{
		st: st, known: map[event.AgentID]*record{}, place: map[event.AgentID]int{},
		trees: map[event.TurnID]bool{}, steer: newSteering(st),
	}
}

// SetStyles changes the colours.
func (p *Pane) SetStyles(st *rows.Styles) {
	p.st = st
	p.steer.input.SetStyles(st)
}

// SetFocused reports whether keys go to the pane: only then the selection is
// marked.
func (p *Pane) SetFocused(on bool) { p.focused = on }

// Tick tells the time and the frame of the animation. It comes before the
// [Pane.Sync] whose news belong to that time.
func (p *Pane) Tick(now time.Time, frame int) { p.now, p.frame = now, frame }

// Animating reports whether the pane changes as time goes by.
func (p *Pane) Animating() bool {
	for i := range p.all {
		if atWork(p.all[i].state) {
			return true
		}
	}
	return false
}

// Selected is the selected agent: the root until another one is chosen, the
// nearest one to be seen while a filter hides the chosen one, no one without
// agents.
func (p *Pane) Selected() event.AgentID {
	if i := p.index(); i < len(p.lines) {
		return p.all[p.lines[i].at].id
	}
	return ""
}

// Up selects the agent on the row above and reports whether there is one.
func (p *Pane) Up() bool { return p.move(-1) }

// Down selects the agent on the row below and reports whether there is one.
func (p *Pane) Down() bool { return p.move(1) }

func (p *Pane) move(by int) bool {
	i := p.index() + by
	if i < 0 || i >= len(p.lines) {
		return false
	}
	p.selected = p.all[p.lines[i].at].id
	return true
}

// index is the row of the selected agent.
func (p *Pane) index() int {
	for i := range p.all {
		if p.all[i].id == p.selected {
			return p.nearest(i)
		}
	}
	return 0
}

// nearest is the row of an agent, or while it is hidden that of the one that was
// spawned next before or after it, rather a subagent's than the root's.
func (p *Pane) nearest(i int) int {
	if line := p.all[i].line; line >= 0 {
		return line
	}
	for d := 1; d < len(p.all); d++ {
		for _, k := range [2]int{i + d, i - d} {
			if k >= 0 && k < len(p.all) && p.all[k].line >= 0 && !p.all[k].root {
				return p.all[k].line
			}
		}
	}
	return 0
}

// anchor is the row that must be seen when not all can be: that of the agent that
// is steered, or of the selected one if the user is looking for one, else the
// first that waits for the user, else the first child at work.
func (p *Pane) anchor() int {
	if p.steer.open {
		if i := p.steerLine(); i >= 0 {
			return i
		}
	}
	if p.focused {
		return p.index()
	}
	work := 0
	for i := range p.lines {
		n := &p.all[p.lines[i].at]
		if n.state == event.AgentWaiting {
			return i
		}
		if work == 0 && !n.root && atWork(n.state) {
			work = i
		}
	}
	return work
}
