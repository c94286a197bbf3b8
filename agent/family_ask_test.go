package agent_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
)

// risky is a command that is asked about and shows that it ran.
func risky(name string) string { return "rm -rf gone-" + name + "; echo " + name + " >> proof" }

// by are who resolved the requests, in order.
func (r *rig) by() (list []event.Resolver) {
	for _, e := range r.log {
		if x, ok := e.(*event.RequestResolved); ok {
			list = append(list, x.By)
		}
	}
	return list
}

// TestDelegatedApprovals decides what becomes of a subagent's question whether it
// may do something.
func TestDelegatedApprovals(t *testing.T) {
	for _, c := range []struct {
		policy     agent.DelegatedApprovals
		unattended bool
		asked      bool // the user is
		runs       bool
		told       string
	}{
		{policy: "", asked: true, runs: true},
		{policy: agent.DelegatedAsk, asked: true, runs: true},
		{policy: agent.DelegatedAsk, unattended: true, told: "no one"},
		{policy: agent.DelegatedDeny, told: "delegation.approvals: deny"},
		{policy: agent.DelegatedDeny, unattended: true, told: "delegation.approvals: deny"},
		{policy: agent.DelegatedAllow, runs: true},
		{policy: agent.DelegatedAllow, unattended: true, runs: true},
	} {
		t.Run(fmt.Sprintf("%s, unattended %v", c.policy, c.unattended), func(t *testing.T) {
			r, u := newCast(t, limits(), cast{
				"":    {calls(hands("one")), says("All in.")},
				"one": {calls(runs(risky("x"))), func(a *ask) { a.say("told " + a.last("tool")) }},
			}, withMode(event.ModeManual), func(cfg *agent.Config) { cfg.Delegated, cfg.Unattended = c.policy, c.unattended })
			r.submit("go")
			if c.asked {
				q := r.request()
				if q.Agent != r.id("one") || !slices.Equal(q.Path, []string{"root", "one"}) || q.Approval.Text != risky("x") {
					t.Errorf("asked %+v %+v", q, q.Approval)
				}
				if a := r.childIs("one", event.AgentWaiting); a.On != "approval" {
					t.Errorf("it waits for %q", a.On)
				}
				r.answer(q, event.Answer{Choice: event.ChoiceOnce})
			}
			r.idle(1)
			by := event.ByPolicy
			if c.asked {
				by = event.ByUser
			}
			if got := r.by(); !slices.Equal(got, []event.Resolver{by}) {
				t.Errorf("decided by %q", got)
			}
			if ran := len(r.lines("proof")) == 1; ran != c.runs {
				t.Errorf("it ran: %v", ran)
			}
			if x := r.result().Results[0]; x.Status != "completed" || !strings.Contains(x.Summary, c.told) {
				t.Errorf("%+v", x)
			}
			r.sound(u)
		})
	}
}

// TestRootIsAskedAllTheSame denies what subagents want; the root is asked.
func TestRootIsAskedAllTheSame(t *testing.T) {
	r, u := newCast(t, limits(), cast{"": {calls(runs(risky("x"))), says("Done.")}},
		withMode(event.ModeManual), func(cfg *agent.Config) { cfg.Delegated = agent.DelegatedDeny })
	r.submit("go")
	r.answer(r.request(), event.Answer{Choice: event.ChoiceOnce})
	r.idle(1)
	if got := r.lines("proof"); !slices.Equal(got, []string{"x"}) {
		t.Errorf("ran %q", got)
	}
	r.sound(u)
}

// TestApprovalsInAnyOrder answers the questions of three subagents, the newest
// first: exactly what was shown runs where it was allowed, and nothing else.
func TestApprovalsInAnyOrder(t *testing.T) {
	c := cast{"": {calls(hands("a", "b", "c")), says("All in.")}}
	for _, g := range []string{"a", "b", "c"} {
		c[g] = []func(*ask){calls(runs(risky(g))), func(a *ask) { a.say("told " + a.last("tool")) }}
	}
	r, u := newCast(t, limits(), c, withMode(event.ModeManual))
	r.submit("go")
	r.until("three questions", func(s *event.State) bool { return len(s.Requests) == 3 })
	for _, q := range slices.Backward(slices.Clone(r.state.Requests)) {
		goal := q.Path[1]
		if q.Approval.Text != risky(goal) {
			t.Errorf("%s asks for %q", goal, q.Approval.Text)
		}
		ans := event.Answer{Choice: event.ChoiceOnce}
		if goal == "b" {
			ans = event.Answer{Choice: event.ChoiceDeny, Text: "not this one"}
		}
		r.answer(q, ans)
		r.childIs(goal, event.AgentCompleted)
	}
	r.idle(1)
	got := r.lines("proof")
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("ran %q", got)
	}
	for i, x := range r.result().Results {
		if denied := strings.Contains(x.Summary, "not this one"); denied != (i == 1) {
			t.Errorf("%+v", x)
		}
	}
	r.sound(u)
}

// TestChildClarifies has subagents ask the user: an answer reaches the one that
// asked, and a question no one answers in time is over.
func TestChildClarifies(t *testing.T) {
	clock := newClock()
	u := serveUnruly(t, cast{
		"":     {calls(nests("boss")), says("All in.")},
		"boss": {calls(hands("asks", "waits")), func(a *ask) { a.say("boss got " + a.last("tool")) }},
		"asks": {calls(wire{"clarify", map[string]any{"question": "left or right?", "choices": []string{"left", "right"}}}),
			func(a *ask) { a.say("told " + a.last("tool")) }},
		"waits": {calls(wire{"clarify", map[string]any{"question": "up or down?"}}), func(a *ask) { a.say("told " + a.last("tool")) }},
	}.answer)
	r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	r.serve(say())
	r.openStore()
	r.start(nil, r.family(limits(), func(o *bind.ToolOptions) { o.Settings.Agent.ClarifyTimeout = 300 }), at(t, u.url), clock.by)
	r.submit("go")
	r.until("two questions", func(s *event.State) bool { return len(s.Requests) == 2 })
	for _, q := range slices.Clone(r.state.Requests) {
		if !slices.Equal(q.Path[:2], []string{"root", "boss"}) || q.Until.Sub(q.At) != 5*time.Minute {
			t.Errorf("asked by %q until %s", q.Path, q.Until.Sub(q.At))
		}
		if q.Path[2] == "asks" {
			r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "right"})
		}
	}
	r.childIs("asks", event.AgentCompleted)
	r.childIs("waits", event.AgentWaiting)
	r.await("nobody has answered in time", func() bool {
		clock.pass(time.Minute)
		return r.child("waits").State != event.AgentWaiting
	})
	r.idle(1)
	if got := r.by(); !slices.Equal(got, []event.Resolver{event.ByUser, event.ByTimeout}) {
		t.Errorf("decided by %q", got)
	}
	if s := r.child("asks").Summary; !strings.Contains(s, `"user_response":"right"`) {
		t.Errorf("told %q", s)
	}
	if s := r.child("waits").Summary; !strings.Contains(s, "gave no answer") {
		t.Errorf("told %q", s)
	}
	r.sound(u)
}

// TestKilledWhileAsking withdraws the questions of what is killed.
func TestKilledWhileAsking(t *testing.T) {
	r, u := newCast(t, limits(), cast{
		"":    {calls(hands("one")), says("All in.")},
		"one": {calls(runs(risky("x"))), says("one is done")},
	}, withMode(event.ModeManual))
	r.submit("go")
	q := r.request()
	r.check(r.conv.Kill(q.Agent, api.Self))
	r.idle(1)
	if err := r.conv.Answer(q.ID, event.Answer{Choice: event.ChoiceOnce}); err == nil {
		t.Error("it could be answered all the same")
	}
	if len(r.state.Requests) != 0 || len(r.lines("proof")) != 0 || !slices.Equal(r.by(), []event.Resolver{event.ByInterrupt}) {
		t.Errorf("%d questions, ran %q, decided by %q", len(r.state.Requests), r.lines("proof"), r.by())
	}
	r.sound(u)
}

// TestStalePaths tells the agent above which files it has to read again, and shows
// which files a subagent has changed.
func TestStalePaths(t *testing.T) {
	read := func(name string) wire { return wire{"read_file", map[string]any{"path": name}} }
	wrote := func(name, text string) wire {
		return wire{"write_file", map[string]any{"path": name, "content": text}}
	}
	r, u := newCast(t, limits(), cast{
		"":    {calls(read("a.txt"), read("b.txt")), calls(hands("one")), says("All in.")},
		"one": {calls(read("a.txt"), read("c.txt")), calls(wrote("a.txt", "new\n")), calls(wrote("c.txt", "new\n")), says("one is done")},
	})
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		write(t, r.work, name, "old\n")
	}
	r.submit("go")
	r.idle(1)
	x := r.result().Results[0]
	if len(x.Stale) != 1 || filepath.Base(x.Stale[0]) != "a.txt" || !strings.Contains(x.Summary, "Read them again") {
		t.Errorf("%+v", x)
	}
	var names []string
	for _, p := range r.child("one").Written {
		names = append(names, filepath.Base(p))
	}
	if !slices.Equal(names, []string{"a.txt", "c.txt"}) || len(r.state.Root().Written) != 0 {
		t.Errorf("changed %q, the root %q", names, r.state.Root().Written)
	}
	r.sound(u)
}
