package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/hooks"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	toolbox "hermes-tui/tools/delegate"
)

// DelegatedApprovals says what becomes of the questions whether a subagent may do
// something.
type DelegatedApprovals string

// The ways to decide. Ask puts them to the user, and denies when no one is there.
const (
	DelegatedAsk   DelegatedApprovals = "ask"
	DelegatedDeny  DelegatedApprovals = "deny"
	DelegatedAllow DelegatedApprovals = "allow"
)

// ChildSpec is a subagent to be equipped.
type ChildSpec struct {
	ID            event.AgentID
	Depth         int
	Orchestrator  bool
	Tools         []string // names of those it is granted
	Goal, Context string
	// Parent is what answers the agent above.
	Parent Runtime
}

// Child is what a subagent works with.
type Child struct {
	Tools  Toolbox
	Prompt Prompter
	// Runtime is what answers it.
	Runtime Runtime
	// Assignment is its first message.
	Assignment string
	// Close gives back what the subagent holds on to.
	Close func() error
}

// trail are the calls that an agent has made.
type trail struct {
	mu    sync.Mutex
	steps []delegate.Step
	// written are the files that it has changed, or that its subagents have; fresh those
	// of this turn.
	written, fresh []string
}

// maxTrail bounds what is kept of the calls of an agent.
const maxTrail = 200

func (l *trail) add(c *callRun) {
	l.wrote(c.written())
	if c.parent != "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.steps) == maxTrail {
		l.steps = slices.Delete(l.steps, 0, 1)
	}
	l.steps = append(l.steps, delegate.Step{
		Tool: c.call.Name, ArgsBytes: len(c.call.Arguments), ResultBytes: len(c.result.Content),
		Failed: c.outcome != event.OutcomeOK || toolbox.Failed(c.result.Content),
	})
}

// maxWritten bounds how many changed files are kept.
const maxWritten = 1000

func (l *trail) wrote(paths []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range paths {
		for _, list := range []*[]string{&l.written, &l.fresh} {
			if len(*list) < maxWritten && !slices.Contains(*list, p) {
				*list = append(*list, p)
			}
		}
	}
}

// turn begins again with the files of a turn and gives those of the last one.
func (l *trail) turn() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.fresh
	l.fresh = nil
	return list
}

func (l *trail) taken() (steps []delegate.Step, written []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.steps), slices.Clone(l.written)
}

// Spawn starts one subagent of an agent per spec and waits until all have ended. Reports are
// in the order of the specs; one that was refused has a report that says why.
func (c *Conversation) Spawn(ctx context.Context, parent event.AgentID, specs []delegate.Spec) []delegate.Report {
	reports := make([]delegate.Report, len(specs))
	var wg sync.WaitGroup
	for i, s := range specs {
		s.Parent = parent
		m, err := c.tree.Spawn(ctx, s)
		if err != nil {
			reports[i] = delegate.Report{State: event.AgentRefused, Error: err.Error()}
			continue
		}
		wg.Go(func() { reports[i] = m.Wait() })
	}
	wg.Wait()
	if a := c.agent(parent); a != nil {
		for _, r := range reports {
			a.trail.wrote(r.Written)
		}
	}
	return reports
}

// Dispatch starts a subagent that no one waits for. tell is called with its report
// when it has ended, unless the conversation is closed by then.
func (c *Conversation) Dispatch(s delegate.Spec, tell func(delegate.Report)) error {
	s.Background = true
	m, err := c.tree.Spawn(c.ctx, s)
	if err != nil {
		return err
	}
	c.serving.Go(func() {
		if r := m.Wait(); c.ctx.Err() == nil {
			tell(r)
		}
	})
	return nil
}

// runtimeOf is what answers an agent.
func (c *Conversation) runtimeOf(id event.AgentID) Runtime {
	a := c.agent(id)
	if a == nil {
		return c.Runtime()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.runtime
}

// ModelOf names the model that answers an agent.
func (c *Conversation) ModelOf(id event.AgentID) string { return c.runtimeOf(id).Model.Name }

// agent finds an agent that is at work, nil if there is none.
func (c *Conversation) agent(id event.AgentID) *Agent {
	if id == c.root.id {
		return c.root
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.children[id]
}

// runChild carries a subagent to its end.
func (c *Conversation) runChild(ctx context.Context, m *delegate.Member) delegate.Report {
	spec, parent := m.Spec(), c.agent(m.Parent())
	if parent == nil {
		return delegate.Report{State: event.AgentFailed, Error: "the agent above it has ended"}
	}
	kit, err := c.newChild(ctx, ChildSpec{
		ID: m.ID(), Depth: m.Depth(), Orchestrator: spec.Role == event.RoleOrchestrator, Tools: spec.Tools,
		Goal: spec.Goal, Context: spec.Context, Parent: c.runtimeOf(m.Parent()),
	})
	if err != nil {
		return delegate.Report{State: event.AgentFailed, Error: "it could not be equipped: " + err.Error()}
	}
	a := &Agent{
		id: m.ID(), names: append(slices.Clone(parent.names), spec.Goal), conv: c, parent: parent, session: m.Session(), member: m,
		tools: kit.Tools, gate: parent.gate, prompt: kit.Prompt, trust: parent.trust, mask: parent.mask, budget: m.Budget(), least: parent.mode(),
		guard: guard.New(c.tuning.Load().Guard), lessons: c.trailOf(), hurry: make(chan struct{}, 1), runtime: kit.Runtime,
	}
	c.mu.Lock()
	c.children[a.id] = a
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.children, a.id)
		c.mu.Unlock()
		if err := kit.Close(); err != nil {
			c.report(fmt.Errorf("subagent %s: %w", a.id, err))
		}
	}()
	a.tellChild(hooks.SubagentStart, spec, delegate.Report{})
	report := a.work(ctx, kit)
	a.tellChild(hooks.SubagentStop, spec, report)
	c.extensions.Reported(spec.Goal, cmp.Or(report.Summary, report.Error))
	return report
}

// work runs the turns of a subagent: one for its assignment, and one more for
// whatever the user has said to it and no call was left to carry.
func (a *Agent) work(ctx context.Context, kit Child) delegate.Report {
	left, in, end := a.budget, event.Queued{Text: kit.Assignment, Origin: event.OriginTask}, ending{}
	for {
		t, e, ran := a.run(ctx, in, kit.Runtime, left)
		if ran {
			left -= t.requests - t.refunded
		}
		if ran || !errors.Is(t.unopened, errNotOpened) { // what was taken back changes nothing
			end = e
		}
		said, more := a.conv.steerFor(a.id)
		if !more || left <= 0 || end.outcome != event.TurnCompleted {
			return a.report(end)
		}
		said.Steer = false
		in = said
	}
}

// report is how a subagent ended.
func (a *Agent) report(e ending) delegate.Report {
	r := delegate.Report{State: event.AgentCompleted, Summary: a.finalText(), Model: a.runtime.Model.Name, Usage: a.usage}
	r.Trace, r.Written = a.trail.taken()
	switch e.outcome {
	case event.TurnFailed:
		r.State, r.Error = event.AgentFailed, e.explain
	case event.TurnInterrupted:
		r.State, r.Error = "", e.explain // who ended it knows which end that is
	case event.TurnExhausted:
		r.Exhausted, r.Error = true, e.explain
	}
	return r
}

// finalText is the newest text of an agent.
func (a *Agent) finalText() string {
	for i := len(a.history) - 1; i >= 0; i-- {
		if m := a.history[i]; m.Role == providers.Assistant {
			if text := strings.TrimSpace(m.Text()); text != "" {
				return text
			}
		}
	}
	return ""
}

// steerFor is the oldest text of the user that waits for a subagent.
func (c *Conversation) steerFor(id event.AgentID) (event.Queued, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range c.queue {
		if q.Agent == id {
			return q, true
		}
	}
	return event.Queued{}, false
}

// steered is how the queue names the agent.
func (a *Agent) steered() event.AgentID {
	if a.parent == nil {
		return ""
	}
	return a.id
}

// record hands what becomes of agents over to be stored; see
// [delegate.Options.Record].
func (c *Conversation) record(m *delegate.Member, events ...event.Event) func() error {
	b := &journal.Batch{Agent: m.ID(), Session: m.Session(), Turn: m.Tree(), Events: events}
	switch first := events[0].(type) {
	case *event.AgentSpawned:
		if len(events) == 1 {
			b.Create = c.childSession(m, first)
			c.mu.Lock()
			c.steerable[m.ID()] = true
			c.mu.Unlock()
		}
	case *event.AgentFinished:
		return c.leave(b)
	}
	return c.com.Enqueue(b).Wait
}

// leave stores the end of a subagent. What it could not be told leaves the queue with
// it, and is shown in its transcript; from here on it cannot be steered.
func (c *Conversation) leave(b *journal.Batch) func() error {
	c.order.Lock()
	defer c.order.Unlock()
	c.mu.Lock()
	delete(c.steerable, b.Agent)
	var untold []event.Event
	queue := slices.DeleteFunc(slices.Clone(c.queue), func(q event.Queued) bool {
		if q.Agent == b.Agent {
			untold = append(untold, undelivered(c.ids.Block(), q))
		}
		return q.Agent == b.Agent
	})
	if len(untold) > 0 {
		c.queue = queue
		b.Events = slices.Concat(c.queueChanged(false).Events, untold, b.Events)
	}
	c.mu.Unlock()
	return c.com.Enqueue(b).Wait
}

// undelivered says that a subagent ended before it could be told something.
func undelivered(id event.BlockID, q event.Queued) event.Event {
	return &event.NoticeRaised{Block: id, Level: event.LevelWarn, Text: "It ended before it could be told: " + q.Text}
}

// childSession is the session that a subagent writes to.
func (c *Conversation) childSession(m *delegate.Member, s *event.AgentSpawned) *sessions.NewSession {
	parent := c.session
	if a := c.agent(m.Parent()); a != nil {
		parent = a.session
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &sessions.NewSession{
		Agent: string(m.ID()), Workspace: c.work.Dir, At: c.ids.Now(), Parent: string(parent), Why: sessions.WhySubagent,
		Model: s.Model, Provider: c.runtime.Model.Provider, BaseURL: c.runtime.Model.BaseURL,
	}
}

// noChildren is how a conversation without subagents equips them.
func noChildren(context.Context, ChildSpec) (Child, error) {
	return Child{}, errors.New("this conversation has no subagents")
}
