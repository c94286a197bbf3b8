package agent_test

import (
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// TestBackground starts a subagent that no one waits for: the turn goes on and ends
// without it, interrupting the turn leaves it alone, and its report is an input of
// its own that is marked as not the user's.
func TestBackground(t *testing.T) {
	r, u := newCast(t, limits(), cast{
		"":      {calls(behind("later")), calls(runs("echo x >> started; sleep 600")), func(a *ask) { a.say("heard: " + a.last("user")) }},
		"later": {calls(runs(untilFile("go1"))), says("later is done")},
	})
	r.submit("go")
	r.appears("started", "go1")
	r.appears("started", "x")
	r.conv.Interrupt(r.conv.Root(), api.Self)
	r.idle(1)
	if a := r.child("later"); a.State != event.AgentRunning || !a.Background || !r.conv.Working() {
		t.Errorf("%+v", a)
	}
	write(t, r.work, "go1", "")
	r.idle(2)
	b := r.state.Root().Blocks
	i := slices.IndexFunc(b, func(x *event.Block) bool { return x.Kind == event.BlockUser && x.Origin == event.OriginAgent })
	if i < 0 || !strings.Contains(b[i].Text.String(), "[ASYNC DELEGATION COMPLETE — deleg_") || !strings.Contains(b[i].Text.String(), "│ later is done") {
		t.Errorf("%s", r.dump())
	}
	r.wants("later is done", "answer heard:")
	if a := r.child("later"); a.State != event.AgentCompleted {
		t.Errorf("%+v", a)
	}
	r.sound(u)
}

// TestBackgroundLimit asks for one more than there may be, and interrupts all.
func TestBackgroundLimit(t *testing.T) {
	l := limits()
	l.Concurrent = 1
	c := cast{
		"": {calls(behind("b1")), calls(behind("b2")), calls(behind("b3")), calls(hands("f1")), says("So it is.")},
	}
	for _, g := range []string{"b1", "b2", "f1"} {
		c[g] = []func(*ask){calls(runs(untilFile("go-" + g))), says(g + " is done")}
	}
	r, u := newCast(t, l, c)
	r.submit("go")
	for _, g := range []string{"b1", "b2", "f1"} { // those behind take no place
		r.appears("started", "go-"+g)
	}
	if a := r.child("b3"); a.State != event.AgentRefused {
		t.Errorf("%+v", a)
	}
	list := r.state.Root().Blocks
	if i := slices.IndexFunc(list, func(b *event.Block) bool { return b.Call != nil && b.Call.Outcome == event.OutcomeFailed }); i < 0 || !strings.Contains(list[i].Call.View.Summary, "max_async_children") {
		t.Errorf("%s", r.dump())
	}
	r.conv.Interrupt(r.conv.Root(), api.Subtree)
	r.childIs("f1", event.AgentInterrupted)
	r.childIs("b1", event.AgentKilled)
	r.childIs("b2", event.AgentKilled)
	r.conv.Flush()
	r.until("both have reported", func(s *event.State) bool {
		n := 0
		for _, b := range s.Root().Blocks {
			if b.Kind == event.BlockUser && b.Origin == event.OriginAgent {
				n++
			}
		}
		return n == 2 && s.Root().Turn == ""
	})
	r.sound(u)
}
