package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/term"
)

// other is a conversation that goes on while another one is shown. Its questions
// wait in the same queue as those of the one on the screen.
type other struct {
	conv  app.Conversation
	state *event.State
	// asked are the questions that waited when it was left, for the time without a
	// state: a question that is out of sight for a moment is not withdrawn.
	asked []event.Request
	// gen names the pump that serves it; the pump of its time on the screen must
	// have ended before its own one begins, since events have one reader.
	gen  int
	ctx  context.Context
	stop context.CancelFunc
	// back says that it is to be shown as soon as its pump has ended, draft what was
	// typed in it.
	back  bool
	draft string
	// failed says that its newest turn ended with a failure.
	failed bool
	// beside says that it stays open although nothing goes on in it.
	beside bool
}

// othersMsg is everything that happened in a conversation that is not shown.
type othersMsg struct {
	gen    int
	events []event.Event
	err    error
}

// closedMsg tells that a conversation which had nothing left to do was ended.
type closedMsg struct {
	title  string
	failed bool
	err    error
}

// requests are its questions that wait.
func (o *other) requests() []event.Request {
	if o.state == nil {
		return o.asked
	}
	return o.state.Requests
}

// words say how it stands.
func (o *other) words() string {
	switch {
	case o.state == nil:
		return "goes on"
	case len(o.state.Requests) > 0:
		return "needs your answer"
	case o.state.Busy():
		return "goes on"
	}
	if o.beside {
		return "open beside"
	}
	return "has jobs"
}

// working reports whether a conversation has something under way that must not be
// ended by looking at another one.
func working(s *event.State) bool { return len(app.Underway(s)) > 0 || len(s.Requests) > 0 }

// putAside lets the conversation on the screen go on unseen; beside keeps it open when
// nothing goes on in it. Its pump is told to end; what it still brings is looked for in
// [Model.served].
func (m *Model) putAside(draft string, beside bool) {
	m.convDone()
	m.others = append(m.others, &other{conv: m.conv, asked: slices.Clone(m.state.Requests), gen: m.gen, stop: func() {}, draft: draft, beside: beside})
	m.gens++
	m.gen = m.gens
}

// served is called when a pump of an earlier time has ended.
func (m *Model) served(gen int) tea.Cmd {
	i := slices.IndexFunc(m.others, func(o *other) bool { return o.gen == gen })
	if i < 0 {
		return nil
	}
	o := m.others[i]
	if o.back {
		m.others = slices.Delete(m.others, i, i+1)
		return m.attach(o.conv, o.draft)
	}
	if o.state != nil {
		return nil
	}
	o.state = o.conv.State()
	m.gens++
	o.gen = m.gens
	o.ctx, o.stop = context.WithCancel(m.ctx)
	m.dirty = true
	m.sync(m.now())
	return tea.Batch(m.pumpOther(o), m.settle(o), m.observe(false))
}

// pumpOther waits for the next events of a conversation that is not shown.
func (m *Model) pumpOther(o *other) tea.Cmd {
	conv, gen, ctx := o.conv, o.gen, o.ctx
	return func() tea.Msg {
		events, err := conv.Next(ctx)
		return othersMsg{gen, events, err}
	}
}

func (msg othersMsg) handle(m *Model) tea.Cmd {
	i := slices.IndexFunc(m.others, func(o *other) bool { return o.gen == msg.gen })
	if i < 0 {
		return nil
	}
	o := m.others[i]
	if msg.err != nil || o.back {
		return m.served(msg.gen)
	}
	var cmds []tea.Cmd
	for _, e := range msg.events {
		o.state.Apply(e)
		switch e := e.(type) {
		case *event.Requested:
			cmds = append(cmds, m.call("A question waits", requestLine(e.Request)))
		case *event.RequestResolved:
			delete(m.probe.answered, e.Request)
			m.ended[e.Request] = e.By
		case *event.TurnFinished:
			o.failed = e.Outcome == event.TurnFailed
		}
	}
	o.conv.Handled(o.state)
	m.dirty = true
	m.syncPanel()
	cmds = append(cmds, m.sayGone(), m.pumpOther(o), m.settle(o), m.observe(false))
	return tea.Batch(cmds...)
}

// settle ends a conversation that is not shown and has nothing left to do.
func (m *Model) settle(o *other) tea.Cmd {
	if o.state == nil || o.back || o.beside || o.conv.ID() == m.wanted || working(o.state) {
		return nil
	}
	o.stop()
	m.others = slices.DeleteFunc(m.others, func(x *other) bool { return x == o })
	title, failed, ctx, ended := titleOf(o.state), o.failed, m.ctx, make(chan struct{})
	m.closing = append(m.closing, ended)
	word := "Finished"
	if failed {
		word = "Failed"
	}
	return tea.Batch(m.call(word, title), m.do(func() tea.Msg {
		defer close(ended)
		stop, cancel := context.WithTimeout(ctx, closeTime)
		defer cancel()
		return closedMsg{title, failed, o.conv.Close(stop)}
	}))
}

// otherOf finds a conversation among those that are not shown.
func (b *background) otherOf(conv event.ConvID) *other {
	for _, o := range b.others {
		if o.conv.ID() == conv {
			return o
		}
	}
	return nil
}

// closings gives a function that waits until the conversations have ended that
// are being ended now: one of them may be the one to be opened again.
func (b *background) closings() func(ctx context.Context) {
	b.closing = slices.DeleteFunc(b.closing, func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	})
	list := slices.Clone(b.closing)
	return func(ctx context.Context) {
		for _, c := range list {
			select {
			case <-c:
			case <-ctx.Done():
			}
		}
	}
}

func (msg closedMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.complain(msg.err)
	}
	if msg.failed {
		return m.warn("The other session has failed: “" + clipTitle(msg.title) + "”; /resume shows why.")
	}
	return m.say("The other session has finished: “" + clipTitle(msg.title) + "”")
}

// clipTitle makes a title fit for one line of a message.
func clipTitle(title string) string {
	const most = 40
	r := []rune(term.Line(title))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// comeBack shows a conversation that went on unseen. It reports false when there
// is no such one.
func (m *Model) comeBack(conv event.ConvID) bool {
	i := slices.IndexFunc(m.others, func(o *other) bool { return o.conv.ID() == conv })
	if i < 0 {
		return false
	}
	m.others[i].back, m.swapping = true, true
	m.others[i].stop()
	return true
}

// nextSession goes to the session that went out of sight first of those that run here,
// else back to the one that was shown before.
func (m *Model) nextSession() tea.Cmd {
	switch {
	case m.conv == nil:
		return nil
	case len(m.others) > 0:
		return m.resume(string(m.others[0].conv.Session()))
	case m.before != "" && m.before != string(m.conv.Session()):
		return m.resume(m.before)
	}
	return m.say("No other session was open here yet: /sessions lists the earlier ones.")
}

// elsewhere finds the conversation of a session among those that are not shown.
func (b *background) elsewhere(session string) (event.ConvID, bool) {
	for _, o := range b.others {
		if string(o.conv.Session()) == session {
			return o.conv.ID(), true
		}
	}
	return "", false
}

// requests are the questions of all conversations, the oldest first. Those of a
// conversation that is not shown are labelled with its title.
func (m *Model) requests() []event.Request {
	if len(m.others) == 0 {
		return m.state.Requests
	}
	all := slices.Clone(m.state.Requests)
	for _, o := range m.others {
		for _, r := range o.requests() {
			if o.state != nil {
				r.Path = append([]string{"Session “" + clipTitle(titleOf(o.state)) + "”"}, r.Path...)
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b event.Request) int { return a.At.Compare(b.At) })
	return all
}

// asker is the conversation that a question comes from.
func (m *Model) asker(id event.RequestID) app.Conversation {
	for _, o := range m.others {
		if slices.ContainsFunc(o.requests(), func(r event.Request) bool { return r.ID == id }) {
			return o.conv
		}
	}
	return m.conv
}
