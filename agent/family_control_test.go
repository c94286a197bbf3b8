package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/api"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
)

// appears waits until a file of the workspace holds a line.
func (r *rig) appears(name, line string) {
	r.t.Helper()
	r.await(name+" has "+line, func() bool { return slices.Contains(r.lines(name), line) })
}

// lines are those of a file of the workspace, none if there is no such file.
func (r *rig) lines(name string) []string {
	text, err := os.ReadFile(filepath.Join(r.work, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Error(err)
	}
	return strings.Fields(string(text))
}

func (r *rig) id(goal string) event.AgentID {
	r.t.Helper()
	r.until("there is "+goal, func(*event.State) bool { return r.child(goal) != nil })
	return r.child(goal).ID
}

// TestPause holds a subagent before its next request and before its next call:
// the server hears nothing meanwhile, a sibling goes on, and nothing is lost.
func TestPause(t *testing.T) {
	t.Run("before a request", func(t *testing.T) {
		r, u := newCast(t, limits(), cast{
			"":     {calls(hands("held", "free")), says("All in.")},
			"held": {calls(runs(untilFile("go1"))), says("held is done")},
			"free": {calls(runs(untilFile("go2"))), says("free is done")},
		})
		r.submit("go")
		r.appears("started", "go1")
		r.check(r.conv.Pause(r.id("held"), api.Self))
		r.childIs("held", event.AgentPausing)
		write(t, r.work, "go1", "")
		r.childIs("held", event.AgentPaused)
		sent := u.count("held")
		write(t, r.work, "go2", "")
		r.childIs("free", event.AgentCompleted)
		if n := u.count("held"); n != 1 || sent != 1 {
			t.Errorf("%d requests while it is paused, %d before", n, sent)
		}
		r.check(r.conv.Resume(r.id("held"), api.Self))
		r.idle(1)
		if o := r.result(); o.Results[0].Summary != "held is done" || o.Results[1].Summary != "free is done" {
			t.Errorf("%+v", o)
		}
		r.sound(u)
	})
	t.Run("before a call", func(t *testing.T) {
		gate := make(chan struct{})
		r, u := newCast(t, limits(), cast{
			"": {calls(hands("held")), says("All in.")},
			"held": {func(a *ask) {
				a.stream(textEvent("I write. "))
				a.holds(gate)
				a.put("data: ", shellEvent(0, "w", "echo ran >> proof"), "\n\ndata: ", endEvent("tool_calls"), "\n\ndata: [DONE]\n\n")
			}, says("held is done")},
		})
		r.submit("go")
		r.until("it answers", func(*event.State) bool { a := r.child("held"); return a != nil && a.Phase == event.PhaseAnswering })
		r.check(r.conv.Pause(r.id("held"), api.Self))
		close(gate)
		a := r.childIs("held", event.AgentPaused)
		if len(r.lines("proof")) > 0 || u.count("held") != 1 {
			t.Errorf("it ran %q and sent %d requests while it is paused", r.lines("proof"), u.count("held"))
		}
		if b := a.Blocks[len(a.Blocks)-1]; b.Call == nil || b.Call.Stage != event.CallPlanned {
			t.Errorf("the call that waits is shown as %+v", b.Call)
		}
		r.check(r.conv.Resume(r.id("held"), api.Self))
		r.idle(1)
		if got := r.lines("proof"); !slices.Equal(got, []string{"ran"}) || r.result().Results[0].Status != "completed" {
			t.Errorf("it ran %q: %+v", got, r.result())
		}
		r.sound(u)
	})
	t.Run("a subtree, and killed", func(t *testing.T) {
		r, u := newCast(t, limits(), cast{
			"":     {calls(nests("boss")), says("All in.")},
			"boss": {calls(hands("leaf")), says("boss is done")},
			"leaf": {calls(runs(untilFile("go1"))), says("leaf is done")},
		})
		r.submit("go")
		r.appears("started", "go1")
		r.check(r.conv.Pause(r.id("boss"), api.Subtree))
		write(t, r.work, "go1", "")
		r.childIs("leaf", event.AgentPaused)
		if a := r.child("boss"); a.State != event.AgentPausing {
			t.Errorf("the one above is %s", a.State)
		}
		r.check(r.conv.Kill(r.id("boss"), api.Subtree))
		r.idle(1)
		if boss, leaf := r.child("boss"), r.child("leaf"); boss.State != event.AgentKilled || leaf.State != event.AgentKilled {
			t.Errorf("they are %s and %s", boss.State, leaf.State)
		}
		if n := u.count("leaf") + u.count("boss"); n != 2 {
			t.Errorf("%d requests", n)
		}
		if o := r.result(); o.Results[0].Status != "interrupted" || !strings.Contains(o.Results[0].Error, "user ended") {
			t.Errorf("%+v", o)
		}
		r.sound(u)
	})
	t.Run("the root", func(t *testing.T) {
		r, u := newCast(t, limits(), cast{"": {calls(runs(untilFile("go1"))), says("Done.")}})
		r.submit("go")
		r.appears("started", "go1")
		r.check(r.conv.Pause(r.conv.Root(), api.Self))
		write(t, r.work, "go1", "")
		r.until("it is paused", func(s *event.State) bool { return s.Root().State == event.AgentPaused })
		if n := u.count(""); n != 1 {
			t.Errorf("%d requests", n)
		}
		r.check(r.conv.Resume(r.conv.Root(), api.Self))
		r.idle(1)
		r.wants("answer Done.")
		r.sound(u)
	})
}

// TestKillQueued kills one that waits for its place; it never runs.
func TestKillQueued(t *testing.T) {
	l := limits()
	l.Concurrent = 1
	r, u := newCast(t, l, cast{
		"":    {calls(hands("one", "two")), says("All in.")},
		"one": {calls(runs(untilFile("go1"))), says("one is done")},
		"two": {says("two is done")},
	})
	r.submit("go")
	r.appears("started", "go1")
	r.childIs("two", event.AgentQueued)
	r.check(r.conv.Kill(r.id("two"), api.Self))
	r.childIs("two", event.AgentKilled)
	if err := r.conv.Kill(r.id("two"), api.Self); !errors.Is(err, delegate.ErrEnded) {
		t.Errorf("killed twice: %v", err)
	}
	write(t, r.work, "go1", "")
	r.idle(1)
	if u.count("two") != 0 || r.result().Results[0].Status != "completed" || r.result().Results[1].Status != "interrupted" {
		t.Errorf("%d requests, %+v", u.count("two"), r.result())
	}
	r.sound(u)
}

// TestFreeze forbids spawning: what is asked for is refused, said and recorded,
// also after a resume, until it is allowed again.
func TestFreeze(t *testing.T) {
	r, u := newCast(t, limits(), cast{
		"":    {says("Hello."), calls(hands("one")), says("Alone, then."), calls(hands("two")), says("All in.")},
		"two": {says("two is done")},
	})
	r.submit("hi")
	r.idle(1)
	r.check(r.conv.Freeze(true))
	r.until("frozen", func(s *event.State) bool { return s.Frozen })
	r.submit("go")
	r.idle(2)
	if o := r.result(); o.Results[0].Status != "error" || !strings.Contains(o.Results[0].Error, "the user has stopped") {
		t.Errorf("%+v", o)
	}
	if a := r.child("one"); a.State != event.AgentRefused || a.Error == "" || a.Session != "" || u.count("one") != 0 {
		t.Errorf("%+v", a)
	}
	r.sound(u)
	r.again(r.family(limits()), withMode(event.ModeOff), at(t, u.url))
	if !r.state.Frozen {
		t.Error("a resumed conversation is not frozen")
	}
	r.check(r.conv.Freeze(false))
	r.submit("again")
	r.idle(3)
	if a := r.child("two"); a == nil || a.State != event.AgentCompleted {
		t.Errorf("%+v", a)
	}
	r.sound(u)
}
