package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// keys.Side carries out an action of the side panes.
func (m *Model) actSide(a keys.Action) tea.Cmd {
	defer func() {
		m.marked = m.agents.Selected()
		m.syncTodos(m.now())
	}()
	if id := m.agents.Selected(); touches(a) && id != m.marked {
		return m.say("Another agent is selected now: press the key again if you mean that one.")
	}
	switch a {
	case keys.Up:
		m.agents.Up()
		m.look()
	case keys.Down:
		m.agents.Down()
		m.look()
	case keys.Detail:
		m.toggleDetail()
	case keys.Sort:
		m.agents.NextSort()
		return m.say("Agents are ordered by " + m.agents.Sort().String() + ".")
	case keys.Filter:
		m.agents.NextFilter()
		return m.say("Agents shown: " + m.agents.Filter().String() + ".")
	case keys.SteerAgent:
		return m.beginSteer()
	case keys.Wall:
		return m.openGrid()
	default:
		return m.control(a, m.agents.Selected())
	}
	return nil
}

// touches reports whether an action does something to the marked agent. The mark moves
// by itself when an agent goes out of sight.
func touches(a keys.Action) bool {
	switch a {
	case keys.Kill, keys.KillTree, keys.Pause:
		return true
	}
	return false
}

// foldSection folds or unfolds a part of what is shown of the marked agent, by its
// number.
func (m *Model) foldSection(key string) bool {
	return m.focus == focusSide && m.view.detail && len(key) == 1 && key[0] >= '1' && key[0] <= '9' &&
		m.detail.ToggleSection(agents.Section(key[0]-'0'))
}

// control carries out what can be done with an agent, wherever it is marked.
func (m *Model) control(a keys.Action, id event.AgentID) tea.Cmd {
	at := m.state.Agent(id)
	if at == nil || m.conv == nil {
		return nil
	}
	switch a {
	case keys.Kill:
		return m.killTwice(at, app.Self, a)
	case keys.KillTree:
		return m.killTwice(at, app.Subtree, a)
	case keys.Pause:
		return m.pause(at)
	case keys.Freeze:
		return m.freeze(!m.state.Frozen)
	case keys.Promote:
		return m.promote(id)
	case keys.Timeline:
		return m.openTimeline(m.treeOf(at), id)
	}
	return nil
}

// killTwice kills an agent once the key was pressed twice for it: what it did is lost
// then. What escape does as well takes one press.
func (m *Model) killTwice(at *event.Agent, s app.Scope, by keys.Action) tea.Cmd {
	if at.State.Ended() || at.Parent == "" && s == app.Self {
		return m.kill(at, s)
	}
	b, _ := m.keys.Binding(by, keys.InSidebar, keys.InGrid)
	what := "end " + "“" + clipTitle(m.nameOf(at.ID)) + "”"
	switch {
	case at.Parent == "":
		what = "interrupt the turn and end all agents"
	case s == app.Subtree:
		what += " and all below it"
	}
	cmd, second := m.twice(string(by)+string(at.ID), "Press "+b.Keys[0]+" again to "+what+".")
	if second {
		return m.kill(at, s)
	}
	return cmd
}

// kill kills an agent. The root cannot be killed: its turn is interrupted, and with
// everything below it so are those that no one waits for.
func (m *Model) kill(a *event.Agent, s app.Scope) tea.Cmd {
	conv, id := m.conv, a.ID
	switch {
	case a.Parent == "":
		if s == app.Self && !m.busy() {
			return m.say("No turn is running.")
		}
		m.held = len(m.state.Queue) > 0 || s == app.Subtree
		return m.do(func() tea.Msg { conv.Interrupt(id, s); return nil })
	case a.State.Ended():
		return m.say("That agent has ended already.")
	}
	return m.do(func() tea.Msg { return refused(conv.Kill(id, s)) })
}

// refused tells why a control was not carried out, if it was not.
func refused(err error) tea.Msg {
	if err == nil {
		return nil
	}
	return failedMsg{err}
}

// pause holds an agent with everything below it, or lets it go on.
func (m *Model) pause(a *event.Agent) tea.Cmd {
	conv, id := m.conv, a.ID
	switch {
	case a.State.Ended():
		return m.say("That agent has ended already.")
	case a.State == event.AgentPaused || a.State == event.AgentPausing:
		return m.do(func() tea.Msg { return refused(conv.Resume(id, app.Subtree)) })
	}
	return m.do(func() tea.Msg { return refused(conv.Pause(id, app.Subtree)) })
}

// freeze forbids that agents spawn others, or allows it.
func (m *Model) freeze(on bool) tea.Cmd {
	conv, text := m.conv, "Agents may start others again."
	if on {
		text = "No agent may start others until you allow it again; running ones continue."
	}
	return tea.Batch(m.say(text), m.do(func() tea.Msg { return refused(conv.Freeze(on)) }))
}

// beginSteer opens the input for the marked agent.
func (m *Model) beginSteer() tea.Cmd {
	a := m.state.Agent(m.agents.Selected())
	switch {
	case a == nil:
	case a.Parent == "" && !m.busy():
		return m.say("No turn is running: write your message below.")
	case !m.agents.BeginSteer():
		return m.say("That agent has ended already.")
	}
	return nil
}

// steerKey sends a key to the input that steers the marked agent.
func (m *Model) steerKey(key, text string) tea.Cmd {
	a, ok := m.keys.Find(key, keys.InComposer, keys.Anywhere)
	switch {
	case ok && (a == keys.Send || a == keys.Steer):
		return m.steerAgent(m.agents.Accept())
	case ok && (a == keys.Escape || a == keys.Cancel):
		m.agents.Cancel()
		return nil
	}
	if e, edits := edits[a]; ok && edits {
		m.agents.Edit(e)
		return nil
	}
	m.agents.Insert(text)
	return nil
}

// steerAgent hands a text to an agent.
func (m *Model) steerAgent(id event.AgentID, text string) tea.Cmd {
	if text == "" || m.conv == nil {
		return nil
	}
	conv := m.conv
	return m.do(func() tea.Msg {
		if _, err := conv.Steer(id, text); err != nil {
			return undeliveredMsg{text, sentence(err)}
		}
		return nil
	})
}

// undeliveredMsg brings back what an agent could not be told.
type undeliveredMsg struct{ text, why string }

func (msg undeliveredMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if m.composer.Empty() {
		m.composer.InsertWithImages(msg.text, nil)
		return m.say(msg.why + " What you wrote is in the draft.")
	}
	return m.say(msg.why)
}

// stopTime is how soon a second esc must follow the first to stop the agents that
// no one waits for, too.
const stopTime = time.Second

// stopAll stops the agents that go on when the root's turn is stopped. It reports
// false when this is not the second esc, or there are none.
func (m *Model) stopAll() (tea.Cmd, bool) {
	live := len(m.state.Live())
	if live == 0 || m.conv == nil {
		return nil, false
	}
	if m.now().After(m.stopAt) {
		if m.busy() {
			m.stopAt = m.now().Add(stopTime)
		}
		return nil, false
	}
	m.stopAt, m.held = time.Time{}, true
	conv := m.conv
	return tea.Batch(m.say("Ending "+format.Count(live, "agent", "agents")+" as well."), m.do(func() tea.Msg {
		conv.Interrupt(conv.Root(), app.Subtree)
		return nil
	})), true
}

// commandAgents goes to the agents, or says whether they may spawn others.
func (m *Model) commandAgents(args string) tea.Cmd {
	switch args {
	case "":
		return m.showSide()
	case "freeze", "thaw":
		return m.freeze(args == "freeze")
	}
	return m.say(fmt.Sprintf("/agents does not know %q: it takes freeze, thaw or nothing.", term.Line(args)))
}

// agentHints are the keys worth knowing for the marked agent.
func (m *Model) agentHints() []status.Hint {
	if m.agents.Steering() {
		return m.hint(keys.Send, keys.InComposer, "send")
	}
	a := m.state.Agent(m.agents.Selected())
	return m.controls(keys.InSidebar, a, keys.Detail, keys.Kill, keys.Pause, keys.SteerAgent, keys.Promote)
}

// controls are the keys worth knowing for an agent: those that do something with it as
// it is now.
func (m *Model) controls(p keys.Context, a *event.Agent, actions ...keys.Action) []status.Hint {
	var list []status.Hint
	for _, act := range actions {
		hints := m.hints(p, act)
		if acts := touches(act) || act == keys.SteerAgent; len(hints) == 0 || acts && (a == nil || a.State.Ended()) {
			continue
		}
		switch {
		case act == keys.Pause && (a.State == event.AgentPaused || a.State == event.AgentPausing):
			hints[0].Text = "resume"
		case act == keys.Kill && a.Parent == "":
			hints[0].Text = "interrupt its turn"
		}
		list = append(list, hints...)
	}
	return list
}
