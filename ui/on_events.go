package ui

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/host"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/term"
)

// How far apart agent events are delivered: usually, and while the user types.
const (
	paceUsual  = 33 * time.Millisecond
	paceTyping = 100 * time.Millisecond
	typingFor  = 250 * time.Millisecond
	// urgentBurst is how many deliveries in a row do not wait.
	urgentBurst = 8
)

// pace spaces out deliveries. What is urgent comes at once, up to urgentBurst
// times in a row and 30 times a second in the long run. A pace is shared with the
// pump.
type pace struct {
	now   func() time.Time
	key   atomic.Int64 // time of the newest key
	last  atomic.Int64 // time of the newest delivery
	early atomic.Int64 // until when the deliveries that did not wait are made up for
}

func (p *pace) typed(now time.Time) { p.key.Store(now.UnixNano()) }

// sent forgets the keys: who has sent something waits for what comes back.
func (p *pace) sent() { p.key.Store(0) }

// within reports whether the newest delivery was less than d before a moment.
func (p *pace) within(now time.Time, d time.Duration) bool {
	return now.Sub(time.Unix(0, p.last.Load())) < d
}

// wait blocks until the next delivery is due.
func (p *pace) wait(ctx context.Context, urgent <-chan struct{}) {
	for {
		now := p.now()
		gap := paceUsual
		if now.Sub(time.Unix(0, p.key.Load())) < typingFor {
			gap = paceTyping
		}
		left := time.Unix(0, p.last.Load()).Add(gap).Sub(now)
		if left <= 0 {
			return
		}
		at := urgent
		if held := time.Duration(p.early.Load()-now.UnixNano()) - (urgentBurst-1)*paceUsual; held > 0 {
			at, left = nil, min(left, held)
		}
		due := time.NewTimer(left)
		select {
		case <-due.C:
		case <-at:
			p.early.Store(max(p.early.Load(), p.now().UnixNano()) + int64(paceUsual))
			due.Stop()
			return
		case <-ctx.Done():
			due.Stop()
			return
		}
	}
}

// eventsMsg is everything that happened since the last one.
type eventsMsg struct {
	gen    int
	events []event.Event
	err    error
}

// pump waits for the next delivery of the conversation.
func (m *Model) pump(ctx context.Context) tea.Cmd {
	conv, gen, pace := m.conv, m.gen, m.pace
	return func() tea.Msg {
		pace.wait(ctx, conv.Urgent())
		events, err := conv.Next(ctx)
		pace.last.Store(pace.now().UnixNano())
		return eventsMsg{gen, events, err}
	}
}

// handle folds what happened into the state and the regions.
func (msg eventsMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.gen {
		return m.served(msg.gen)
	}
	if msg.err != nil {
		return nil
	}
	m.dirty = true
	now := m.now()
	m.tasks.pass(m.state, now)
	if m.hud.on {
		m.hud.arrived(msg.events, now)
	}
	var cmds []tea.Cmd
	for _, e := range msg.events {
		m.state.Apply(e)
		cmds = append(cmds, m.noticed(e, now), m.segmentOn(e))
	}
	if m.conv != nil {
		m.conv.Handled(m.state)
	}
	m.sync(now)
	cmds = append(cmds, m.sayGone(), m.findMore(), m.observe(false), m.animate(), m.pump(m.clock.conv))
	return tea.Batch(cmds...)
}

func (m *Model) syncAgents(now time.Time) {
	m.agents.Tick(now, m.clock.frame)
	m.agents.Sync(m.state)
}

// syncTranscript hands the conversation to its region, and to the one that the root's
// transcript waits in while an agent's is in the main view.
func (m *Model) syncTranscript(time.Time) {
	if a := m.main(); a != nil {
		m.transcript.SetRequests(m.state.Requests)
		m.transcript.Sync(a.Blocks)
	}
	m.syncBookmarks(m.state.Bookmarks)
	if root := m.state.Root(); root != nil && m.rootTranscript != nil {
		m.rootTranscript.Sync(root.Blocks)
	}
}

// syncTodos hands the tasks to their region.
func (m *Model) syncTodos(now time.Time) {
	a := m.todoAgent()
	if a == nil {
		return
	}
	m.tasks.pass(m.state, now)
	m.todos.SetElapsed(m.tasks.of(a))
	if list := tasksOf(a); m.todos.Sync(list) && len(list) > 0 {
		m.change(change{step: appeared})
	}
}

func (m *Model) tickTodos(now time.Time) {
	m.tasks.pass(m.state, now)
	if a := m.todoAgent(); a != nil {
		m.todos.SetElapsed(m.tasks.of(a))
	}
}

// tasksOf are the tasks of an agent that are still worth a place: a list with nothing
// left to do goes with its turn, and stays in the transcript.
func tasksOf(a *event.Agent) []event.Todo {
	open := slices.ContainsFunc(a.Todos, func(t event.Todo) bool {
		return t.Status == event.TodoPending || t.Status == event.TodoInProgress
	})
	if !open && a.Turn != "" && a.TodosTurn != a.Turn {
		return nil
	}
	return a.Todos
}

// syncPanel hands the questions to their region. The review of one that waits no longer
// closes.
func (m *Model) syncPanel() {
	had := m.panelTakes()
	m.panel.Sync(m.requests())
	if r := m.reviewed; r.request != "" && !slices.ContainsFunc(m.state.Requests, func(q event.Request) bool { return q.ID == r.request }) {
		m.reviewed = reviewing{}
		if m.box == r.window {
			m.show(nil)
			had = true
		}
	}
	if r, gone := m.panel.Gone(); gone {
		m.gone = prompt.Ended(r, m.ended[r.ID])
		if had && m.ended[r.ID] != event.ByInterrupt { // else the user knows
			m.late = lateKeys{since: m.now(), why: m.gone}
		}
	}
	clear(m.ended)
}

// todoAgent is the agent whose tasks are listed: the one in the main view, or the
// one that is marked while the side panes have the keys.
func (m *Model) todoAgent() *event.Agent {
	if m.focus == focusSide {
		if a := m.state.Agent(m.agents.Selected()); a != nil {
			return a
		}
	}
	return m.main()
}

// noticed reacts to single events: it counts text for the rate, keeps the books
// of the test driver and calls for the user.
func (m *Model) noticed(e event.Event, now time.Time) tea.Cmd {
	switch e := e.(type) {
	case *event.TextDelta:
		m.meter.Add(now, len(e.Text))
	case *event.ReasoningDelta:
		m.meter.Add(now, len(e.Text))
	case *event.TurnStarted:
		m.meter.Reset()
	case *event.MessageCommitted:
		m.probe.shown(e.Input)
	case *event.QueueChanged:
		for _, q := range e.Queue {
			m.probe.shown(q.ID)
		}
	case *event.RequestResolved:
		delete(m.probe.answered, e.Request)
		m.ended[e.Request] = e.By
	case *event.AgentSpawned:
		if e.Parent != "" {
			m.change(change{step: appeared})
		}
	case *event.Requested:
		return m.call("A question waits", requestLine(e.Request))
	case *event.TurnFinished:
		m.probe.stopping = false
		var spent tea.Cmd
		if w, ok := m.box.(host.TurnFinisher); ok {
			spent = w.TurnFinished(slot{m})
		}
		if m.o.Settings.Bell {
			return tea.Batch(spent, m.call("Finished", m.title()))
		}
		return spent
	}
	return nil
}

// requestLine describes a question in one line.
func requestLine(r event.Request) string {
	switch {
	case r.Approval != nil:
		return r.Approval.Text
	case r.Clarify != nil:
		return r.Clarify.Question
	case r.Secret != nil:
		return r.Secret.Label
	case r.Trust != nil:
		return "Trust " + r.Trust.Root + "?"
	}
	return ""
}

// awayAfter is how long without a key counts as away on a terminal that does not
// report focus.
const awayAfter = 10 * time.Second

// call rings for the user when they are not looking.
func (m *Model) call(title, body string) tea.Cmd {
	away := m.blurred
	if !m.focusful {
		away = m.now().Sub(m.lastKey) > awayAfter
	}
	if !away {
		return nil
	}
	m.write(term.Notify(term.Notification{Title: "hermes: " + title, Body: body}, m.o.Term))
	return nil
}
