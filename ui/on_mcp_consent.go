package ui

import (
	"hermes-tui/agent/app"
	"hermes-tui/ui/overlay"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// confirmServer asks before something is done with a server.
func (m *Model) confirmServer(msg serverMsg, yes, title string, lines []overlay.Line) tea.Cmd {
	ask := overlay.NewConfirm(m.styles, title, lines, m.questionHints(yes, "cancel"))
	msg.sure = true
	ask.Yes = msg
	m.showOver(ask)
	return nil
}

// giveServer gives a server the variables that it asks for, once the user has seen which, or
// takes them back.
func (m *Model) giveServer(msg serverMsg, s app.MCPServer, done func(string, func() error) tea.Cmd) tea.Cmd {
	var names []string
	given := false
	for _, v := range s.Wants {
		names, given = append(names, v.Name), given || v.Given
	}
	a, ctx := m.app, m.ctx
	switch {
	case len(names) == 0:
		return m.say(s.Name + " asks for no variables of yours.")
	case given:
		return done("Taken back: "+s.Name+" gets no variables of yours.", func() error { return a.GiveMCP(ctx, s, nil) })
	case !msg.sure:
		return m.confirmServer(msg, "give them", "Give "+s.Name+" your variables?", append([]overlay.Line{{Text: "It gets the values of " + strings.Join(names, ", ") + ".", Warn: true}}, consentLines(s)...))
	}
	return tea.Batch(m.closeBox(), done("Given to "+s.Name+": "+strings.Join(names, ", ")+".", func() error { return a.GiveMCP(ctx, s, names) }))
}

// consentLines say what is started and what it gets.
func consentLines(s app.MCPServer) []overlay.Line {
	lines := []overlay.Line{{Text: "It runs: " + s.Runs}}
	if s.In == "" {
		lines[0].Text = "It is at " + s.Runs
	}
	for _, text := range serverGets(s) {
		lines = append(lines, overlay.Line{Text: text})
	}
	lines = append(lines, overlay.Line{Text: "Named in " + s.Origin + "."})
	if s.In != "" {
		lines = append(lines, overlay.Line{Text: "It runs with your rights: nothing confines it.", Warn: true})
	}
	return lines
}

// serverGets say what a server gets, and what it does not.
func serverGets(s app.MCPServer) (lines []string) {
	if s.In != "" {
		lines = append(lines, "In the folder "+s.In)
	}
	for _, g := range s.Gets {
		lines = append(lines, "With "+g)
	}
	if len(s.Files) > 0 {
		lines = append(lines, "Bound to "+strings.Join(s.Files, ", ")+"; other files that these start or load are not bound")
	}
	for _, v := range s.Wants {
		state := "is not given to it (alt+v gives it)"
		switch {
		case v.Given && v.Set:
			state = "is given to it"
		case !v.Set:
			state = "has no value"
		}
		lines = append(lines, "Your variable "+v.Name+" "+state)
	}
	return lines
}
