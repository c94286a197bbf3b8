// Package agents draws the agents of a conversation as a tree, with what each of
// them does, and how full the root's context window is: as a pane of its own,
// and as one line for screens without room for it.
//
// Guarantees:
//
//   - [Pane.Rows] yields exactly h rows of exactly w cells, [Pane.Line] one row.
//   - The selection belongs to an agent, not to a row: it stays with its agent
//     while rows come and go.
//   - Every state has a sign or a word of its own and needs no colour.
//   - The pane has no clock: time and animation are passed in by [Pane.Tick].
//
// A [Pane] belongs to one goroutine. It copies what it shows and keeps no part
// of the state it was given.
package agents

import (
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// Pane shows the agents of one conversation. The zero value is not ready, see
// [New].
type Pane struct {
	st       *rows.Styles
	nodes    []node
	children int // agents but the root
	active   int // of those, the ones at work
	context  event.Context
	doing    string // what the root does now
	selected event.AgentID
	focused  bool
	now      time.Time
	frame    int
}

// New makes an empty pane.
func New(st *rows.Styles) *Pane { return &Pane{st: st} }

// SetStyles changes the colours.
func (p *Pane) SetStyles(st *rows.Styles) { p.st = st }

// SetFocused tells whether keys go to the pane: only then the selection is
// marked.
func (p *Pane) SetFocused(on bool) { p.focused = on }

// Tick tells the time and the frame of the animation.
func (p *Pane) Tick(now time.Time, frame int) { p.now, p.frame = now, frame }

// Sync takes the agents as they are now.
func (p *Pane) Sync(s *event.State) {
	p.nodes = grow(p.nodes[:0], s.Agents)
	p.children, p.active, p.doing, p.context = 0, 0, "", event.Context{}
	for i := range p.nodes {
		if n := &p.nodes[i]; !n.root {
			p.children++
			if n.atWork() {
				p.active++
			}
		}
	}
	if a := s.Root(); a != nil {
		p.doing, p.context = doing(a), a.Context
	}
}

// Animating tells whether the pane changes as time goes by.
func (p *Pane) Animating() bool {
	for i := range p.nodes {
		if p.nodes[i].atWork() {
			return true
		}
	}
	return false
}

// Selected is the selected agent: the root until another one is chosen, nobody
// without agents.
func (p *Pane) Selected() event.AgentID {
	if i := p.index(); i < len(p.nodes) {
		return p.nodes[i].id
	}
	return ""
}

// Select selects an agent. One that is not there counts as the root.
func (p *Pane) Select(id event.AgentID) { p.selected = id }

// Up selects the agent on the row above and reports whether there is one.
func (p *Pane) Up() bool { return p.move(-1) }

// Down selects the agent on the row below and reports whether there is one.
func (p *Pane) Down() bool { return p.move(1) }

func (p *Pane) move(by int) bool {
	i := p.index() + by
	if i < 0 || i >= len(p.nodes) {
		return false
	}
	p.selected = p.nodes[i].id
	return true
}

// index is the place of the selected agent in the tree.
func (p *Pane) index() int {
	for i := range p.nodes {
		if p.nodes[i].id == p.selected {
			return i
		}
	}
	return 0
}

// anchor is the agent that must be seen when not all can be: the selected one if
// the person is looking for one, else the first that waits for the person, else
// the first child at work.
func (p *Pane) anchor() int {
	if p.focused {
		return p.index()
	}
	work := 0
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.state == event.AgentWaiting {
			return i
		}
		if work == 0 && !n.root && n.atWork() {
			work = i
		}
	}
	return work
}
