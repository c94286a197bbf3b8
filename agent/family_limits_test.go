package agent_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

// TestPlaces has more tasks than places: they start in their order, never more at
// a time than there are places, and every report is at its place.
func TestPlaces(t *testing.T) {
	l := limits()
	l.Concurrent = 2
	c := cast{"": {calls(hands("t0", "t1", "t2", "t3", "t4")), says("All in.")}}
	for _, g := range []string{"t0", "t1", "t2", "t3", "t4"} {
		c[g] = []func(*ask){calls(runs(untilFile("go-" + g))), says(g + " is done")}
	}
	r, u := newCast(t, l, c)
	r.submit("go")
	for _, g := range []string{"t1", "t0", "t3", "t2", "t4"} {
		r.appears("started", "go-"+g)
		write(t, r.work, "go-"+g, "")
		r.childIs(g, event.AgentCompleted)
	}
	r.idle(1)
	var began []string
	at, most := 0, 0
	for _, e := range r.log {
		switch e := e.(type) {
		case *event.AgentStateChanged:
			if e.State == event.AgentRunning {
				began = append(began, r.state.Agent(e.Agent).Goal)
				at++
				most = max(most, at)
			}
		case *event.AgentFinished:
			at--
		}
	}
	if !slices.Equal(began, []string{"t0", "t1", "t2", "t3", "t4"}) || most != 2 {
		t.Errorf("began %q, %d at a time", began, most)
	}
	for i, x := range r.result().Results {
		if want := "t" + string(rune('0'+i)) + " is done"; x.Index != i || x.Summary != want {
			t.Errorf("report %d is %+v", i, x)
		}
	}
	if took := r.child("t4").Elapsed(time.Now()); took > r.child("t4").Ended.Sub(r.child("t4").Started) {
		t.Errorf("the time in the queue counts: %s", took)
	}
	r.sound(u)
}

// offered are the tools that the first request of an agent offers.
func (u *unruly) offered(t *testing.T, goal string) []string {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, raw := range u.bodies {
		var b struct {
			Tools []struct{ Function struct{ Name string } }
		}
		a := &ask{}
		if json.Unmarshal(raw, &a.sent) != nil || json.Unmarshal(raw, &b) != nil || a.goal() != goal {
			continue
		}
		var names []string
		for _, x := range b.Tools {
			names = append(names, x.Function.Name)
		}
		return names
	}
	t.Errorf("%q sent no request", goal)
	return nil
}

// TestNesting has an orchestrator hand work on: as deep as the settings allow and
// not deeper, and its own result reaches the root.
func TestNesting(t *testing.T) {
	for name, c := range map[string]struct {
		depth         int
		orchestrators bool
		nests         bool
	}{"two levels": {2, true, true}, "one level": {1, true, false}, "no orchestrators": {2, false, false}} {
		t.Run(name, func(t *testing.T) {
			l := limits()
			l.Depth, l.Orchestrators = c.depth, c.orchestrators
			r, u := newCast(t, l, cast{
				"":     {calls(nests("boss")), says("All in.")},
				"boss": {calls(nests("leaf")), func(a *ask) { a.say("boss got " + a.last("tool")) }},
				"leaf": {calls(hands("too deep")), func(a *ask) { a.say("leaf got " + a.last("tool")) }},
			})
			r.submit("go")
			r.idle(1)
			if got := slices.Contains(u.offered(t, "boss"), "delegate_task"); got != c.nests {
				t.Errorf("the subagent is offered delegate_task: %v", got)
			}
			boss, leaf := r.child("boss"), r.child("leaf")
			if (boss.Role == event.RoleOrchestrator) != c.nests || (leaf != nil) != c.nests || boss.State != event.AgentCompleted {
				t.Fatalf("%+v", boss)
			}
			if c.nests {
				inner := r.outcomes(boss.Session)
				if leaf.Depth != 2 || leaf.Parent != boss.ID || leaf.Tree != boss.Tree || leaf.Role != event.RoleLeaf || len(inner) != 1 || inner[0].Results[0].Status != "completed" {
					t.Errorf("%+v, %+v", leaf, inner)
				}
				if slices.Contains(u.offered(t, "leaf"), "delegate_task") || r.child("too deep") != nil {
					t.Error("it nests deeper than it may")
				}
				row, err := r.db.Session(t.Context(), string(leaf.Session))
				if err != nil || row.Parent != string(boss.Session) {
					t.Errorf("%+v %v", row, err)
				}
			}
			if o := r.result(); !strings.HasPrefix(o.Results[0].Summary, "boss got") {
				t.Errorf("%+v", o)
			}
			r.sound(u)
		})
	}
}

// handClock is a clock whose hands a test moves.
type handClock struct {
	mu    sync.Mutex
	now   time.Time
	waits []handWait
}

type handWait struct {
	at  time.Time
	end chan time.Time
}

func newClock() *handClock { return &handClock{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)} }

// read is the time; every reading takes some, so that no two are the same.
func (c *handClock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Microsecond)
	return c.now
}

func (c *handClock) after(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := handWait{c.now.Add(d), make(chan time.Time, 1)}
	c.waits = append(c.waits, w)
	return w.end
}

// pass lets time pass.
func (c *handClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.waits = slices.DeleteFunc(c.waits, func(w handWait) bool {
		if w.at.After(c.now) {
			return false
		}
		w.end <- c.now
		return true
	})
}

// by lets a conversation live by that clock.
func (c *handClock) by(cfg *agent.Config) { cfg.IDs.Clock, cfg.After = c.read, c.after }

// TestTimeLimits ends a subagent that works too long, or shows no sign of progress;
// time in which it is paused or waits for the user does not count.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	timed := func(timeout, idle, tool time.Duration) delegate.Limits {
		l := limits()
		l.Timeout, l.Idle, l.InTool = timeout, idle, tool
		return l
	}
	stalls := func(a *ask) { a.stream(textEvent("one moment")); a.stall() }
	for name, c := range map[string]struct {
		limits delegate.Limits
		slow   func(*ask)
		pass   time.Duration
		say    string
	}{
		"worked too long":     {timed(10*time.Minute, 0, 0), calls(runs("sleep 600")), 10 * time.Minute, "longer than a subagent may, which is 10m"},
		"no sign in a tool":   {timed(0, 450*time.Second, 20*time.Minute), calls(runs("sleep 600")), 21 * time.Minute, "no sign of progress for 20m"},
		"no sign in a stream": {timed(0, 450*time.Second, 20*time.Minute), stalls, 8 * time.Minute, "no sign of progress for 7m30s"},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			r, u := newCast(t, c.limits, cast{"": {calls(hands("slow", "quick")), says("All in.")}, "slow": {c.slow}, "quick": {says("quick is done")}}, clock.by)
			r.submit("go")
			r.until("it is slow", func(*event.State) bool {
				a := r.child("slow")
				return a != nil && (len(a.Running) > 0 || a.Phase == event.PhaseAnswering)
			})
			r.childIs("quick", event.AgentCompleted)
			r.check(r.conv.Pause(r.id("slow"), api.Self)) // which it comes to only behind what is slow
			r.check(r.conv.Resume(r.id("slow"), api.Self))
			r.await("it is timed out", func() bool {
				clock.pass(c.pass / 20)
				return r.child("slow").State == event.AgentTimeout
			})
			r.idle(1)
			o := r.result()
			if x := o.Results[0]; x.Status != "timeout" || x.Exit != "timeout" || !strings.Contains(x.Error, c.say) || o.Results[1].Status != "completed" {
				t.Errorf("%+v", o)
			}
			if took := r.child("slow").Elapsed(clock.read()); took < c.pass*9/10 {
				t.Errorf("it ended after %s, before %s", took, c.pass)
			}
			r.sound(u)
		})
	}
	t.Run("time that does not count", func(t *testing.T) {
		clock := newClock()
		r, u := newCast(t, timed(10*time.Minute, 450*time.Second, 20*time.Minute), cast{
			"":    {calls(hands("one")), says("All in.")},
			"one": {calls(runs(untilFile("go1"))), calls(wire{"clarify", map[string]any{"question": "left or right?"}}), says("one is done")},
		}, clock.by)
		r.submit("go")
		r.appears("started", "go1")
		r.check(r.conv.Pause(r.id("one"), api.Self))
		write(t, r.work, "go1", "")
		r.childIs("one", event.AgentPaused)
		idle := func() {
			for range 100 {
				clock.pass(time.Minute)
			}
		}
		idle()
		r.check(r.conv.Resume(r.id("one"), api.Self))
		q := r.request()
		r.childIs("one", event.AgentWaiting)
		idle()
		r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "left"})
		r.idle(1)
		if a := r.child("one"); a.State != event.AgentCompleted || a.Elapsed(clock.read()) > 10*time.Minute {
			t.Errorf("%s after %s: %s", a.State, a.Elapsed(clock.read()), a.Error)
		}
		r.sound(u)
	})
}

// billed is an answer that says what it took.
func billed(f func(*ask)) func(*ask) {
	return func(a *ask) {
		a.stream(`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)
		f(a)
	}
}

// TestTreeLimits uses up what a turn and its subagents may use together: the
// subagent and then the root say what they have, and the next turn begins again.
func TestTreeLimits(t *testing.T) {
	half := func(c *agent.Config) {
		c.Runtime.Price = func(providers.Usage) event.Bill {
			return event.Bill{Cost: event.Dollar / 2, Status: event.CostEstimated}
		}
	}
	for name, c := range map[string]struct {
		alter func(*delegate.Limits)
		opt   option
		say   string
	}{
		"calls": {func(l *delegate.Limits) { l.TreeIterations = 3 }, func(*agent.Config) {}, "the 3 model calls that a turn and its subagents may make together"},
		"money": {func(l *delegate.Limits) { l.TreeCost = event.Dollar * 3 / 2 }, half, "the $1.50 that a turn and its subagents may cost together"},
	} {
		t.Run(name, func(t *testing.T) {
			l := limits()
			c.alter(&l)
			r, u := newCast(t, l, cast{
				"":    {billed(calls(hands("one"))), billed(says("As far as it went.")), billed(says("Hello again."))},
				"one": {billed(calls(runs("echo 1 >> proof"))), billed(calls(runs("echo 2 >> proof"))), billed(says("got two"))},
			}, c.opt)
			r.submit("go")
			r.idle(1)
			if f := r.last(); f.Outcome != event.TurnExhausted || !strings.Contains(strings.ToLower(f.Explain), c.say) {
				t.Errorf("the turn ended %+v", f)
			}
			x := r.result().Results[0]
			if x.Status != "completed" || x.Exit != "max_iterations" || !strings.Contains(strings.ToLower(x.Error), c.say) || x.Summary != "got two" {
				t.Errorf("%+v", x)
			}
			if got := r.lines("proof"); !slices.Equal(got, []string{"1", "2"}) || u.count("one") != 3 || u.count("") != 2 {
				t.Errorf("ran %q, %d and %d requests", got, u.count("one"), u.count(""))
			}
			r.submit("again")
			r.idle(2)
			if f := r.last(); f.Outcome != event.TurnCompleted {
				t.Errorf("the next turn ended %+v", f)
			}
			r.sound(u)
		})
	}
}
