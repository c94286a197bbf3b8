package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// TestFaultMatrixOfChildren plays everything that can go wrong between the agent
// and a model while a subagent works: in its first request, behind a tool that it
// has run, and beside a sibling that is being answered. The subagent recovers or
// fails with a sentence; the one above it is told what happened, and neither it nor
// the sibling notices anything else.
func TestFaultMatrixOfChildren(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		for _, p := range []plot{{}, {tool: true}, {beside: true}} {
			for _, once := range []bool{true, false} {
				p := plot{once, p.tool, p.beside}
				slow := f.silent && !once && !p.beside // silence takes real time, and three times as long says no more
				if p.once && f.sameForEver() || !p.once && f.course == courseMends || slow || testing.Short() && !p.tool {
					continue
				}
				t.Run(f.name+strings.Replace(p.String(), "conversation", "subagent", 1), func(t *testing.T) {
					t.Parallel()
					newNest(t, f, p).play()
				})
			}
		}
	}
}

// nest is one combination, with what happens to the subagent "troubled".
type nest struct {
	cell
	// beside is closed when the sibling is being answered, free when it may end.
	begun, free chan struct{}
}

func newNest(t *testing.T, f fault, p plot) *nest {
	n := &nest{cell: cell{fault: f, plot: p, asleep: make(chan sleep, 1)}, begun: make(chan struct{}), free: make(chan struct{})}
	n.server = serveUnruly(t, n.answer)
	l := limits()
	l.Iterations = 6
	n.rig = newFamily(t, l, say(), withMode(event.ModeOff), at(t, n.server.url), n.troubles(t))
	return n
}

// troubles lets the fault come to one of the subagents only.
func (n *nest) troubles(t *testing.T) option {
	return func(cfg *agent.Config) {
		cfg.Policy = n.fault.policy()
		cfg.After = func(d time.Duration) <-chan time.Time {
			s := sleep{d, make(chan time.Time, 1)}
			n.asleep <- s
			return s.end
		}
		equip := cfg.Children
		cfg.Children = func(ctx context.Context, s agent.ChildSpec) (agent.Child, error) {
			kit, err := equip(ctx, s)
			if s.Goal != "troubled" {
				return kit, err
			}
			if n.fault.silent && n.fault.long == 0 {
				kit.Runtime.Stale = stalled
			}
			kit.Runtime.Longest = n.fault.long
			if n.fault.open != nil {
				kit.Runtime.Client = detour{kit.Runtime.Client, n.fault.open(t), &n.cell}
			}
			return kit, err
		}
	}
}

// answer is what the server does.
func (n *nest) answer(a *ask) {
	switch a.goal() {
	case "":
		n.answerRoot(a)
	case "sibling":
		a.stream(textEvent("one "), textEvent("two "))
		close(n.begun)
		a.holds(n.free)
		for _, e := range []string{textEvent("three"), endEvent("stop"), "[DONE]"} {
			a.put("data: ", e, "\n\n")
		}
	default:
		if n.beside {
			a.holds(n.begun)
		}
		n.cell.answer(a)
	}
}

func (n *nest) answerRoot(a *ask) {
	switch {
	case a.asked("again"):
		a.say("Recovered.")
	case a.ran():
		a.say("All in.")
	case n.beside:
		calls(hands("troubled", "sibling"))(a)
	default:
		calls(hands("troubled"))(a)
	}
}

// follow follows the conversation until so many turns of the root have ended. Waits
// end when they were seen.
func (n *nest) follow(turns int) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	for n.state.Root() == nil || n.state.Root().Turns < turns || n.state.Busy() {
		events, err := n.conv.Next(ctx)
		if err != nil {
			n.t.Fatalf("waiting for turn %d: %v\n%s", turns, err, n.dump()+n.kin())
		}
		for _, e := range events {
			n.state.Apply(e)
			n.see(e)
		}
		n.log = append(n.log, events...)
	}
}

func (n *nest) see(e event.Event) {
	a := n.child("troubled")
	mine := a != nil && e.Head().Agent == a.ID
	switch e := e.(type) {
	case *event.RetryScheduled:
		if !mine {
			n.t.Errorf("another agent tries again: %+v", e)
		}
		if e.Until.Sub(e.At) > time.Second/2 {
			s := <-n.asleep
			n.slept = append(n.slept, s.d)
			s.end <- time.Time{}
		}
	case *event.AgentFinished:
		if mine {
			close(n.free)
		}
	}
}

// play runs the plot and checks its end.
func (n *nest) play() {
	n.submit("go")
	n.follow(1)
	if f := n.last(); f.Outcome != event.TurnCompleted || f.Explain != "" || f.Calls != 2 {
		n.t.Errorf("the turn of the root ended %+v", f)
	}
	n.checkChild()
	n.checkWay()
	n.checkTools()
	if n.beside {
		if a := n.child("sibling"); a.State != event.AgentCompleted || a.Summary != "one two three" || a.Calls != 1 || n.server.count("sibling") != 1 {
			n.t.Errorf("the sibling ended %s after %d requests: %q %s", a.State, n.server.count("sibling"), a.Summary, a.Error)
		}
	}
	n.submit("again")
	n.follow(2)
	n.wants("user go", "answer All in.", "user again", "answer Recovered.")
	if got := n.server.count(""); got != 3 {
		n.t.Errorf("%d requests of the root", got)
	}
	n.sound(n.server)
}

// kept is what the subagent has said at the end, empty for nothing.
func (n *nest) kept() string {
	switch {
	case !n.once:
		return n.fault.kept
	case n.fault.once == "":
		return "All done."
	}
	return n.fault.once
}

// checkChild checks how the subagent ended, and what the root is told of it.
func (n *nest) checkChild() {
	a, x := n.child("troubled"), n.result().Results[0]
	status, exit, state := "completed", "completed", event.AgentCompleted
	switch {
	case n.once || n.fault.course == courseNone && n.fault.kept != "":
	case n.fault.course == courseNone: // it calls tools for ever
		exit = "max_iterations"
	default:
		status, exit, state = "failed", "error", event.AgentFailed
	}
	if a.State != state || x.Status != status || x.Exit != exit {
		n.t.Errorf("it is %s, the root is told %.1000v", a.State, x)
	}
	if state == event.AgentFailed || exit != "completed" {
		if err := checkSentence(a.Error); state == event.AgentFailed && err != nil || !strings.Contains(a.Error, n.fault.say) || x.Error != a.Error {
			n.t.Errorf("the user is told %q, the model %q: %v, want %q in it", a.Error, x.Error, err, n.fault.say)
		}
	} else if a.Error != "" || x.Error != "" {
		n.t.Errorf("it did not fail, and the user is told %q, the model %q", a.Error, x.Error)
	}
	if want := n.kept(); len(want) < 2000 && (a.Summary != want || x.Summary != want) || len(want) >= 2000 && (!strings.HasPrefix(a.Summary, "xxxx") || !strings.Contains(x.Summary, "read it with read_file")) {
		n.t.Errorf("it says %.500q, the root is told %.500q, want %.500q", a.Summary, x.Summary, want)
	}
	rows, err := n.db.Messages(n.t.Context(), string(a.Session))
	n.check(err)
	if said := saidIn(rows); strings.Join(said, "") != n.kept() || len(said) > 1 {
		n.t.Errorf("stored answers %.500q, want %.500q", said, n.kept())
	}
	if raw, err := json.Marshal(x); err != nil || len(raw) > 100_000 {
		n.t.Errorf("a report of %d bytes: %v", len(raw), err)
	}
}

// saidIn are the texts of the assistant in stored messages.
func saidIn(rows []sessions.Message) (said []string) {
	for _, m := range rows {
		if m.Role == "assistant" && m.Content != "" {
			said = append(said, m.Content)
		}
	}
	return said
}

// checkWay checks what recovery did on the way.
func (n *nest) checkWay() {
	p := n.fault.policy()
	played, delays, good := n.fault.course.sends(p), n.fault.course.delays(p), 0
	if n.tool {
		good++
	}
	if n.once {
		played, delays = 1, n.fault.course.first(p)
		good++
	} else if n.fault.course == courseNone && n.fault.kept == "" {
		played = 7 - good // six, and the one that asks for a summary
	}
	if n.fault.asks > 0 {
		delays = slices.Repeat([]time.Duration{n.fault.asks}, len(delays))
	}
	if n.times() != played || !slices.Equal(n.slept, delays) {
		n.t.Errorf("the fault came %d times and %v was waited, want %d and %v", n.times(), n.slept, played, delays)
	}
	if n.fault.answer != nil {
		good += played
	}
	if got := n.server.count("troubled"); got != good {
		n.t.Errorf("%d requests, want %d", got, good)
	}
}
