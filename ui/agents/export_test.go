package agents

import (
	"hermes-tui/agent/event"
)

// Select selects an agent. One that is not there counts as the root.
func (p *Pane) Select(id event.AgentID) { p.selected = id }
