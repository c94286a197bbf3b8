package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// openDiff shows what the newest turn, or the conversation, has changed.
func (m *Model) openDiff(args string) tea.Cmd {
	var since event.TurnID
	title := "Changed in this session"
	switch strings.ToLower(args) {
	case "", "turn":
		prompts := m.prompts()
		if len(prompts) == 0 {
			return m.say("Nothing was sent yet.")
		}
		since, title = prompts[0].Turn, "Changed in this turn"
	case "session":
	default:
		return m.say("/diff shows what the newest turn has changed, /diff session what the whole session has.")
	}
	conv, ctx, styles, w := m.conv, m.ctx, m.styles, m.w-overlayEdges
	hints := append([]status.Hint{{Key: "/", Text: "find"}}, m.hints(inOverlay, actCopy, actEscape)...)
	return m.do(func() tea.Msg {
		text, notes, err := conv.Diff(ctx, since)
		if err != nil {
			return saidMsg{err.Error()}
		}
		if text == "" {
			text = "Nothing was changed.\n"
		} else {
			text = strings.Join(diff.New(text).Rows(nil, w, styles), "\n")
		}
		if len(notes) > 0 {
			text = strings.Join(notes, "\n") + "\n\n" + text
		}
		return pagerMsg{overlay.NewPager(styles, title, text, hints)}
	})
}

// overlayEdges is how much narrower than the screen the text of a window is.
const overlayEdges = 8
