package ui

import (
	tea "charm.land/bubbletea/v2"
)

// commandRefine has the agent look back at the session; focus is what it looks at above
// all.
func (m *Model) commandRefine(focus string) tea.Cmd {
	conv, ctx := m.conv, m.ctx
	return tea.Batch(m.say("Looking back at this session…"), m.do(func() tea.Msg {
		kept, err := conv.Refine(ctx, focus)
		switch {
		case err != nil && len(kept.Changes) > 0:
			return saidMsg{kept.Sentence() + " Then it ended: " + sentence(err)}
		case err != nil:
			return saidMsg{"Nothing was kept: " + sentence(err)}
		}
		return saidMsg{kept.Sentence()}
	}))
}
