package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/status"
)

// typedMsg tells how a command of the user was taken.
type typedMsg struct {
	gen   int
	draft string
	err   error
}

// typedCommand reads a draft as a command of the user: what is behind "!", or behind "!!",
// of which the agent is not told. It reports false for another draft.
func typedCommand(text string) (command string, tell, ok bool) {
	rest, ok := strings.CutPrefix(text, "!")
	if !ok {
		return "", false, false
	}
	alone, quiet := strings.CutPrefix(rest, "!")
	return strings.TrimSpace(alone), !quiet, true
}

// typed reports whether the draft is a command of the user.
func (m *Model) typed() bool { return m.composer.TypedFirst("!") }

// runTyped runs the draft as a command of the user, beside the agent.
func (m *Model) runTyped() tea.Cmd {
	text := m.composer.Value()
	command, tell, _ := typedCommand(text)
	switch {
	case command == "":
		return m.say("Write a command after the !; its output goes to the agent, with !! it does not.")
	case len(m.composer.Images()) > 0:
		return m.say("A command takes no images: take them out first.")
	case m.swapping:
		return m.say("One moment: the session is being opened.")
	}
	draft := m.takeDraft()
	m.composer.Set("")
	m.pace.sent()
	m.transcript.Bottom()
	if m.note = ""; m.conv == nil {
		m.commanded = append(m.commanded, text)
		return nil
	}
	return m.startTyped(draft, command, tell)
}

// startTyped has a command of the user run.
func (m *Model) startTyped(draft, command string, tell bool) tea.Cmd {
	conv, a, gen := m.conv, m.app, m.gen
	return m.do(func() tea.Msg {
		a.Remember(draft)
		_, err := conv.RunTyped(command, tell)
		return typedMsg{gen, draft, err}
	})
}

func (msg typedMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if msg.err == nil || msg.gen != m.gen {
		return m.keepStash()
	}
	if m.composer.Empty() {
		m.composer.SetDraft(msg.draft)
	}
	return m.fail(msg.err)
}

// stopTyped stops the newest command of the user that runs.
func (m *Model) stopTyped() tea.Cmd {
	conv := m.conv
	return m.do(func() tea.Msg { conv.StopTyped(); return nil })
}

// typing reports whether a command of the user runs.
func (t *talk) typing() bool {
	root := t.state.Root()
	return root != nil && len(root.Commands) > 0
}

// untold says what goes with the next message besides it, empty for nothing.
func (m *Model) untold() string {
	root := m.state.Root()
	if root == nil || len(root.Untold) == 0 {
		return ""
	}
	return "with the output of " + format.Exact(len(root.Untold), "command", "commands") + " of yours"
}

// typedHints are the keys worth knowing while a command is written.
func (m *Model) typedHints() []status.Hint {
	does := "run; its output goes with your next message"
	if _, tell, _ := typedCommand(m.composer.Value()); !tell {
		does = "run, for yourself"
	}
	return append(m.hint(keys.Send, keys.InComposer, does), m.hint(keys.Complete, keys.InComposer, "complete")...)
}

// filledMsg brings what takes the place of commands in a draft.
type filledMsg struct {
	edits uint64 // of the draft that they are in
	texts []string
	steer bool
	err   error
}

// fills has the commands in braces of the draft run, and the draft sent with what they
// wrote. It reports false when there are none.
func (m *Model) fills(steer bool) (tea.Cmd, bool) {
	list := m.composer.Inserts()
	switch {
	case len(list) == 0:
		return nil, false
	case m.conv == nil || m.swapping:
		return m.say("One moment: the session is being opened."), true
	case m.filling:
		return m.say("One moment: a command in this message is running."), true
	}
	m.filling = true
	conv, ctx, edits := m.conv, m.ctx, m.composer.Edits()
	return m.do(func() tea.Msg {
		msg := filledMsg{edits: edits, steer: steer}
		for _, command := range list {
			text, err := conv.Interpolate(ctx, command)
			if err != nil {
				msg.err = err
				break
			}
			msg.texts = append(msg.texts, text)
		}
		return msg
	}), true
}

func (msg filledMsg) handle(m *Model) tea.Cmd {
	m.filling, m.dirty = false, true
	switch {
	case msg.err != nil:
		return m.warn("Not sent: " + msg.err.Error() + ".")
	case m.composer.Edits() != msg.edits || !m.composer.Fill(msg.texts):
		return m.say("The draft has changed while a command of it ran: send it again.")
	}
	return m.sendNow(msg.steer)
}
