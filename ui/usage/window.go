package usage

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/ui/host"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

// usageEvery is how often an open window counts down how long a cache is warm.
const usageEvery = time.Second

// usageTickMsg is due when the time shown in an open window has passed on.
type usageTickMsg struct{ window *Window }

// plainCells is the width of what is copied out of the windows.
const plainCells = 120

// Window is a text about model calls that follows the state.
type Window struct {
	*overlay.Pager
	write overlay.Source
	spent *Spending // what was read for it, nil for another window
}

// usageCells is how wide a window of figures is at most: names and figures that belong
// together stand too far from each other otherwise.
const usageCells = 110

// Size is that of the text, in the width that figures need.
func (u *Window) Size(w, h int) (bw, bh int) { return u.Pager.Size(min(w, usageCells), h) }

// Sync takes over what has changed.
func (u *Window) Sync(*event.State) { u.Renew(u.write(plainCells, &rows.Styles{}), u.write) }

// OpenUsage shows what model calls have used, OpenCache what the prompt cache gave.
func OpenUsage(h host.Host) tea.Cmd {
	var got Spending
	u := openWindow(h, "Usage", func(w int, st *rows.Styles) string {
		text := Usage(h.State(), w, st)
		if spent := Spent(got.Turns, got.Days, func(turn event.TurnID) string { return promptOf(h.State(), turn) }, w, st); spent != "" {
			text += "\n\n" + spent
		}
		return text + Beside(h.Conv().SideCalls(), w, st)
	})
	u.spent = &got
	return loadSpent(h, u)
}

// Spending brings what turns and days have used.
type Spending struct {
	Of    *Window
	Turns []api.TurnUse
	Days  []api.DayUse
	err   error
}

// TurnFinished implements [host.TurnFinisher].
func (u *Window) TurnFinished(h host.Host) tea.Cmd {
	if u.spent == nil {
		return nil
	}
	return loadSpent(h, u)
}

// loadSpent reads for the window of that name what turns and days have used.
func loadSpent(h host.Host, u *Window) tea.Cmd {
	conv, ctx := h.Conv(), h.Context()
	return h.Do(func() tea.Msg {
		turns, days, err := conv.Spent(ctx)
		return Spending{u, turns, days, err}
	})
}

// Handle implements [host.Message].
func (msg Spending) Handle(h host.Host) tea.Cmd {
	if h.Box() != msg.Of {
		return nil
	}
	if msg.err != nil {
		return h.Fail(msg.err)
	}
	*msg.Of.spent = msg
	h.Redraw()
	msg.Of.Sync(h.State())
	return nil
}

// promptOf returns the text that a turn began with, as far as it is in the transcript.
func promptOf(s *event.State, turn event.TurnID) string {
	if root := s.Root(); root != nil {
		for _, b := range root.Blocks {
			if b.Turn == turn && b.Kind == event.BlockUser {
				return host.StartOf(b)
			}
		}
	}
	return ""
}

// OpenCache shows what the prompt cache has saved.
func OpenCache(h host.Host) tea.Cmd {
	return tick(h, openWindow(h, "Prompt cache", func(w int, st *rows.Styles) string { return Cache(h.State(), h.Now(), w, st) }))
}

func openWindow(h host.Host, title string, write overlay.Source) *Window {
	hints := h.ReadHints()
	l := &Window{Pager: overlay.NewPagerOf(h.Styles(), title, write(plainCells, &rows.Styles{}), write, hints), write: write}
	h.Show(l)
	return l
}

// tick has the countdown move while it is in sight: without a cache that is
// warm, nothing there changes with time.
func tick(h host.Host, u *Window) tea.Cmd {
	if h.Box() != u || !Warm(h.State(), h.Now()) {
		return nil
	}
	return h.After(usageEvery, func() tea.Msg { return usageTickMsg{u} })
}

func (msg usageTickMsg) Handle(h host.Host) tea.Cmd {
	if h.Box() != msg.window {
		return nil
	}
	msg.window.Sync(h.State())
	h.Redraw()
	return tick(h, msg.window)
}
