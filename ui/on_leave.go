package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// answerTime is how long a terminal is given to answer a question.
const answerTime = time.Second

// leaveMsg asks the program to end.
type leaveMsg struct{}

func (leaveMsg) handle(m *Model) tea.Cmd { return m.leave() }

// leave ends the program. What the terminal was asked shortly before must be
// answered first: an answer that comes after the end is typed into the user's
// shell. Terminals answer in order, and all of them tell their attributes when
// asked, so those are the last answer to wait for.
func (m *Model) leave() tea.Cmd {
	left := answerTime - m.now().Sub(m.asked)
	switch {
	case left <= 0:
		return tea.Quit
	case m.leaving:
		return nil
	}
	m.leaving = true
	m.write(ansi.RequestPrimaryDeviceAttributes)
	return m.after(left, func() tea.Msg { return tea.Quit() })
}

// onAttributes takes the last answer of the terminal.
func (m *Model) onAttributes(uv.PrimaryDeviceAttributesEvent) tea.Cmd {
	if m.leaving {
		return tea.Quit
	}
	return nil
}
