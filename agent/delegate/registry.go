package delegate

import (
	"context"
	"slices"
	"sync"
	"time"

	"hermes-tui/agent/event"
)

// keep bounds how many ended subagents can be found by their id. Those that are
// forgotten are in the state of the conversation.
const keep = 1000

// Registry is the subagents of one conversation. It is safe for concurrent use.
type Registry struct {
	o    Options
	root *Member

	mu sync.Mutex
	// rest is told when running falls to 0: the goroutines, and the spawns that are
	// under way.
	rest    *sync.Cond
	running int
	// closed refuses spawns.
	closed bool
	// shut drops what is recorded: everything has ended.
	shut   bool
	frozen bool
	turn   bool // the root has one under way

	members map[event.AgentID]*Member
	live    []*Member       // in the order of asking, without the root
	ended   []event.AgentID // oldest first, at most keep
	// background counts those alive that no one waits for.
	background int

	// pulse ends the goroutine that looks for signs of progress, nil while there is
	// none.
	pulse chan struct{}

	// out waits to be recorded.
	out []*entry
	// pumping says that a goroutine hands it over.
	pumping bool
}

// New makes a registry. It must be closed.
func New(o Options) *Registry {
	if o.After == nil {
		o.After = time.After
	}
	r := &Registry{o: o, frozen: o.Frozen, members: map[event.AgentID]*Member{}}
	r.rest = sync.NewCond(&r.mu)
	r.root = &Member{r: r, id: o.Root, spec: Spec{Role: event.RoleRoot}, state: event.AgentIdle, done: make(chan struct{})}
	r.root.tree.Store(&tree{})
	r.members[o.Root] = r.root
	return r
}

// Root is the root agent, which never ends.
func (r *Registry) Root() *Member { return r.root }

// Begin says that the root begins a turn. What is spawned from now on belongs to
// it, and the bounds of a tree count from nothing.
func (r *Registry) Begin(turn event.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.root.tree.Store(&tree{turn: turn})
	r.turn, r.root.state = true, event.AgentRunning
	if r.root.paused {
		r.change(r.root, event.AgentPausing, "")
	}
}

// End says that the root's turn is over.
func (r *Registry) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn = false
	switch r.root.state {
	case event.AgentPausing:
		r.change(r.root, event.AgentPaused, "")
	case event.AgentRunning:
		r.root.state = event.AgentIdle
	}
}

// Freeze forbids spawning, or allows it again.
func (r *Registry) Freeze(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frozen = on
}

// Frozen reports whether spawning is forbidden.
func (r *Registry) Frozen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.frozen
}

// Member finds an agent, nil if there is none. Of those that have ended, the
// newest thousand are found.
func (r *Registry) Member(id event.AgentID) *Member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.members[id]
}

// Live are the subagents that have not ended, in the order they were asked for.
func (r *Registry) Live() []*Member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.live)
}

// Close ends what still lives and waits until every goroutine has ended. Later
// spawns are refused, and after Close has returned nothing is recorded any more.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, m := range r.live {
		r.end(m, event.AgentInterrupted, TopEnded, string(TopEnded))
	}
	for r.running > 0 {
		r.rest.Wait()
	}
	r.shut = true
}

// leave says that a goroutine, or a spawn, is over.
func (r *Registry) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left()
}

func (r *Registry) left() {
	if r.running--; r.running == 0 {
		r.rest.Broadcast()
	}
}

// add makes a member known that has not ended.
func (r *Registry) add(m *Member) {
	r.members[m.id] = m
	r.live = append(r.live, m)
	m.parent.below = append(m.parent.below, m)
	m.parent.heldBelow++ // no one runs at first
	r.countTime(m.parent)
	if m.spec.Background {
		r.background++
	}
}

// remove takes a member that has ended from among the living.
func (r *Registry) remove(m *Member) {
	p := m.parent
	r.live = without(r.live, m)
	p.below = without(p.below, m)
	if m.held {
		p.heldBelow--
	}
	if m.spec.Background {
		r.background--
	} else if m.hasSlot {
		p.slots--
	}
	r.countTime(p)
	r.fillSlots(p)
	if len(r.live) == 0 && r.pulse != nil {
		close(r.pulse)
		r.pulse = nil
	}
}

func without(list []*Member, m *Member) []*Member {
	i := slices.Index(list, m)
	return slices.Delete(list, i, i+1)
}

// retire keeps a member that has ended to be found for a while.
func (r *Registry) retire(m *Member) {
	r.members[m.id] = m
	r.ended = append(r.ended, m.id)
	if len(r.ended) > keep {
		delete(r.members, r.ended[0])
		r.ended = slices.Delete(r.ended, 0, 1)
	}
}

// cause makes the cause of a context that ends an agent.
func (r *Registry) cause(w Why) error {
	if r.o.Cause == nil {
		return context.Canceled
	}
	return r.o.Cause(w)
}
