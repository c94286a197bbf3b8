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

// TestVainShortening ends a turn whose history does not get shorter, by what the service counts,
// with the figures; what it was asked for does not go on for ever.
func TestVainShortening(t *testing.T) {
	u := serveUnruly(t, func(a *ask) {
		if !strings.Contains(string(a.raw), `"tools":`) { // a summary, or a title
			a.say("Files were read.")
			return
		}
		a.stream(callEvent(0, "", "terminal", `{"command":"seq 1000 3400"}`), endEvent("tool_calls"),
			`{"choices":[],"usage":{"prompt_tokens":15500,"completion_tokens":20,"total_tokens":15520}}`, "[DONE]")
	})
	r := newRig(t, &script.Scenario{Name: "unused"}, patient(3), withMode(event.ModeOff), at(t, u.url), compressing(16_000))
	r.submit("go")
	r.idle(1)
	if end := r.last(); end.Outcome != event.TurnFailed || !strings.Contains(end.Explain, "16,000") {
		t.Errorf("%+v", end)
	}
	if n := u.requests(t); n > 20 {
		t.Errorf("%d requests", n)
	}
}
