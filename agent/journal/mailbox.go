package journal

import (
	"context"
	"maps"
	"strings"
	"sync"

	"hermes-tui/agent/event"
)

// Mailbox is the channel between a conversation and a front end. Put never blocks, so a slow
// screen never slows an agent. The events that wait are bounded by the blocks and calls in
// flight, not by the bytes they produce:
//
//   - durable events are kept, in order;
//   - deltas of one block become one, calls being drafted keep their newest
//     figure, live status keeps the newest of an agent;
//   - live output of a call keeps its newest [event.TailLimit] bytes and counts
//     what was left out;
//   - events that another one makes pointless (deltas of a message that is committed,
//     output of a call that ended) are dropped.
//
// It also holds the fold of everything taken out so far. A Mailbox is safe for concurrent use by many writers and one reader.
type Mailbox struct {
	mu     sync.Mutex
	ready  chan struct{} // holds a token while something waits
	now    chan struct{} // holds a token while something urgent waits
	items  []*parcel
	merge  map[mergeKey]*parcel
	state  *event.State
	handed bool // what Next returned is being handled
	ended  bool // a turn has ended since blocks were compared
	// begun are the newest blocks and calls of agents, of each kind of piece.
	begun map[mergeKey]beginning
}

// beginning counts the pieces of a block or a call.
type beginning struct {
	id     string
	pieces int
}

// firstPieces is how many pieces are the beginning of a block: a few words.
const firstPieces = 4

// mergeKey names what live events merge with.
type mergeKey struct {
	kind  event.Type
	agent event.AgentID
	id    string // block or call; empty for status
}

// The types of live events that merge.
var (
	textDelta      = event.TypeOf((*event.TextDelta)(nil))
	reasoningDelta = event.TypeOf((*event.ReasoningDelta)(nil))
	toolOutput     = event.TypeOf((*event.ToolOutput)(nil))
	toolDrafting   = event.TypeOf((*event.ToolDrafting)(nil))
	retryScheduled = event.TypeOf((*event.RetryScheduled)(nil))
	phaseChanged   = event.TypeOf((*event.PhaseChanged)(nil))
	usageUpdated   = event.TypeOf((*event.UsageUpdated)(nil))
	turnFinished   = event.TypeOf((*event.TurnFinished)(nil))
)

// parcel is one waiting event, or several that became one.
type parcel struct {
	e       event.Event
	text    strings.Builder // of merged deltas and output
	dropped int64
	gone    bool
}

// NewMailbox makes a mailbox that continues from a state. The mailbox takes
// over the state.
func NewMailbox(state *event.State) *Mailbox {
	return &Mailbox{ready: make(chan struct{}, 1), now: make(chan struct{}, 1), merge: map[mergeKey]*parcel{}, begun: map[mergeKey]beginning{}, state: state}
}

// Put adds events. They must not be changed afterwards.
func (m *Mailbox) Put(events ...event.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	urgent := false
	for _, e := range events {
		m.put(e)
		urgent = m.urgent(e) || urgent
	}
	if urgent {
		raise(m.now)
	}
	if len(m.items) > 0 {
		raise(m.ready)
	}
}

// raise puts a token where there is none.
func raise(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// urgent reports whether an event is to be seen at once: the first pieces of a block
// or of a call's output, and whatever is durable, the end of all the pieces among it.
// The caller holds the lock.
func (m *Mailbox) urgent(e event.Event) bool {
	var id string
	switch e := e.(type) {
	case *event.TextDelta:
		id = string(e.Block)
	case *event.ReasoningDelta:
		id = string(e.Block)
	case *event.ToolDrafting:
		id = string(e.Call)
	case *event.ToolOutput:
		id = string(e.Call)
	case *event.TurnFinished:
		maps.DeleteFunc(m.begun, func(k mergeKey, _ beginning) bool { return k.agent == e.Agent })
		return true
	default:
		return event.Durable(e)
	}
	k := mergeKey{kind: event.TypeOf(e), agent: e.Head().Agent}
	b := m.begun[k]
	if b.id != id {
		b = beginning{id: id}
	}
	b.pieces++
	m.begun[k] = b
	return b.pieces <= firstPieces
}

func (m *Mailbox) put(e event.Event) {
	agent := e.Head().Agent
	switch e := e.(type) {
	case *event.TextDelta:
		m.append(mergeKey{textDelta, agent, string(e.Block)}, e, e.Text)
		return
	case *event.ReasoningDelta:
		m.append(mergeKey{reasoningDelta, agent, string(e.Block)}, e, e.Text)
		return
	case *event.ToolOutput:
		m.output(mergeKey{toolOutput, agent, string(e.Call)}, e)
		return
	case *event.ToolDrafting:
		m.replace(mergeKey{toolDrafting, agent, string(e.Call)}, e)
		return
	case *event.RetryScheduled:
		m.replace(mergeKey{retryScheduled, agent, ""}, e)
		return
	case *event.PhaseChanged:
		m.drop(mergeKey{retryScheduled, agent, ""})
		m.replace(mergeKey{phaseChanged, agent, ""}, e)
		return
	case *event.UsageUpdated:
		if !e.Final {
			m.replace(mergeKey{usageUpdated, agent, ""}, e)
			return
		}
	case *event.StreamReset:
		m.dropStream(agent)
	case *event.MessageCommitted:
		if e.Role == event.RoleAssistant {
			m.dropStream(agent)
		}
	case *event.ToolFinished:
		m.drop(mergeKey{toolOutput, agent, string(e.Call)})
	case *event.TurnFinished:
		m.dropStream(agent)
		m.forget(agent)
	}
	m.items = append(m.items, &parcel{e: e})
}

// append joins text of the same block.
func (m *Mailbox) append(k mergeKey, e event.Event, text string) {
	p := m.merge[k]
	if p == nil {
		p = m.add(k, e)
	}
	p.text.WriteString(text)
}

// output joins live output of the same call, keeping the newest bytes. It trims
// at twice the limit, so that a flood is not copied with every piece.
func (m *Mailbox) output(k mergeKey, e *event.ToolOutput) {
	p := m.merge[k]
	if p == nil {
		p = m.add(k, e)
	}
	p.dropped += e.Dropped
	p.text.WriteString(e.Text)
	if p.text.Len() > 2*event.TailLimit {
		all := p.text.String()
		cut := len(all) - event.TailLimit
		p.dropped += int64(cut)
		p.text.Reset()
		p.text.WriteString(all[cut:])
	}
}

// replace keeps the newest event of a kind, at the place of the first.
func (m *Mailbox) replace(k mergeKey, e event.Event) {
	if p := m.merge[k]; p != nil {
		p.e = e
		return
	}
	m.add(k, e)
}

func (m *Mailbox) add(k mergeKey, e event.Event) *parcel {
	p := &parcel{e: e}
	m.items, m.merge[k] = append(m.items, p), p
	return p
}

func (m *Mailbox) drop(k mergeKey) {
	if p := m.merge[k]; p != nil {
		p.gone = true
		delete(m.merge, k)
	}
}

// dropStream drops what an agent streamed and no one has seen yet.
func (m *Mailbox) dropStream(agent event.AgentID) {
	for k := range m.merge {
		if k.agent == agent && (k.kind == textDelta || k.kind == reasoningDelta || k.kind == toolDrafting) {
			m.drop(k)
		}
	}
}

// forget ends the merging of an agent's live events, so that later ones do not
// slip in front of the end of a turn.
func (m *Mailbox) forget(agent event.AgentID) {
	maps.DeleteFunc(m.merge, func(k mergeKey, _ *parcel) bool { return k.agent == agent })
}

// Pending reports whether events wait, or were returned by [Mailbox.Next] and are
// still being handled.
func (m *Mailbox) Pending() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.items) > 0 || m.handed
}

// Handled takes what the reader has folded the events to, nil if it folds nothing. Blocks
// are compared when a turn has ended.
func (m *Mailbox) Handled(folded *event.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.handed = false; m.ended && folded != nil {
		m.state.Share(folded)
		m.ended = false
	}
}

// Urgent receives when something waits that is to be seen at once. A reader that
// spaces out its calls of [Mailbox.Next] makes the next one then.
func (m *Mailbox) Urgent() <-chan struct{} { return m.now }

// Next waits for events and returns all that wait. It returns the context's
// error when that ends first.
func (m *Mailbox) Next(ctx context.Context) ([]event.Event, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-m.ready:
		}
		m.mu.Lock()
		events := m.take()
		m.handed = len(events) > 0
		m.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
	}
}

// State takes everything that waits and returns the state it all folds to.
// Whoever calls it continues with [Mailbox.Next] and misses nothing.
func (m *Mailbox) State() *event.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.take()
	m.handed = false // it is in the state
	return m.state.Clone()
}

// Fold is the state that everything folds to, what waits included, which goes on
// waiting.
func (m *Mailbox) Fold() *event.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.state.Clone()
	for _, p := range m.items {
		if !p.gone {
			s.Apply(p.event())
		}
	}
	return s
}

// take empties the mailbox and folds what was in it. The caller holds the lock.
func (m *Mailbox) take() []event.Event {
	events := make([]event.Event, 0, len(m.items))
	for _, p := range m.items {
		if p.gone {
			continue
		}
		e := p.event()
		m.state.Apply(e)
		m.ended = m.ended || event.TypeOf(e) == turnFinished
		events = append(events, e)
	}
	clear(m.items)
	m.items = m.items[:0]
	clear(m.merge)
	select {
	case <-m.now:
	default:
	}
	return events
}

// event is the one event that a parcel became.
func (p *parcel) event() event.Event {
	if p.text.Len() == 0 {
		return p.e
	}
	switch e := p.e.(type) {
	case *event.TextDelta:
		c := *e
		c.Text = p.text.String()
		return &c
	case *event.ReasoningDelta:
		c := *e
		c.Text = p.text.String()
		return &c
	case *event.ToolOutput:
		c := *e
		c.Text, c.Dropped = p.text.String(), p.dropped
		return &c
	}
	return p.e
}
