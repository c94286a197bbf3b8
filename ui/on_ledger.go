package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/ledger"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

// ledgerEvery is how often an open window counts down how long a cache is warm.
const ledgerEvery = time.Second

// ledgerTickMsg is due when the time shown in an open window has passed on.
type ledgerTickMsg struct{ window *ledgerWindow }

// plainCells is the width of what is copied out of the windows.
const plainCells = 120

// ledgerWindow is a text about model calls that follows the state.
type ledgerWindow struct {
	*overlay.Pager
	write overlay.Source
}

// Sync takes over what has changed.
func (l *ledgerWindow) Sync(*event.State) { l.Renew(l.write(plainCells, &rows.Styles{}), l.write) }

// openUsage shows what model calls have used, openCache what the prompt cache gave.
func (m *Model) openUsage() tea.Cmd {
	m.openLedger("Usage", func(w int, st *rows.Styles) string { return ledger.Usage(m.state, w, st) })
	return nil
}

func (m *Model) openCache() tea.Cmd {
	return m.ledgerTick(m.openLedger("Prompt cache", func(w int, st *rows.Styles) string { return ledger.Cache(m.state, m.now(), w, st) }))
}

func (m *Model) openLedger(title string, write overlay.Source) *ledgerWindow {
	hints := append(m.hints(keys.InText, keys.Find), m.hints(keys.InOverlay, keys.Copy, keys.Escape)...)
	l := &ledgerWindow{overlay.NewPagerOf(m.styles, title, write(plainCells, &rows.Styles{}), write, hints), write}
	m.show(l)
	return l
}

// ledgerTick has the countdown move while it is in sight: without a cache that is
// warm, nothing there changes with time.
func (m *Model) ledgerTick(l *ledgerWindow) tea.Cmd {
	if m.box != l || !ledger.Warm(m.state, m.now()) {
		return nil
	}
	return tea.Tick(ledgerEvery, func(time.Time) tea.Msg { return ledgerTickMsg{l} })
}

func (msg ledgerTickMsg) handle(m *Model) tea.Cmd {
	if m.box != msg.window {
		return nil
	}
	msg.window.Sync(m.state)
	m.dirty = true
	return m.ledgerTick(msg.window)
}
