package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/term"
)

// copiedMsg tells what became of a copy. sequence is for the terminal to do it.
type copiedMsg struct {
	outcome  string
	sequence string
}

// copyMsg asks for a text to be copied.
type copyMsg struct{ text string }

func (msg copyMsg) handle(m *Model) tea.Cmd { return m.copy(msg.text) }

// copyTime is how long a clipboard program may take.
const copyTime = 2 * time.Second

// copy puts a text into the clipboard and says what came of it.
func (m *Model) copy(text string) tea.Cmd {
	if text == "" {
		return m.say("There is nothing to copy here.")
	}
	plan, ctx := term.PlanCopy(text, m.o.Term), m.ctx
	return m.do(func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, copyTime)
		defer cancel()
		done := term.Copy(ctx, plan)
		msg := copiedMsg{outcome: plan.Outcome(done)}
		if done != nil {
			msg.sequence = done.Sequence
		}
		return msg
	})
}

func (msg copiedMsg) handle(m *Model) tea.Cmd {
	m.write(msg.sequence)
	return m.say(msg.outcome)
}
