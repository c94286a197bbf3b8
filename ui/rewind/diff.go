package rewind

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/host"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Diff shows what the newest turn, or the conversation, has changed.
func Diff(h host.Host, args string) tea.Cmd {
	var since event.TurnID
	title := "Changed in this session"
	switch strings.ToLower(args) {
	case "", "turn":
		prompts := Prompts(h.State())
		if len(prompts) == 0 {
			return h.Say("Nothing was sent yet.")
		}
		since, title = prompts[0].Turn, "Changed in this turn"
	case "session":
	default:
		return h.Say("/diff shows what the newest turn has changed, /diff session what the whole session has.")
	}
	conv, ctx, styles := h.Conv(), h.Context(), h.Styles()
	hints := h.ReadHints()
	return h.Do(func() tea.Msg {
		text, notes, err := conv.Diff(ctx, since)
		if err != nil {
			return host.Outcome(err, "")
		}
		return host.Text{Pager: overlay.NewPagerOf(styles, title, text, Changes(text, notes), hints)}
	})
}

// Changes draws a difference for whatever width it is read at, and below it, in a
// quiet form, what it leaves out.
func Changes(text string, notes []string) overlay.Source {
	d := diff.New(text)
	return func(w int, st *rows.Styles) string {
		lines := []string{st.Muted.Render("Nothing was changed.")}
		if text != "" {
			lines = d.Rows(lines[:0], w, st)
		}
		if len(notes) > 0 {
			lines = append(lines, "")
		}
		for _, n := range notes {
			for i, l := range rows.Wrap(nil, term.Line(n), max(w-2, 1)) {
				mark := "· "
				if i > 0 {
					mark = "  "
				}
				lines = append(lines, st.Faint.Render(mark+l))
			}
		}
		return strings.Join(lines, "\n")
	}
}
