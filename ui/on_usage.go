package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
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
	spent *spentMsg // what was read for it, nil for another window
}

// usageCells is how wide a window of figures is at most: names and figures that belong
// together stand too far from each other otherwise.
const usageCells = 110

// Size is that of the text, in the width that figures need.
func (u *usageWindow) Size(w, h int) (bw, bh int) { return u.Pager.Size(min(w, usageCells), h) }

// Sync takes over what has changed.
func (u *usageWindow) Sync(*event.State) { u.Renew(u.write(plainCells, &rows.Styles{}), u.write) }

// openUsage shows what model calls have used, openCache what the prompt cache gave.
func (m *Model) openUsage() tea.Cmd {
	var got spentMsg
	u := m.openUsageWindow("Usage", func(w int, st *rows.Styles) string {
		text := usage.Usage(m.state, w, st)
		if spent := usage.Spent(got.turns, got.days, m.promptOf, w, st); spent != "" {
			text += "\n\n" + spent
		}
		return text + usage.Beside(m.conv.SideCalls(), w, st)
	})
	u.spent = &got
	m.usage = u
	return m.loadSpent()
}

// spentMsg brings what turns and days have used.
type spentMsg struct {
	of    *usageWindow
	turns []app.TurnUse
	days  []app.DayUse
	err   error
}

// loadSpent reads for the window of that name what turns and days have used.
func (m *Model) loadSpent() tea.Cmd {
	u, conv, ctx := m.usage, m.conv, m.ctx
	return m.do(func() tea.Msg {
		turns, days, err := conv.Spent(ctx)
		return spentMsg{u, turns, days, err}
	})
}

func (msg spentMsg) handle(m *Model) tea.Cmd {
	if m.box != msg.of {
		return nil
	}
	if msg.err != nil {
		return m.fail(msg.err)
	}
	*msg.of.spent, m.dirty = msg, true
	msg.of.Sync(m.state)
	return nil
}

// promptOf is the text that a turn began with, as far as it is in the transcript.
func (m *Model) promptOf(turn event.TurnID) string {
	if root := m.state.Root(); root != nil {
		for _, b := range root.Blocks {
			if b.Turn == turn && b.Kind == event.BlockUser {
				return startOf(b)
			}
		}
	}
	return ""
}

func (m *Model) openCache() tea.Cmd {
	return m.usageTick(m.openUsageWindow("Prompt cache", func(w int, st *rows.Styles) string { return usage.Cache(m.state, m.now(), w, st) }))
}

func (m *Model) openUsageWindow(title string, write overlay.Source) *usageWindow {
	hints := m.readHints()
	l := &usageWindow{Pager: overlay.NewPagerOf(m.styles, title, write(plainCells, &rows.Styles{}), write, hints), write: write}
	m.show(l)
	return l
}

// usageTick has the countdown move while it is in sight: without a cache that is
// warm, nothing there changes with time.
func (m *Model) usageTick(u *usageWindow) tea.Cmd {
	if m.box != u || !usage.Warm(m.state, m.now()) {
		return nil
	}
	return m.after(usageEvery, func() tea.Msg { return usageTickMsg{u} })
}

func (msg usageTickMsg) handle(m *Model) tea.Cmd {
	if m.box != msg.window {
		return nil
	}
	msg.window.Sync(m.state)
	m.dirty = true
	return m.usageTick(msg.window)
}
