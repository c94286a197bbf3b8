package ui

import "hermes-tui/ui/transcript"

// focus is which region the keys go to when no question and no window takes
// them.
type focus int

const (
	focusComposer focus = iota
	focusTranscript
	focusSide
	focusQueue
	focusGrid
)

// setFocus moves the focus. Only the transcript has a cursor while it has the
// focus.
func (m *Model) setFocus(f focus) {
	if f == focusSide && !m.lay.panes() {
		f = focusComposer
	}
	if f != focusSide && m.agents.Steering() {
		m.agents.Cancel()
	}
	if f == focusTranscript && m.transcript.Selected() == nil {
		m.transcript.Select(transcript.MovePrev)
	}
	if f != focusTranscript {
		m.numbering = false
		m.transcript.ShowNumbers(false)
		if m.transcript.SelectsByKeys() {
			m.transcript.EndSelection()
		}
		m.endFind()
		m.transcript.Select(transcript.MoveNone)
	}
	if f != m.focus && m.panel.Armed() {
		m.panel.Disarm() // elsewhere it takes no keys, and the one that leads back must not be followed by an answer
	}
	if f != focusComposer {
		m.recall.Close()
	}
	m.agents.SetFocused(f == focusSide)
	m.marked = m.agents.Selected()
	m.queue.SetFocused(f == focusQueue)
	m.change(change{step: gridShown, on: f == focusGrid})
	m.focus, m.dirty = f, true
	m.syncTodos(m.now())
}

// focusNext moves the focus round: composer, transcript, side panes.
func (m *Model) focusNext() {
	switch m.focus {
	case focusComposer:
		m.setFocus(focusTranscript)
	case focusTranscript:
		m.setFocus(focusSide)
	default:
		m.setFocus(focusComposer)
	}
}
