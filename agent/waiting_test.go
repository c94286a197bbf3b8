package agent_test

import (
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestWaitingIsNotRunning: the time in which a call waits for an answer is no part of
// how long it ran, neither while it runs nor afterwards.
func TestWaitingIsNotRunning(t *testing.T) {
	clock := newClock()
	r := newRig(t, rounds(
		steps(call("clarify", map[string]any{"question": "left or right?"})),
		steps(script.Text{Text: "done"}),
	), clock.by)
	r.submit("go")
	q := r.request()
	clock.pass(time.Hour)
	r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "left"})
	r.idle(1)
	c := r.state.Root().Call(firstCall(r.state)).Call
	if c.Took >= time.Minute || c.Stage != event.CallEnded {
		t.Errorf("it ran for %s", c.Took)
	}
	if got := r.revive().State.Root().Call(c.ID).Call; got.Took != c.Took || got.Held != c.Held || c.Held < time.Hour {
		t.Errorf("the journal has %s and %s held, live it was %s and %s", got.Took, got.Held, c.Took, c.Held)
	}
}
