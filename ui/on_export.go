package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/overlay"
)

// exportMsg asks to write a session to a file.
type exportMsg struct{ session, format string }

// askFormat asks in which form a session of the list is written.
func (m *Model) askFormat(s app.SessionInfo) {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Write " + clipTitle(nameOf(s)), Hints: m.windowHints("write", nil),
		Chosen: func(it overlay.Item) overlay.Request { return exportMsg{s.Session, it.ID} },
	})
	p.SetItems(p.Load(), []overlay.Item{
		{ID: "md", Label: "Markdown"}, {ID: "html", Label: "HTML", Detail: "one file that looks like the screen"},
		{ID: "json", Label: "JSON", Detail: "what sessions import reads again"}, {ID: "sharegpt", Label: "ShareGPT", Detail: "turns for training"},
	})
	m.showOver(p)
}

func (msg exportMsg) handle(m *Model) tea.Cmd {
	a, ctx := m.app, m.ctx
	return tea.Batch(m.closeBox(), m.do(func() tea.Msg {
		file, err := a.ExportFile(ctx, msg.session, msg.format)
		if err != nil {
			return failedMsg{err}
		}
		return saidMsg{"Written, with secrets masked: " + file}
	}))
}
