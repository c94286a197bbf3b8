package delegate

import (
	"context"
	"sync"
	"sync/atomic"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// Member is an agent of a conversation: the root or a subagent. It is safe for
// concurrent use.
type Member struct {
	r       *Registry
	id      event.AgentID
	session event.SessionID
	// parent is nil for the root, and for a refused one whose parent is unknown.
	parent *Member
	depth  int
	spec   Spec
	budget int
	tree   atomic.Pointer[tree] // only the root's changes
	done   chan struct{}
	report Report // set before done is closed

	// sign is set by progress and taken back by the registry.
	sign atomic.Bool
	// tools counts the calls that run.
	tools atomic.Int32
	// gated says that a checkpoint must look closer.
	gated atomic.Bool

	// The rest is guarded by the registry's mutex.

	state event.AgentState
	// dep is what the subagent depends on.
	dep context.Context
	// ctx is its own, made of dep.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// asked is how it was asked to end first, State empty while it was not.
	asked ending
	// ready says that its spawn is stored.
	ready bool
	// hasSlot says that it has a slot of its parent, or needs none.
	hasSlot bool
	// granted is closed when hasSlot becomes true.
	granted chan struct{}
	// begun is the record of that.
	begun *entry
	// paused says that it is to hold at checkpoints until gate is closed, spread that
	// what it spawns is paused as well.
	paused, spread bool
	gate           chan struct{}
	asking         int // questions to the user
	// closing says that it may have no more subagents.
	closing bool
	// below are those alive.
	below []*Member
	// slots is how many of them hold one.
	slots int
	// heldBelow is how many of them are held.
	heldBelow int
	// held says that its time counts against no limit.
	held bool
	// own is the time it has worked itself.
	own watch
	// work is the time that counts against limits.
	work watch
	// mark is what work was at the newest sign of progress.
	mark stamp
}

// ending is how an agent was asked to end.
type ending struct {
	state event.AgentState
	text  string
}

// ID names the agent.
func (m *Member) ID() event.AgentID { return m.id }

// Session is where its messages are; empty for the root, and for one that was
// refused.
func (m *Member) Session() event.SessionID { return m.session }

// Parent names the agent above it, empty for the root.
func (m *Member) Parent() event.AgentID { return m.spec.Parent }

// Tree is the turn of the root that it belongs to; of the root its newest one.
func (m *Member) Tree() event.TurnID { return m.tree.Load().turn }

// Depth is how many agents are above it.
func (m *Member) Depth() int { return m.depth }

// Spec is what it was asked for.
func (m *Member) Spec() Spec { return m.spec }

// Budget is how many model calls it may make in all, 0 for the root, which has one
// for each turn.
func (m *Member) Budget() int { return m.budget }

// Done is closed when the subagent has ended and that is stored, or will never
// be. The root's is never closed.
func (m *Member) Done() <-chan struct{} { return m.done }

// Wait waits for that and returns how it ended.
func (m *Member) Wait() Report {
	<-m.done
	return m.report
}

// Kill ends the subagent; see [Registry.Kill]. One that has ended stays as it is.
func (m *Member) Kill() { _ = m.r.Kill(m.id, api.Self) }

// Checkpoint is passed before each request and each call. It holds a paused agent
// until it is resumed, and returns the cause of ctx when that ends, or has ended.
func (m *Member) Checkpoint(ctx context.Context) error {
	if ctx.Err() == nil && m.gated.Load() {
		m.hold(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// hold waits while the agent is paused.
func (m *Member) hold(ctx context.Context) {
	r := m.r
	for {
		r.mu.Lock()
		if !m.paused {
			r.mu.Unlock()
			return
		}
		if m.state == event.AgentPausing {
			r.change(m, event.AgentPaused, "")
		}
		gate := m.gate
		r.mu.Unlock()
		select {
		case <-gate:
		case <-ctx.Done():
			return
		}
	}
}

// Beat is a sign of progress, of this agent and of those above it, which wait for
// it.
func (m *Member) Beat() {
	for ; m != nil; m = m.parent {
		if !m.sign.Load() { // many agents share those above: reading is cheaper
			m.sign.Store(true)
		}
	}
}

// Tool says that a call runs until done is called. Calls may nest and overlap.
func (m *Member) Tool() (done func()) {
	m.Beat()
	m.tools.Add(1)
	return sync.OnceFunc(func() {
		m.tools.Add(-1)
		m.Beat()
	})
}

// Ask says that the agent waits for the user until done is called. Questions may
// overlap.
func (m *Member) Ask() (done func()) {
	m.ask(1)
	return sync.OnceFunc(func() { m.ask(-1) })
}

func (m *Member) ask(n int) {
	m.Beat()
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	m.asking += n
	m.r.countTime(m)
}

// Spend counts model calls and what they cost for the tree.
func (m *Member) Spend(calls int, cost event.Money) { m.tree.Load().spend(calls, cost) }

// Exhausted reports whether what the tree may use in all is used up, and says in a
// sentence part what it is.
func (m *Member) Exhausted() (why string, yes bool) { return m.tree.Load().exhausted(m.r.o.Limits) }
