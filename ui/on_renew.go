package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
)

// memoryNowMsg asks to tell the model at once what is remembered.
type memoryNowMsg struct{}

// askRenew asks whether the model is to be told at once, with what that costs.
func (m *Model) askRenew() tea.Cmd {
	of := m.state.Model
	c := models.ChangeOf(m.state, models.Option{Choice: app.Choice{Provider: of.Provider, Name: of.Name}, Info: m.app.About(of)})
	if c.Turns == 0 && c.Tokens == 0 {
		return m.say("Nothing was sent yet: the first turn tells all that is remembered.")
	}
	ask := overlay.NewConfirm(m.styles, "Tell the model now what is remembered?", []overlay.Line{{Text: c.Sent()}}, m.questionHints("tell it", "in the next session"))
	ask.Yes = memoryNowMsg{}
	m.show(ask)
	return nil
}

func (memoryNowMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	m.conv.RenewPrompt()
	return m.say("The next turn begins with what is remembered now.")
}
