package delegate

import (
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// Kill ends a subagent, with [Subtree] everything below it as well. Their contexts
// have ended when Kill returns. The root stays: with Subtree everything below it is
// ended. Killing one that is being ended changes nothing.
func (r *Registry) Kill(id event.AgentID, s api.Scope) error {
	if id == r.root.id && s == api.Self {
		return ErrRoot
	}
	return r.control(id, s, r.kill)
}

// Pause holds an agent before its next request or call; one that waits for its
// slot waits on without taking it. With [Subtree] everything below it is held as
// well, and what it spawns until it is resumed. Pausing twice, or one that is being
// ended, changes nothing.
func (r *Registry) Pause(id event.AgentID, s api.Scope) error {
	return r.control(id, s, func(m *Member, s api.Scope) {
		r.pause(m)
		if s == api.Subtree {
			m.spread = true
		}
	})
}

// Resume lets a paused agent go on, with [Subtree] everything below it as well.
// Others stay as they are.
func (r *Registry) Resume(id event.AgentID, s api.Scope) error {
	return r.control(id, s, func(m *Member, _ api.Scope) { r.resume(m) })
}

// control does something to an agent, and before that to all below it if they are
// within reach.
func (r *Registry) control(id event.AgentID, s api.Scope, do func(*Member, api.Scope)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.members[id]
	switch {
	case m == nil:
		return ErrUnknown
	case m.state.Ended():
		return ErrEnded
	}
	r.each(m, s, do)
	return nil
}

func (r *Registry) each(m *Member, s api.Scope, do func(*Member, api.Scope)) {
	if s == api.Subtree {
		for _, c := range m.below {
			r.each(c, s, do)
		}
	}
	do(m, s)
}

func (r *Registry) kill(m *Member, _ api.Scope) {
	if m != r.root {
		r.end(m, event.AgentKilled, Killed, string(Killed))
	}
}

// pause holds an agent. One that does nothing yet is paused at once.
func (r *Registry) pause(m *Member) {
	switch m.state {
	case event.AgentQueued, event.AgentIdle:
		r.gate(m)
		r.change(m, event.AgentPaused, "")
	case event.AgentRunning:
		r.gate(m)
		r.change(m, event.AgentPausing, "")
	}
}

func (r *Registry) gate(m *Member) {
	m.paused, m.gate = true, make(chan struct{})
	m.gated.Store(true)
}

// resume lets an agent go on as soon as that was handed over to be recorded, so
// that what it does then comes after it.
func (r *Registry) resume(m *Member) {
	if !m.paused {
		return
	}
	m.paused, m.spread = false, false
	m.gated.Store(false)
	gate := m.gate
	next := event.AgentRunning
	if m != r.root && !m.hasSlot {
		next = event.AgentQueued
	}
	m.state = next
	r.emit(m, func() { close(gate) }, &event.AgentStateChanged{State: next})
	if m == r.root && !r.turn {
		m.state = event.AgentIdle // which is how the fold takes it
	}
	r.countTime(m)
	if m != r.root {
		r.fillSlots(m.parent)
	}
}
