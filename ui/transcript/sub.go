package transcript

import (
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// subCalls draws the calls that were made on behalf of a call: how many and the
// newest, or a row for each of them when it is opened.
func (v *View) subCalls(c *canvas, call *event.Call, folded bool) {
	if len(call.Calls) == 0 {
		return
	}
	shown := call.Calls
	if folded {
		shown = shown[len(shown)-1:]
	} else if over := len(shown) - bodyRows; over > spareRows {
		shown = shown[over:]
	}
	left := call.Made - len(shown)
	for i := range shown {
		s := &shown[i]
		row := v.subSign(s) + " " + v.st.Text.Render(term.Line(s.View.Name))
		if subject := clip(s.View.Subject, c.w); subject != "" {
			row += indent + v.st.Muted.Render(c.mark(subject))
		}
		end := v.st.Faint.Render(format.Duration(s.Took))
		if !s.Ended {
			end = v.st.Muted.Render(format.Duration(v.since(s.Started)))
		}
		if folded {
			row = v.st.Muted.Render(format.Count(call.Made, "call", "calls")) + indent + row
		} else if i == 0 && left > 0 {
			c.hint(format.Count(left, "earlier call", "earlier calls"))
		}
		if !s.Ended && call.Stage == event.CallRunning {
			c.move()
		}
		c.add(rows.Between(indent+row, end, c.w))
	}
}

// subSign is the glyph of how a call made on behalf of another one stands.
func (v *View) subSign(s *event.SubCall) string {
	switch {
	case !s.Ended:
		return v.st.Accent.Render(status.Spinner(v.frame))
	case s.Outcome == event.OutcomeOK:
		return v.st.Good.Render("✓")
	case s.Outcome == event.OutcomeDenied:
		return v.st.Warn.Render("⊘")
	}
	return v.st.Bad.Render("✗")
}
