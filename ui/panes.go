package ui

import "hermes-tui/agent/event"

// view is what is seen besides the conversation, or in its place. It changes by
// [view.after] alone.
type view struct {
	closed bool   // the side panes were closed on a wide screen
	drawer drawer // how they stand on a medium one
	below  bool   // they were opened on a narrow one
	asked  bool   // they were opened by hand and are shown with nothing in them
	seen   bool   // something to see in them has opened the drawer once
	detail bool   // everything about the marked agent is wanted in them
	grid   bool   // all agents at once take the body
	// agent is whose transcript is in the main view, empty for the root.
	agent event.AgentID
}

// drawer is how the side panes stand on a medium screen.
type drawer int

const (
	drawerShut drawer = iota
	drawerAuto
	drawerByHand
)

// change is what happens to a [view].
type change struct {
	step  step
	w     int           // columns of the screen, for toggled
	on    bool          // the side panes are beside the transcript, for toggled; whether, for gridShown
	agent event.AgentID // for promoted
}

type step int

const (
	opened     step = iota // the side panes, by hand, at every width
	toggled                // the side panes, by hand, at this width
	appeared               // something to see in them
	left                   // them, with the keys
	shut                   // the drawer
	detailed               // the marked agent, or no longer
	undetailed             // the marked agent
	gridShown              // all agents, or no longer
	promoted               // an agent, or the root again
	exchanged              // the conversation
)

// after is the view after a change.
func (v view) after(c change) view {
	switch c.step {
	case opened:
		v.closed, v.drawer, v.below, v.asked = false, drawerByHand, true, true
	case toggled:
		if c.w < mediumColumns {
			v.below = !v.below
			break
		}
		v.asked = !c.on
		switch {
		case c.w >= wideColumns:
			v.closed = c.on
		case c.on:
			v.drawer = drawerShut
		default:
			v.drawer = drawerByHand
		}
	case appeared:
		if !v.seen && v.drawer == drawerShut {
			v.drawer = drawerAuto
		}
		v.seen = true
	case left:
		v.below = false
	case shut:
		v.drawer = drawerShut
	case detailed:
		v.detail = !v.detail
	case undetailed:
		v.detail = false
	case gridShown:
		v.grid = c.on
	case promoted:
		v.agent = c.agent
	case exchanged:
		v.agent, v.detail = "", false
	}
	return v
}

// change has something happen to the view.
func (m *Model) change(c change) {
	if v := m.view.after(c); v != m.view {
		m.view, m.dirty = v, true
	}
}

// wants is what of the view takes room. holds says that there is something to see in the
// side panes.
func (v view) wants(holds bool) wants {
	return wants{side: !v.closed && (v.asked || holds), drawer: v.drawer != drawerShut, below: v.below, detail: v.detail, grid: v.grid}
}
