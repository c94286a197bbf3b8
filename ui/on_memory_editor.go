package ui

import (
	"io"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/term"
)

// editMemory lets the user change an entry in their editor, which has the terminal
// meanwhile. The agents go on.
func (m *Model) editMemory(one app.Remembered) tea.Cmd {
	m.show(nil)
	a, ctx, terminal := m.app, m.ctx, m.terminal
	if terminal == nil {
		return m.say("There is no terminal for an editor.")
	}
	return m.lend(func() tea.Msg {
		file, err := a.DraftMemory(one)
		if err != nil {
			return said(err, "")
		}
		err = terminal.Lend(func(in io.Reader, out io.Writer, environ []string) error {
			return term.Edit(ctx, in, out, environ, file)
		})
		return remembered(a.EditedMemory(ctx, one, file, err))
	})
}
