package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/ui/overlay"
)

// answerTime is how long a terminal is given to answer a question.
const answerTime = time.Second

// fenceTime is the same for the last one, of a terminal that has answered before; on a slow
// line it is twice what that took.
const fenceTime = 500 * time.Millisecond

// farTime is [answerTime] for a terminal on another machine.
const farTime = 4 * time.Second

// leaveMsg asks the program to end.
type leaveMsg struct{}

func (leaveMsg) handle(m *Model) tea.Cmd { return m.leave() }

// askToLeave ends the program. What that would end as well is named first; the same key
// once more leaves.
func (m *Model) askToLeave() tea.Cmd {
	work := app.Underway(m.state)
	for _, o := range m.others {
		if o.state != nil {
			work = append(work, app.Underway(o.state)...)
		}
	}
	if len(work) == 0 || m.asksToLeave() {
		return m.leave()
	}
	var lines []overlay.Line
	for _, w := range work {
		lines = append(lines, overlay.Line{Text: w})
	}
	title, verb := "Leave, and end what is running?", "leave and end it"
	if !slices.ContainsFunc(work, func(w string) bool { return !strings.HasPrefix(w, app.Unsent) }) {
		title, verb = "Leave without sending?", "leave"
	}
	ask := overlay.NewConfirm(m.styles, title, lines, m.questionHints(verb, "stay"))
	ask.Yes, m.parting = leaveMsg{}, ask
	m.show(ask)
	return nil
}

// asksToLeave reports whether the question of [Model.askToLeave] is on the screen.
func (m *Model) asksToLeave() bool { return m.box != nil && m.box == m.parting }

// leave ends the program. What the terminal was asked shortly before must be
// answered first: an answer that comes after the end is typed into the user's
// shell. Terminals answer in order, and all of them tell their attributes when
// asked, so those are the last answer to wait for.
func (m *Model) leave() tea.Cmd {
	left := answerTime
	if m.o.Term.SSH {
		left = farTime
	}
	left -= m.now().Sub(m.asked)
	if m.answered { // keys, the mouse and the focus are reported until it has read this
		left = max(left, fenceTime, min(2*m.trip, farTime))
	}
	switch {
	case left <= 0:
		return tea.Quit
	case m.leaving:
		return nil
	}
	m.leaving = true
	m.write(ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr + ansi.ResetModeFocusEvent + ansi.RequestPrimaryDeviceAttributes)
	return m.after(left, func() tea.Msg { return tea.Quit() })
}

// onAttributes takes the last answer of the terminal: to the questions of the start, then
// to that of [Model.leave].
func (m *Model) onAttributes(uv.PrimaryDeviceAttributesEvent) tea.Cmd {
	if m.answered && m.leaving {
		return tea.Quit
	}
	if !m.answered {
		m.answered, m.trip = true, m.now().Sub(m.asked)
	}
	return nil
}
