package agent_test

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestAnswerTooLarge says what an answer was that has a line of more than 16 MB.
func TestAnswerTooLarge(t *testing.T) {
	u := serveUnruly(t, func(a *ask) {
		a.open()
		a.put(`data: {"choices":[{"index":0,"delta":{"content":"`)
		for range 17 {
			a.put(strings.Repeat("x", 1<<20))
		}
	})
	r := newRig(t, &script.Scenario{Name: "unused"}, patient(3), at(t, u.url))
	r.submit("go")
	r.idle(1)
	if end := r.last(); end.Outcome != event.TurnFailed || !strings.Contains(end.Explain, "too large to be read") || !strings.Contains(end.Explain, "several parts") {
		t.Errorf("%+v", end)
	}
	if n := u.requests(t); n != 1 {
		t.Errorf("%d requests", n)
	}
}
