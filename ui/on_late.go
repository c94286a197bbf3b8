package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/keys"
)

// late is how long after a question has disappeared, or after the newest key for it, a key
// may still be meant for it.
const late = time.Second

// lateKeys are the keys that follow a question which had them when it disappeared. They go
// nowhere: a digit is no message, a password is no draft, and escape interrupts no turn.
type lateKeys struct {
	since time.Time
	why   string // the question has disappeared
}

// swallows reports whether a key or a paste was meant for a question that is gone. Text that
// it would not have taken ends the wait, and so does what would have answered it.
func (m *Model) swallows(key, text string) bool {
	l := &m.late
	if m.now().Sub(l.since) >= late {
		return false
	}
	a, moves := m.keys.Find(key, keys.InPrompt)
	esc, _ := m.keys.Find(key, keys.Anywhere)
	ends := a == keys.Accept || esc == keys.Escape
	if text == "" && !ends && !moves {
		return false
	}
	meant := ends || m.panel.Missed(text)
	if l.since = m.now(); ends || !meant {
		l.since = time.Time{}
	}
	return meant
}

// sayGone tells why a question has disappeared, once.
func (m *Model) sayGone() tea.Cmd {
	text := m.gone
	if m.gone = ""; text == "" {
		return nil
	}
	return m.say(text)
}
