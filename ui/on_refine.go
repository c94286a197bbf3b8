package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// refineStop ends a look back that is under way.
const refineStop = "stop"

// commandRefine has the agent look back at the session; focus is what it looks at above
// all. What comes of it is a notice.
func (m *Model) commandRefine(focus string) tea.Cmd {
	conv, ctx := m.conv, m.ctx
	if focus == refineStop {
		if !conv.StopRefine() {
			return m.say("No look back at this session is running.")
		}
		return nil
	}
	return m.do(func() tea.Msg {
		if _, err := conv.Refine(ctx, focus); err != nil {
			return failedMsg{err}
		}
		return nil
	})
}

// lookingRow says how the look back stands, with what it has used so far. What matters
// less comes last, and is cut first.
func (m *Model) lookingRow(w int, now time.Time) string {
	l := m.state.Looking
	text := " looking back at this session " + format.Elapsed(max(now.Sub(l.Since), 0))
	if l.Usage.Calls > 0 {
		text += " · " + format.Cost(l.Usage) + " · " + format.Count(int(l.Usage.Calls), "call", "calls")
	}
	if l.Model != m.state.Model.Name {
		text += " of " + term.Line(l.Model)
	}
	return rows.Fit(" "+m.styles.Accent.Render(status.Spinner(m.clock.frame))+m.styles.Muted.Render(text+" · /refine stop ends it"), w)
}
