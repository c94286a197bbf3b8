package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/overlay"
)

// initMsg asks for an instruction file of the project. sure says that the one there is may
// be changed.
type initMsg struct {
	gen    int
	about  string
	exists bool
	sure   bool
}

// commandInit has the agent write an instruction file, or asks first where there is one.
func (m *Model) commandInit(about string) tea.Cmd {
	conv, ctx, gen := m.conv, m.ctx, m.gen
	return m.do(func() tea.Msg { return initMsg{gen: gen, about: about, exists: app.Describes(ctx, conv)} })
}

func (msg initMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.gen {
		return nil
	}
	if msg.exists && !msg.sure {
		msg.sure = true
		ask := overlay.NewConfirm(m.styles, "Change "+app.InstructionFile+"?", []overlay.Line{
			{Text: "This project has an " + app.InstructionFile + " already. The agent reads it, keeps what is still right and changes the rest; you see the change before it is made, or take it back with /undo."},
		}, m.questionHints("have it changed", "leave it"))
		ask.Yes = msg
		m.show(ask)
		return nil
	}
	m.show(nil)
	conv, gen := m.conv, m.gen
	m.transcript.Bottom()
	return m.do(func() tea.Msg {
		id, err := app.Describe(conv, msg.exists, msg.about)
		if err != nil {
			return failedMsg{err}
		}
		return submittedMsg{gen: gen, ids: []event.InputID{id}}
	})
}
