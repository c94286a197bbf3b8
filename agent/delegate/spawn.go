package delegate

import (
	"context"
	"fmt"

	"hermes-tui/agent/event"
)

// Spawn records a new subagent and starts it as soon as its parent has a slot for
// it. It depends on ctx: when that ends, so does the subagent. Spawn returns when
// the subagent is stored. A refusal is a [*Refused], and recorded, too.
func (r *Registry) Spawn(ctx context.Context, s Spec) (*Member, error) {
	r.mu.Lock()
	m := r.member(s)
	if why := r.refusal(m); why != "" {
		e := r.refuse(m, why)
		r.mu.Unlock()
		_ = e.wait() // refused it is, stored or not
		return nil, &Refused{why}
	}
	e := r.admit(ctx, m)
	r.mu.Unlock()
	if err := e.wait(); err != nil {
		r.drop(m, err)
		return nil, fmt.Errorf("record the subagent: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m.ready = true
	r.fillSlots(m.parent)
	go r.run(m)
	return m, nil
}

// member makes what was asked for, below a parent that may be unknown.
func (r *Registry) member(s Spec) *Member {
	m := &Member{
		r: r, id: r.o.IDs.Agent(), parent: r.members[s.Parent], depth: 1, budget: r.o.Limits.Iterations,
		state: event.AgentQueued, held: true, done: make(chan struct{}), granted: make(chan struct{}),
	}
	m.tree.Store(r.root.tree.Load())
	if m.parent != nil {
		m.depth = m.parent.depth + 1
		m.tree.Store(m.parent.tree.Load())
	}
	if s.Role != event.RoleOrchestrator || !r.o.Limits.Orchestrators || m.depth >= r.o.Limits.Depth {
		s.Role = event.RoleLeaf
	}
	m.spec = s
	return m
}

// refusal says why a subagent may not be started, empty when it may.
func (r *Registry) refusal(m *Member) string {
	p, l := m.parent, r.o.Limits
	switch {
	case r.closed:
		return "the session is being closed"
	case p == nil:
		return "the agent that asks for it is not known"
	case p.state.Ended():
		return "the agent that asks for it has ended"
	case p.closing || p.asked.state != "":
		return "the agent that asks for it is being ended"
	case r.frozen:
		return "the user has stopped the starting of subagents; go on without one"
	case p.spec.Role == event.RoleLeaf:
		return "the agent that asks for it may not have subagents; it has to do the work itself"
	case m.depth > l.Depth:
		return fmt.Sprintf("subagents may nest %d deep and not deeper (delegation.max_spawn_depth)", l.Depth)
	case m.spec.Background && p != r.root:
		return "only the root agent may start a subagent in the background"
	case m.spec.Background && l.Background <= 0:
		return "subagents in the background are switched off (delegation.max_async_children)"
	case m.spec.Background && r.background >= l.Background:
		return fmt.Sprintf("%d subagents work in the background, and more may not; wait until one has ended (delegation.max_async_children)", l.Background)
	}
	why, _ := m.Exhausted()
	return why
}

// spawned introduces a subagent.
func (m *Member) spawned() *event.AgentSpawned {
	s := m.spec
	return &event.AgentSpawned{
		Parent: s.Parent, Tree: m.Tree(), Call: s.Call, Index: s.Index, Depth: m.depth, Role: s.Role, Goal: s.Goal,
		Model: s.Model, Toolsets: s.Toolsets, Budget: m.budget, Background: s.Background,
	}
}

// refuse records a subagent that is not started.
func (r *Registry) refuse(m *Member, why string) *entry {
	m.state = event.AgentRefused
	m.report = Report{State: m.state, Error: why, Model: m.spec.Model}
	close(m.done)
	r.retire(m)
	return r.emit(m, nil, m.spawned(), &event.AgentFinished{State: m.state, Error: why})
}

// admit takes a subagent in; it waits for its slot.
func (r *Registry) admit(ctx context.Context, m *Member) *entry {
	m.session = r.session()
	m.dep = ctx
	m.ctx, m.cancel = context.WithCancelCause(ctx)
	r.running++
	r.add(m)
	e := r.emit(m, nil, m.spawned())
	if m.parent.spread {
		r.pause(m)
		m.spread = true
	}
	return e
}

// session makes a session id. It has room for one in a second many times over, not
// for hundreds of subagents that begin in the same one.
func (r *Registry) session() event.SessionID {
	for range 100 {
		id, taken := r.o.IDs.Session(), false
		for _, m := range r.live {
			taken = taken || m.session == id
		}
		if !taken {
			return id
		}
	}
	return r.o.IDs.Session()
}

// drop forgets a subagent whose spawn could not be stored.
func (r *Registry) drop(m *Member, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(m, event.AgentFailed, TopEnded, err.Error())
	m.state, m.report = event.AgentFailed, Report{State: event.AgentFailed, Error: err.Error(), Model: m.spec.Model}
	r.remove(m)
	delete(r.members, m.id)
	close(m.done)
	r.left()
}

// fillSlots gives the free slots of an agent to those that wait for one, in the order
// of asking. Those in the background need none.
func (r *Registry) fillSlots(p *Member) {
	for _, m := range p.below {
		if m.hasSlot || !m.ready || m.paused || m.asked.state != "" || m.dep.Err() != nil {
			continue
		}
		if !m.spec.Background {
			if p.slots >= max(r.o.Limits.Concurrent, 1) {
				continue
			}
			p.slots++
		}
		m.hasSlot = true
		m.begun = r.change(m, event.AgentRunning, "")
		close(m.granted)
		r.watchProgress()
	}
}
