package format

import "hermes-tui/agent/event"

// Needs says what an agent that waits needs from the user. on is a kind of request, or
// empty. The second result is false if on names something else.
func Needs(on string) (words string, user bool) {
	switch event.RequestKind(on) {
	case "", "answer", event.RequestClarify:
		return "needs your answer", true
	case event.RequestApproval:
		return "needs your approval", true
	case event.RequestTrust:
		return "needs your trust", true
	case event.RequestSecret:
		return "needs your password", true
	}
	return "", false
}
