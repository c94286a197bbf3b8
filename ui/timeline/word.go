package timeline

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// Word says in a few words how an agent stands, on what it waits included. The
// second result reports whether it waits for the user.
func Word(s event.AgentState, on string) (word string, person bool) {
	on = strings.TrimSpace(term.Line(on))
	switch s {
	case event.AgentWaiting:
		if word, person = format.Needs(on); !person {
			word = "waits for " + on
		}
		return word, person
	case event.AgentRunning:
		return "running", false
	case event.AgentStopping:
		if on != "" {
			return "stopping: " + on, false
		}
	case event.AgentTimeout:
		return "timed out", false
	case "":
		return "unknown", false
	}
	return strings.TrimSpace(term.Line(string(s))), false
}

// tokens counts all that went to the model and came back.
func tokens(u event.Usage) int64 { return u.Prompt() + u.Output }

// join puts the parts that are not empty behind each other.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(p)
	}
	return b.String()
}
