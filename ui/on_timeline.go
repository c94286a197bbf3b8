package ui

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/term"
	"hermes-tui/ui/timeline"
)

// openTimeline shows who worked when in a tree of agents.
func (m *Model) openTimeline(tree event.TurnID, marked event.AgentID) tea.Cmd {
	if tree == "" {
		return m.say("There are no subagents yet.")
	}
	t := timeline.New(m.styles, tree, m.keys)
	t.Sync(m.state)
	t.Tick(m.now(), m.clock.frame)
	t.Select(marked)
	m.timeline = t
	m.show(t)
	m.hintTimeline()
	return m.animate()
}

// hintTimeline names the keys of an open timeline that do something with the marked
// agent.
func (m *Model) hintTimeline() {
	t := m.timeline
	if m.box != t {
		return
	}
	hints := m.hint(keys.Accept, keys.InOverlay, "main view")
	if id, _ := t.Selected(); t.Controls() {
		hints = append(hints, m.controls(keys.InTimeline, m.state.Agent(id), keys.Kill, keys.Pause)...)
	}
	t.SetHints(append(hints, m.boxHints()...))
}

// commandReplay lists the trees of agents, or opens one by its number.
func (m *Model) commandReplay(args string) tea.Cmd {
	list := timeline.NewTrees(m.styles, m.keys, m.windowHints("open", nil))
	list.Sync(m.state)
	list.Tick(m.now(), m.clock.frame)
	if list.Len() == 0 {
		return m.say("This session has had no subagents yet.")
	}
	if args == "" {
		m.show(list)
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
	if m.box == m.timeline && !running {
		m.timeline.Replay()
		m.hintTimeline()
	}
	return cmd
}

// onOpenTree opens the tree that is marked in the list of them.
func (m *Model) onOpenTree(msg timeline.Open) tea.Cmd {
	list := m.box
	cmd := m.replay(msg.Tree)
	if m.box != list {
		m.under = append(m.under, list)
		m.hintTimeline()
	}
	return cmd
}
