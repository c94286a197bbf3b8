package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
)

// syncQueue hands what waits to its region. A text that is about to begin is not
// worth a row.
func (m *Model) syncQueue() {
	var all []event.Queued
	for _, q := range m.state.Queue {
		if m.busy() || m.held || q.Agent != "" {
			all = append(all, q)
		}
	}
	for _, o := range m.outbox {
		all = append(all, event.Queued{Text: o.text})
	}
	m.queue.Sync(all, m.held, m.nameOf)
	if m.focus == focusQueue && !m.queue.Focused() {
		m.setFocus(focusComposer)
	}
}

// upToQueue takes the only text that waits back to be edited, or gives the keys to
// the list when there are several. It reports false when nothing waits.
func (m *Model) upToQueue() (tea.Cmd, bool) {
	if m.conv == nil || m.queue.Len() == 0 || len(m.state.Queue) == 0 {
		return nil, false
	}
	if len(m.state.Queue) == 1 {
		return m.takeBack(m.state.Queue[0].ID), true
	}
	m.setFocus(focusQueue)
	return nil, true
}

// actQueue carries out an action on the marked text.
func (m *Model) actQueue(a keys.Action) tea.Cmd {
	id, conv := m.queue.Selected(), m.conv
	switch a {
	case keys.Up:
		m.queue.Up()
	case keys.Down:
		if !m.queue.Down() {
			m.setFocus(focusComposer)
		}
	case keys.TakeBack:
		m.setFocus(focusComposer)
		return m.takeBack(id)
	case keys.Remove:
		return m.do(func() tea.Msg {
			if _, ok := conv.Unqueue(id); !ok {
				return saidMsg{"That message is on its way already."}
			}
			return nil
		})
	case keys.SteerNow:
		shows := len(m.queuedImages(id)) > 0
		return m.do(func() tea.Msg {
			if !conv.SteerQueued(id) {
				if shows {
					return saidMsg{"Images cannot steer a running turn: the message waits for a turn of its own."}
				}
				return saidMsg{"That message is on its way already."}
			}
			return nil
		})
	case keys.MoveUp:
		return m.requeue(m.queue.MoveUp())
	case keys.MoveDown:
		return m.requeue(m.queue.MoveDown())
	}
	return nil
}

// requeue moves a text that waits.
func (m *Model) requeue(id event.InputID, by int) tea.Cmd {
	if by == 0 {
		return nil
	}
	conv := m.conv
	return m.do(func() tea.Msg { conv.Requeue(id, by); return nil })
}
