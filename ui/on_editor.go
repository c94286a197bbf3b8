package ui

import (
	"io"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/term"
)

// editedMsg brings what an editor made of the draft; err says why it is as it was.
type editedMsg struct {
	text string
	err  error
}

// lend makes a command of a function that lends the terminal to another program. Keys that
// come until that has it are dropped: they would start another one.
func (m *Model) lend(f func() tea.Msg) tea.Cmd {
	if m.lending {
		return nil
	}
	m.lending = true
	return m.do(func() tea.Msg { return lentMsg{f()} })
}

// lentMsg brings what came of lending the terminal.
type lentMsg struct{ msg tea.Msg }

func (l lentMsg) handle(m *Model) tea.Cmd {
	m.lending = false
	return m.dispatch(l.msg)
}

// editDraft lets the user change the draft in their editor, which has the terminal
// meanwhile. The agents go on.
func (m *Model) editDraft() tea.Cmd {
	a, ctx, terminal := m.app, m.ctx, m.terminal
	switch {
	case terminal == nil:
		return m.say("There is no terminal for an editor.")
	case a == nil:
		return m.say("One moment: the session is being opened.")
	}
	m.composer.MenuClose()
	draft := m.composer.Marked()
	return m.lend(func() tea.Msg {
		file, err := a.DraftPrompt(draft)
		if err != nil {
			return editedMsg{draft, err}
		}
		err = terminal.Lend(func(in io.Reader, out io.Writer, environ []string) error {
			return term.Edit(ctx, in, out, environ, file)
		})
		text, err := a.EditedPrompt(file, draft, err)
		return editedMsg{text, err}
	})
}

// handle takes over what was written. It can be undone.
func (msg editedMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if msg.err != nil {
		return m.complain(msg.err)
	}
	if msg.text != m.composer.Marked() {
		m.composer.SetMarked(msg.text)
		m.composer.MenuClose()
	}
	return tea.Batch(m.observe(true), m.draftChanged())
}
