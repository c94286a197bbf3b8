package ui

import (
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// welcomeCells is how wide the lines of the welcome are at most.
const welcomeCells = 76

// welcome stands at the end of an empty transcript: what this is for, and, while
// no real model answers, how to get one. It is drawn into the rows of dst behind
// base, as far as there is room.
func (m *Model) welcome(dst []string, base, w int) {
	a := m.state.Root()
	if m.conv == nil || a == nil || len(a.Blocks) > 0 || a.Turn != "" || len(m.state.Queue) > 0 {
		return
	}
	var lines []string
	add := func(style rows.Style, text string) {
		for _, line := range rows.Wrap(nil, text, min(w-2, welcomeCells)) {
			lines = append(lines, rows.Fit(" "+style.Render(strings.TrimRight(line, " ")), w))
		}
		lines = append(lines, rows.Blank(w))
	}
	add(m.styles.Strong, "Type what you want done.")
	how := "asks before what could lose or leak something. "
	if m.state.Mode == event.ModeGuarded {
		how = "its commands run confined: they write only here, and connect only to hosts that you allow. It asks when it needs more. "
	}
	add(m.styles.Muted, "The model reads, writes and runs things here, and "+how+"Everything is kept: /resume goes back to an earlier session.")
	if app.IsDemo(m.state.Model) {
		add(m.styles.Info, "The offline demo answers: scripted words, real tools. "+
			"/setup gets a real model: from a model server, or with a key of a service.")
	}
	if len(lines) > len(dst)-base {
		return
	}
	copy(dst[len(dst)-len(lines):], lines)
}
