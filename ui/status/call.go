package status

import (
	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// Call is how a tool call stands, as every region shows it.
type Call struct {
	Stage   event.CallStage
	Outcome event.Outcome // of one that has ended
	Asked   bool          // it waits for an answer of the user
}

// Sign is the glyph of a call, its style, and the word that says how it stands, empty
// where figures say more.
func (c Call) Sign(st *rows.Styles, frame int) (glyph string, style rows.Style, word string) {
	switch {
	case c.Asked && c.Stage != event.CallEnded:
		return "◆", st.Warn, "needs your answer"
	case c.Stage == event.CallDrafting:
		return "◌", st.Faint, ""
	case c.Stage == event.CallRunning:
		return Spinner(frame), st.Accent, ""
	case c.Stage != event.CallEnded:
		return "○", st.Faint, ""
	}
	switch c.Outcome {
	case event.OutcomeOK:
		return "●", st.Good, "✓"
	case event.OutcomeFailed:
		return "●", st.Bad, "✗"
	case event.OutcomeDenied:
		return "⊘", st.Warn, "denied"
	case event.OutcomeCancelled:
		return "■", st.Muted, "cancelled"
	case event.OutcomeSkipped:
		return "–", st.Faint, "skipped"
	}
	return "?", st.Warn, "may have run"
}

// Level is the glyph of a notice, and its style.
func Level(st *rows.Styles, l event.Level) (glyph string, style rows.Style) {
	switch l {
	case event.LevelWarn:
		return "⚠", st.Warn
	case event.LevelError:
		return "✗", st.Bad
	}
	return "·", st.Info
}
