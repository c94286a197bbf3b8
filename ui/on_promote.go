package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/term"
	"hermes-tui/ui/transcript"
)

// toggleDetail shows or hides everything about the marked agent.
func (m *Model) toggleDetail() {
	m.change(change{step: detailed})
	m.look()
}

// look shows the marked agent in detail, if that is wanted.
func (m *Model) look() {
	if !m.view.detail {
		return
	}
	id := m.agents.Selected()
	if id == m.detail.Shown() {
		return
	}
	m.detail.Show(id)
	m.detail.Sync(m.state)
	m.detailTranscript = m.newTranscript()
	m.syncInside()
}

// syncInside hands the transcript of the agent in detail to its region. That of
// the agent in the main view is there already.
func (m *Model) syncInside() {
	if a := m.state.Agent(m.detail.Shown()); m.view.detail && a != nil {
		m.detailTranscript.SetRequests(m.state.Requests)
		m.detailTranscript.Sync(a.Blocks)
	}
}

func (m *Model) newTranscript() *transcript.View {
	var shown transcript.Keys
	if k, ok := m.keys.Binding(keys.Fold, keys.InTranscript); ok {
		shown.Fold = k.Keys[0]
	}
	if k, ok := m.keys.Binding(keys.Open, keys.InTranscript); ok {
		shown.Open = k.Keys[0]
	}
	shown.Turn = m.keyName(keys.TurnPrev)
	o := m.o.Settings
	v := transcript.New(m.styles, transcript.Options{Clock: m.o.Now, Keys: shown, HideReasoning: !m.reasoning, Times: m.times, OutputLines: o.OutputLines, Apart: func(text string) (string, []composer.Paste) {
		return m.composer.Apart(text)
	}})
	v.Tick(m.now(), m.clock.frame)
	return v
}

// main is the agent whose transcript is in the main view.
func (m *Model) main() *event.Agent {
	if a := m.state.Agent(m.view.agent); a != nil {
		return a
	}
	return m.state.Root()
}

// promote shows an agent in place of the conversation. The root brings that back.
func (m *Model) promote(id event.AgentID) tea.Cmd {
	root := m.state.Root()
	if root == nil || m.state.Agent(id) == nil {
		return nil
	}
	from := origin{m.focus, m.windows}
	m.show(nil)
	if id == root.ID {
		m.demote()
		m.show(nil)
		m.setFocus(focusComposer)
		return nil
	}
	if m.view.agent == "" {
		m.rootTranscript, m.promotedFrom = m.transcript, from
	}
	m.endFind()
	m.change(change{step: promoted, agent: id})
	m.transcript = m.newTranscript()
	m.setFocus(focusComposer)
	m.sync(m.now())
	return nil
}

// origin is where an agent was brought into the main view from.
type origin struct {
	focus   focus
	windows windows
}

// demote brings the root's transcript back, with what the agent was chosen in. It
// reports false when it is there.
func (m *Model) demote() bool {
	if m.view.agent == "" {
		return false
	}
	from := m.promotedFrom
	m.endFind()
	m.change(change{step: promoted})
	m.transcript, m.rootTranscript, m.promotedFrom = m.rootTranscript, nil, origin{}
	m.refocus(from.focus)
	if from.windows.box != nil {
		m.windows = from.windows
	}
	m.sync(m.now())
	return true
}

// refocus gives the keys back to a region that may have been hidden meanwhile.
func (m *Model) refocus(f focus) {
	m.change(change{step: gridShown, on: f == focusGrid})
	m.lay = arrange(m.w, m.h, m.wants())
	m.setFocus(f)
}

// sayTo hands the draft to the agent in the main view.
func (m *Model) sayTo(a *event.Agent) tea.Cmd {
	if a.State.Ended() {
		return m.say(joined(": ", "That agent has ended", m.press(keys.Escape, keys.Anywhere, "goes back")) + ".")
	}
	text := m.composer.Value()
	m.takeDraft()
	m.composer.Set("")
	m.pace.sent()
	m.transcript.Select(transcript.MoveNone)
	m.transcript.Bottom()
	return m.steerAgent(a.ID, text)
}

// openGrid shows all agents of a tree at once.
func (m *Model) openGrid() tea.Cmd {
	tree, ok := m.newestTree()
	if !ok {
		return m.say("There are no subagents yet.")
	}
	m.gridFrom, m.gridTree = m.focus, tree
	m.grid.Sync(m.state, tree)
	if id := m.agents.Selected(); id != "" {
		m.grid.Focus(id)
	}
	m.setFocus(focusGrid)
	return nil
}

// newestTree is the newest turn that has asked for subagents.
func (t *talk) newestTree() (event.TurnID, bool) {
	trees := t.state.Trees()
	if len(trees) == 0 {
		return "", false
	}
	return trees[len(trees)-1], true
}

// treeOf is the tree that an agent belongs to; for the root it is the newest.
func (t *talk) treeOf(a *event.Agent) event.TurnID {
	if a.Tree != "" {
		return a.Tree
	}
	tree, _ := t.newestTree()
	return tree
}

// actGridKey carries out an action of the grid.
func (m *Model) actGridKey(a keys.Action) tea.Cmd {
	switch a {
	case keys.Up:
		m.grid.Up()
	case keys.Down:
		m.grid.Down()
	case keys.Left:
		m.grid.Left()
	case keys.Right:
		m.grid.Right()
	case keys.PageUp:
		m.grid.PageUp()
	case keys.PageDown:
		m.grid.PageDown()
	case keys.NextWaiting:
		m.grid.NextWaiting()
	case keys.Sort:
		m.grid.Arrange()
	default:
		return m.control(a, m.grid.Focused())
	}
	return nil
}

// nameOf is what an agent is called in a line: what it is to do.
func (t *talk) nameOf(id event.AgentID) string {
	path := t.state.Path(id)
	if len(path) == 0 {
		return string(id)
	}
	return term.Line(path[len(path)-1])
}

// crumbs name the agent in the main view from the root down, empty for the root.
func (m *Model) crumbs() string {
	if m.view.agent == "" {
		return ""
	}
	path := m.state.Path(m.view.agent)
	for i := range path {
		path[i] = term.Line(path[i])
	}
	return strings.Join(path, " › ")
}
