package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/usage"
)

// usageEvery is how often an open window counts down how long a cache is warm.
const usageEvery = time.Second

// usageTickMsg is due when the time shown in an open window has passed on.
type usageTickMsg struct{ window *usageWindow }

// plainCells is the width of what is copied out of the windows.
const plainCells = 120

// usageWindow is a text about model calls that follows the state.
type usageWindow struct {
	*overlay.Pager
	write overlay.Source
}

// Sync takes over what has changed.
func (u *usageWindow) Sync(*event.State) { u.Renew(u.write(plainCells, &rows.Styles{}), u.write) }

// openUsage shows what model calls have used, openCache what the prompt cache gave.
func (m *Model) openUsage() tea.Cmd {
	m.openUsageWindow("Usage", func(w int, st *rows.Styles) string {
		return usage.Usage(m.state, w, st) + usage.Beside(m.conv.SideCalls(), w, st)
	})
	return nil
}

func (m *Model) openCache() tea.Cmd {
	return m.usageTick(m.openUsageWindow("Prompt cache", func(w int, st *rows.Styles) string { return usage.Cache(m.state, m.now(), w, st) }))
}

func (m *Model) openUsageWindow(title string, write overlay.Source) *usageWindow {
	hints := append(m.hints(keys.InText, keys.Find), m.hints(keys.InOverlay, keys.Copy, keys.Escape)...)
	l := &usageWindow{overlay.NewPagerOf(m.styles, title, write(plainCells, &rows.Styles{}), write, hints), write}
	m.show(l)
	return l
}

// usageTick has the countdown move while it is in sight: without a cache that is
// warm, nothing there changes with time.
func (m *Model) usageTick(u *usageWindow) tea.Cmd {
	if m.box != u || !usage.Warm(m.state, m.now()) {
		return nil
	}
	return tea.Tick(usageEvery, func(time.Time) tea.Msg { return usageTickMsg{u} })
}

func (msg usageTickMsg) handle(m *Model) tea.Cmd {
	if m.box != msg.window {
		return nil
	}
	msg.window.Sync(m.state)
	m.dirty = true
	return m.usageTick(msg.window)
}
