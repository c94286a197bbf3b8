package ui

import (
	"io"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/term"
	"hermes-tui/ui/transcript"
)

// showBlock opens the marked block in the user's editor: all that it holds, to be read.
func (m *Model) showBlock() tea.Cmd {
	b := m.transcript.Selected()
	if b == nil {
		return m.say("Select a block first, with up and down.")
	}
	_, text := transcript.OpenText(b)
	whole := m.wholeOutput(b)
	return m.showInEditor(kindOf(b), func() string {
		if all, ok := whole(); ok {
			return all
		}
		return text
	})
}

// kindOf is how the name of a file ends that holds a block, for the colours of an editor.
func kindOf(b *event.Block) string {
	switch {
	case b.Call == nil:
		return ".md"
	case b.Call.View.Lang == "diff":
		return ".diff"
	}
	return ".txt"
}

// showInEditor has the user read a text in their editor, which has the terminal meanwhile.
// The agents go on.
func (m *Model) showInEditor(kind string, text func() string) tea.Cmd {
	a, ctx, terminal := m.app, m.ctx, m.terminal
	switch {
	case terminal == nil:
		return m.say("There is no terminal for an editor.")
	case a == nil:
		return m.say("One moment: the session is being opened.")
	}
	return m.lend(func() tea.Msg {
		text := text()
		file, err := a.Reading(text, kind)
		if err != nil {
			return said(err, "")
		}
		err = terminal.Lend(func(in io.Reader, out io.Writer, environ []string) error {
			return term.Edit(ctx, in, out, environ, file)
		})
		says, err := a.Read(file, text, err)
		return said(err, says)
	})
}
