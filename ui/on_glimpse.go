package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
)

// glimpsedMsg brings the end of the first conversation, which is being opened.
type glimpsedMsg struct{ state *event.State }

// glimpse waits for a first look at the conversation. It runs as a command.
func (m *Model) glimpse() tea.Msg {
	select {
	case s := <-m.glimpses:
		return glimpsedMsg{s}
	case <-m.opened:
		return nil
	}
}

// handle shows the end of the transcript until all of it is there. It is to be looked
// at: whatever acts on a conversation waits for that.
func (msg glimpsedMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	if m.conv != nil {
		return nil
	}
	m.glimpsed, m.dirty = true, true
	m.state.Title = msg.state.Title
	m.transcript.Sync(msg.state.Root().Blocks)
	return nil
}
