package delegate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// inWorld runs a test with a registry of its own and checks what is left of it.
func inWorld(t *testing.T, l Limits, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(l, 1)
		test(t, w)
		try(t, w.close(), nil)
	})
}

// must spawns a subagent that is not refused.
func (w *world) must(t *testing.T, name, under string, alter ...func(*Spec, *hand)) *hand {
	t.Helper()
	h, err := w.spawn(name, under, alter...)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return h
}

// TestClose closes a registry with everything in it.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(limits(), 1)
		for _, line := range []string{"spawn a orch", "spawn b a", "spawn c", "spawn d", "spawn e bg", "pause c"} {
			try(t, w.play(line), nil)
			synctest.Wait()
		}
		a, d := w.hand("a").m, w.hand("d").m
		w.r.Close()
		if rep := d.Wait(); a.Wait().State != event.AgentInterrupted || rep.State != event.AgentInterrupted || rep.Error != string(TopEnded) {
			t.Errorf("%+v", rep)
		}
		try(t, w.close(), nil)
		n := len(w.log)
		_, err := w.spawn("f", "")
		if r, refused := errors.AsType[*Refused](err); !refused || r.Why != "the session is being closed" {
			t.Error(err)
		}
		try(t, w.play("pause root"), nil)
		try(t, w.play("resume root"), nil)
		if w.r.Close(); len(w.log) != n {
			t.Error("something was recorded after the end")
		}
	})
}

// TestKeeps finds the newest ended subagents by their ids, and no others.
func TestKeeps(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		var first, second *hand
		for i := range keep + 1 {
			h := w.must(t, fmt.Sprint(i), "")
			h.ends("completed")
			h.m.Wait()
			switch i {
			case 0:
				first = h
			case 1:
				second = h
			}
		}
		synctest.Wait()
		if w.r.Member(first.m.id) != nil || w.r.Member(second.m.id) != second.m {
			t.Error("not the newest are kept")
		}
		try(t, w.r.Kill(first.m.id, api.Self), ErrUnknown)
		try(t, w.r.Pause(second.m.id, api.Subtree), ErrEnded)
	})
}

// TestCaps uses up what a tree may have.
func TestCaps(t *testing.T) {
	l := limits()
	l.TreeIterations, l.TreeCost = 10, 3*event.Dollar/2
	inWorld(t, l, func(t *testing.T, w *world) {
		a, b := w.must(t, "a", "", background), w.must(t, "b", "", orchestrator)
		a.m.Spend(4, event.Dollar)
		b.m.Spend(5, 0)
		if why, yes := b.m.Exhausted(); yes {
			t.Error(why)
		}
		w.r.Root().Spend(1, 0)
		why, yes := a.m.Exhausted()
		if want := "the 10 model calls that a turn and its subagents may make together are used up"; !yes || why != want {
			t.Errorf("%v: %s", yes, why)
		}
		_, err := w.spawn("c", "b")
		if r, refused := errors.AsType[*Refused](err); !refused || r.Why != why {
			t.Error(err)
		}
		w.begin("t_2")
		d := w.must(t, "d", "")
		if _, yes := d.m.Exhausted(); yes || d.m.Tree() != "t_2" || b.m.Tree() != "t_1" {
			t.Errorf("%v in %s after %s", yes, d.m.Tree(), b.m.Tree())
		}
		d.m.Spend(1, 3*event.Dollar/2)
		if why, _ := w.r.Root().Exhausted(); why != "the $1.50 that a turn and its subagents may cost together are used up" {
			t.Error(why)
		}
	})
}

// TestSpawned looks at what is recorded of a subagent, and at what it is told.
func TestSpawned(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		full := func(s *Spec, _ *hand) {
			s.Role, s.Index, s.Model, s.Toolsets = event.RoleOrchestrator, 2, "m", []string{"file"}
		}
		a := w.must(t, "a", "", full)
		b := w.must(t, "b", "a", full)
		c := w.must(t, "c", "b", full)
		e := w.log[len(w.log)-3].(*event.AgentSpawned)
		if e.Agent != c.m.ID() || e.Session != c.m.Session() || e.Session == b.m.Session() || e.Parent != b.m.ID() || e.Parent != c.m.Parent() ||
			e.Tree != "t_1" || e.Call != "call_1" || e.Index != 2 || e.Depth != 3 || c.m.Depth() != 3 || e.Role != event.RoleLeaf ||
			e.Goal != "c" || e.Model != "m" || e.Toolsets[0] != "file" || e.Budget != 50 || c.m.Budget() != 50 || e.Background {
			t.Errorf("%+v", e)
		}
		if b.m.Spec().Role != event.RoleOrchestrator || c.m.Spec().Role != event.RoleLeaf || a.m.Parent() != rootID {
			t.Errorf("%s, %s", b.m.Spec().Role, c.m.Spec().Role)
		}
		text := strings.Repeat("ä", 2500)
		c.do <- func(context.Context) (Report, bool) {
			return Report{State: event.AgentCompleted, Summary: text, Error: text[:4000]}, true
		}
		rep := c.m.Wait()
		if got := w.named("c"); rep.Summary != text || rep.Model != "m" || got.Summary != text[:3998]+"…" || got.Error != text[:4000] {
			t.Errorf("%d, %d, %d bytes", len(rep.Summary), len(got.Summary), len(got.Error))
		}
		c.m.Kill() // which changes nothing
		if c.m.Wait().State != event.AgentCompleted {
			t.Error("it was killed after its end")
		}
	})
}

// TestDepth refuses what is deeper than agents may nest.
func TestDepth(t *testing.T) {
	l := limits()
	l.Depth, l.Background = 0, 0
	inWorld(t, l, func(t *testing.T, w *world) {
		_, err := w.spawn("a", "")
		if _, refused := errors.AsType[*Refused](err); !refused || !strings.Contains(err.Error(), "max_spawn_depth") {
			t.Error(err)
		}
		w.r.o.Limits.Depth = 1
		_, err = w.spawn("b", "", background)
		if _, refused := errors.AsType[*Refused](err); !refused || !strings.Contains(err.Error(), "max_async_children") {
			t.Error(err)
		}
	})
}

// TestCauses looks at why contexts end.
func TestCauses(t *testing.T) {
	for line, want := range map[string]Why{"kill a": Killed, "killall a": Killed, "killall root": Killed, "wait 70s": NoSign, "completed b": TopEnded} {
		t.Run(line, func(t *testing.T) {
			inWorld(t, limits(), func(t *testing.T, w *world) {
				w.must(t, "b", "", orchestrator).m.Tool()
				free := func(s *Spec, h *hand) { s.Parent = w.hand("b").m.id }
				a := w.must(t, "a", "", free) // depends on nothing of b's
				try(t, w.play(line), nil)
				<-a.m.Done()
				b, is := errors.AsType[*blame](context.Cause(a.m.ctx))
				if !is || b.why != want {
					t.Errorf("%v", context.Cause(a.m.ctx))
				}
			})
		})
	}
}

// TestSessions makes new ids for sessions whose ids are taken.
func TestSessions(t *testing.T) {
	inWorld(t, limits(), func(t *testing.T, w *world) {
		w.r.o.IDs.Random = &clumsy{}
		a, b := w.must(t, "a", ""), w.must(t, "b", "")
		if a.m.Session() == b.m.Session() {
			t.Error("two have the same session")
		}
	})
}

// clumsy often says the same.
type clumsy struct{ n int }

func (c *clumsy) Read(p []byte) (int, error) {
	c.n++
	clear(p)
	p[0] = byte(c.n)
	if len(p) == 3 { // a session
		p[0] = byte(c.n / 5)
	}
	return len(p), nil
}

func TestSpoken(t *testing.T) {
	for d, want := range map[time.Duration]string{450 * time.Second: "7m30s", 20 * time.Minute: "20m", time.Hour: "1h", 3660 * time.Second: "1h1m", 10 * time.Second: "10s"} {
		if got := spoken(d); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestRests looks for goroutines when all subagents have ended, without closing.
func TestRests(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	r := idle(limits(), func(ctx context.Context, m *Member) Report {
		defer m.Tool()()
		return Report{State: event.AgentCompleted, Error: fmt.Sprint(m.Checkpoint(ctx))}
	})
	for range 50 {
		m, err := r.Spawn(context.Background(), Spec{Parent: rootID, Goal: "g"})
		try(t, err, nil)
		defer m.Wait()
	}
}

// idle is a registry whose store takes everything.
func idle(l Limits, run func(context.Context, *Member) Report) *Registry {
	return New(Options{
		Root: rootID, IDs: event.SystemSource(), Limits: l, Run: run,
		Record: func(*Member, ...event.Event) func() error { return func() error { return nil } },
		Cause:  func(y Why) error { return &blame{y} },
	})
}
