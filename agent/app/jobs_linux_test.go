package app

import (
	"strings"
	"syscall"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestStillRunning leaves something running, closes the session and resumes it: it goes on, the
// session says so, and ends it.
func TestStillRunning(t *testing.T) {
	s := &script.Scenario{Rules: when("serve", script.Call{Name: "terminal", Args: `{"command":"setsid sleep 600 >/dev/null 2>&1 & sleep 0.1"}`})}
	b, _ := awareBox(t, s)
	b.flags["approvals.mode"] = "off"
	a, conv := b.begin()
	say(t, conv, "serve")
	state := conv.State()
	stays := func() bool {
		return len(state.Jobs) == 1 && state.Jobs[0].Stays && state.Jobs[0].State == event.JobDetached
	}
	until(t, conv, state, "it is listed", stays)
	job := state.Jobs[0]
	if conv.Working() {
		t.Error("it counts as work")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(job.PID, 0); err != nil {
		t.Fatalf("it did not go on: %v", err)
	}
	_, again := b.resume()
	state = again.State()
	until(t, again, state, "it is named", func() bool {
		return stays() && strings.Contains(notices(again), "Still running from before: setsid sleep 600")
	})
	if err := again.KillJob(t.Context(), job.ID); err != nil {
		t.Fatal(err)
	}
	until(t, again, state, "it has ended", func() bool { return len(state.Jobs) == 1 && state.Jobs[0].State == event.JobKilled })
}
