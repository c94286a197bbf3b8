package agents

import (
	"strconv"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// Glyph is the sign of a state and its style, at a frame of the animation. No two
// states share a sign.
func Glyph(st *rows.Styles, s event.AgentState, frame int) (string, rows.Style) {
	switch s {
	case event.AgentQueued:
		return "○", st.Muted
	case event.AgentRunning:
		return status.Spinner(frame), st.Accent
	case event.AgentWaiting:
		return "◆", st.Warn
	case event.AgentPausing:
		return "‖", st.Info
	case event.AgentPaused:
		return "⏸", st.Info
	case event.AgentStopping:
		return "□", st.Warn
	case event.AgentCompleted:
		return "✓", st.Good
	case event.AgentFailed:
		return "✗", st.Bad
	case event.AgentKilled:
		return "■", st.Bad
	case event.AgentTimeout:
		return "⌛", st.Bad
	case event.AgentInterrupted:
		return "◧", st.Warn
	case event.AgentRefused:
		return "⊘", st.Warn
	}
	return "●", st.Muted
}

// waitsFor says what an agent waits for, from the words of its state.
func waitsFor(on string) string {
	if words, user := format.Needs(on); user {
		return words
	}
	return "waits for " + clip(on)
}

// word says what keeps an agent from working, empty when nothing does: long, and
// as short as possible.
func word(s event.AgentState, on string) (long, short string) {
	switch s {
	case event.AgentQueued:
		return "queued", "queued"
	case event.AgentWaiting:
		return waitsFor(on), "waits"
	case event.AgentPausing:
		return "pausing", "pausing"
	case event.AgentPaused:
		return "paused", "paused"
	case event.AgentStopping:
		return "stopping", "stopping"
	case event.AgentRefused:
		return "refused", "refused"
	}
	return "", ""
}

// countTools writes a number of calls that ended: "8t".
func countTools(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n) + "t"
}

// countTokens writes a number of tokens, empty for none.
func countTokens(n int64) string {
	if n <= 0 {
		return ""
	}
	return format.Tokens(n)
}
