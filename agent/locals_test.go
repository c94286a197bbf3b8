package agent_test

import (
	"context"
	"errors"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// nearby gives conversations a model of this machine that they share.
func nearby(l *agent.Locals) option {
	return func(c *agent.Config) { c.Runtime.Local, c.Look.Locals = true, l }
}

// begun waits until so many looks back have reached the model, after so many turns.
func (r *rig) begun(n, turns int) {
	r.t.Helper()
	r.until("the look back", func(s *event.State) bool { return s.Looking != nil })
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if _, err := r.server.WaitRequests(ctx, n+turns); err != nil || r.lookedBack() != n {
		r.t.Fatalf("%d looks back, %v", r.lookedBack(), err)
	}
}

// TestReviewMakesWay: a look back with a local model ends when a turn needs that, in its own
// conversation and in another one, and is due again after the next turn.
func TestReviewMakesWay(t *testing.T) {
	locals := &agent.Locals{}
	r := newRig(t, looking(script.Stall{}), keeping, nearby(locals))
	other := newRig(t, looking(), nearby(locals))
	r.submit("one")
	r.idle(1)
	r.submit("two")
	r.idle(2)
	r.begun(1, 2)
	r.submit("three") // it is not the second turn since
	r.idle(3)
	r.begun(2, 3)
	other.submit("one")
	other.idle(1)
	r.until("the end of it", func(s *event.State) bool { return s.Looking == nil })
	r.submit("four")
	r.idle(4)
	r.begun(3, 4)
	for _, b := range r.state.Root().Blocks {
		if b.Kind == event.BlockNotice {
			t.Errorf("a notice says %q", b.Text.String())
		}
	}
}

// TestReviewWaits: no look back begins while an agent of another conversation uses a local
// model.
func TestReviewWaits(t *testing.T) {
	locals := &agent.Locals{}
	r := newRig(t, looking(), nearby(locals), func(c *agent.Config) { keeping(c); c.Look.Locals, c.Look.Auto = locals, false })
	r.submit("one")
	r.idle(1)
	other := newRig(t, say(script.Stall{}), nearby(locals))
	other.submit("hold the model")
	if _, err := other.server.WaitRequests(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := r.conv.Refine(t.Context(), ""); !errors.Is(err, agent.ErrBusy) {
		t.Errorf("it ended with %v", err)
	}
	if n := r.lookedBack(); n != 0 {
		t.Errorf("%d requests", n)
	}
	other.conv.Interrupt(other.conv.Root(), api.Self)
	other.idle(1)
	if _, err := r.conv.Refine(t.Context(), ""); err != nil {
		t.Error(err)
	}
}
