package ui

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
	"hermes-tui/ui/timeline"
)

// openTimeline shows who worked when in a tree of agents.
func (m *Model) openTimeline(tree event.TurnID, marked event.AgentID) tea.Cmd {
	if tree == "" {
		return m.say("There are no subagents yet.")
	}
	t := timeline.New(m.styles, tree, nil)
	t.Sync(m.state)
	t.Tick(m.now(), m.clock.frame)
	t.Select(marked)
	m.show(t, boxTimeline)
	m.treesBehind = nil
	m.hintTimeline()
	return m.animate()
}

// hintTimeline names the keys of an open timeline that do something with the marked
// agent.
func (m *Model) hintTimeline() {
	t, ok := m.box.(*timeline.Timeline)
	if !ok {
		return
	}
	hints := []status.Hint{{Key: "enter", Text: "main view"}}
	if id, _ := t.Selected(); t.Controls() {
		hints = append(hints, m.controls(keys.InSide, m.state.Agent(id), keys.Kill, keys.Pause)...)
	}
	t.SetHints(append(hints, m.boxHints()...))
}

// commandReplay lists the trees of agents, or opens one by its number.
func (m *Model) commandReplay(args string) tea.Cmd {
	list := timeline.NewTrees(m.styles, append([]status.Hint{{Key: "enter", Text: "open"}}, m.hints(keys.InOverlay, keys.Escape)...))
	list.Sync(m.state)
	list.Tick(m.now(), m.clock.frame)
	if list.Len() == 0 {
		return m.say("This session has had no subagents yet.")
	}
	if args == "" {
		m.show(list, boxTrees)
		return m.animate()
	}
	n, err := strconv.Atoi(args)
	tree, ok := list.Number(n)
	if err != nil || !ok {
		return m.say(fmt.Sprintf("There is no tree %s: there are %d, 1 is the newest.", term.Line(args), list.Len()))
	}
	return m.replay(tree)
}

// replay opens a tree step by step, or one that is still at work as it is.
func (m *Model) replay(tree event.TurnID) tea.Cmd {
	cmd := m.openTimeline(tree, "")
	running := slices.ContainsFunc(m.state.Tree(tree), func(a *event.Agent) bool { return !a.State.Ended() })
	if t, ok := m.box.(*timeline.Timeline); ok && !running {
		t.Replay()
		m.hintTimeline()
	}
	return cmd
}

// treeAccept opens what is marked in the list of trees.
func (m *Model) treeAccept(t *timeline.Trees) tea.Cmd {
	tree, _, ok := t.Selected()
	if !ok || t.Comparing() {
		return nil
	}
	cmd := m.replay(tree)
	m.treesBehind = t
	m.hintTimeline()
	return cmd
}

// barAccept shows the agent that is marked in a timeline.
func (m *Model) barAccept(t *timeline.Timeline) tea.Cmd {
	id, ok := t.Selected()
	if !ok {
		return nil
	}
	return m.promote(id)
}

// barKey carries out a control on the agent that is marked in a timeline. It
// reports false when the key is none.
func (m *Model) barKey(t *timeline.Timeline, key string) (tea.Cmd, bool) {
	a, ok := m.keys.Find(key, keys.InSide)
	if !ok {
		return nil, false
	}
	switch a {
	case keys.Kill, keys.KillTree, keys.Pause:
	default:
		return nil, false
	}
	id, marked := t.Selected()
	if !marked || !t.Controls() {
		return m.say("That agent has ended; this only shows what was."), true
	}
	return m.control(a, id), true
}

// syncBoxes hands the state to an open window that follows it.
func (m *Model) syncBoxes() {
	switch b := m.box.(type) {
	case *overlay.Pager:
		m.renewLedger(b)
	case *timeline.Timeline:
		b.Sync(m.state)
		m.hintTimeline()
	case *timeline.Trees:
		b.Sync(m.state)
	case *models.Picker:
		if m.models.list.SetCurrent(m.state.Model) {
			b.Sync()
		}
	}
}

// tickBoxes tells the time to an open window that follows it, and reports whether
// it changes with time.
func (m *Model) tickBoxes(now time.Time) {
	switch b := m.box.(type) {
	case *timeline.Timeline:
		b.Tick(now, m.clock.frame)
	case *timeline.Trees:
		b.Tick(now, m.clock.frame)
	case *models.Picker:
		b.Tick(m.clock.frame)
	}
}

// boxAnimates tells whether an open window changes with time.
func (m *Model) boxAnimates() bool {
	switch b := m.box.(type) {
	case *timeline.Timeline:
		return b.Animating()
	case *timeline.Trees:
		return b.Animating()
	case *models.Picker:
		return b.Animating()
	}
	return false
}
