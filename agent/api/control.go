package api

import (
	"hermes-tui/agent/event"
)

// Control is the topic of turns and subagents that run.
type Control interface {
	// Steer hands a text to the running turn of an agent and returns when it is stored.
	// SteerPasted is the same for a text of which some was pasted, as in [Core].
	Steer(id event.AgentID, text string) (event.InputID, error)
	SteerPasted(id event.AgentID, text, typed string) (event.InputID, error)
	// Interrupt stops the turn of an agent, Hurry ends its wait before another attempt of a
	// model call.
	Interrupt(id event.AgentID, s Scope)
	Hurry(id event.AgentID)
	// Kill ends a subagent, Pause holds an agent before its next request or call, Resume lets
	// it go on, Freeze forbids that agents spawn others. Each returns when it is under way; an
	// event says when it is done.
	Kill(id event.AgentID, s Scope) error
	Pause(id event.AgentID, s Scope) error
	Resume(id event.AgentID, s Scope) error
	Freeze(on bool) error
	// SetMode changes the approval mode.
	SetMode(m event.Mode) error
	// SetEffort sets how much the model is to reason, from the next turn on; empty leaves it to
	// the provider. but is a sentence where the model is asked for something else, or for
	// nothing.
	SetEffort(effort string) (but string, err error)
}

// Scope says whom a control reaches.
type Scope int

// The scopes.
const (
	Self    Scope = iota
	Subtree       // with everything below it
)
