package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/overlay"
)

// watchEvery is how often it is looked what another program has stored.
const watchEvery = 500 * time.Millisecond

// watchMsg asks to read along in a session that is open elsewhere, branchMsg to go on in a
// branch of it.
type (
	watchMsg  struct{ session string }
	branchMsg struct{ session string }
)

// watchedMsg brings what is said there; the window is nil before it is open.
type watchedMsg struct {
	of            *overlay.Pager
	session, text string
	err           error
}

// openHeld offers what can be done with a session that is open elsewhere.
func (m *Model) openHeld(held *app.HeldError) {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "That session is open elsewhere", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request {
			if it.ID == "watch" {
				return watchMsg{held.Conv}
			}
			return branchMsg{held.Conv}
		},
	})
	p.SetItems(p.Load(), []overlay.Item{
		{ID: "watch", Label: "Read along", Detail: "it goes on there, and nothing can be sent from here"},
		{ID: "branch", Label: "Go on in a branch", Detail: "it begins with what is stored there now"},
	})
	m.show(p)
}

func (msg branchMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	return m.fork(msg.session, "")
}

func (msg watchMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	return m.do(m.watched(nil, msg.session))
}

// watched gives a function that reads what is said in a session.
func (m *Model) watched(of *overlay.Pager, session string) func() tea.Msg {
	a, ctx := m.app, m.ctx
	return func() tea.Msg {
		text, err := a.Watch(ctx, session)
		return watchedMsg{of, session, text, err}
	}
}

func (msg watchedMsg) handle(m *Model) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.complain(msg.err)
	case msg.of == nil:
		hints := m.readHints()
		msg.of = overlay.NewPager(m.styles, "Read along", msg.text, hints)
		msg.of.Follow()
		m.show(msg.of)
	case m.box != msg.of:
		return nil
	default:
		m.dirty = msg.of.Grow(msg.text) || m.dirty
	}
	read := m.watched(msg.of, msg.session)
	return m.after(watchEvery, func() tea.Msg { return read() })
}
