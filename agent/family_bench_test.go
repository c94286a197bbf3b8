package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers/script"
)

// troupe is how many subagents work at once in the benchmarks of this file.
const troupe = 100

// actor is a subagent that streams and runs calls, as the mailbox sees it.
type actor struct {
	id    event.AgentID
	turn  event.TurnID
	round int
	usage event.Usage
}

// actorSteps is how many deliveries a round of an actor takes.
const actorSteps = 30

// act is what an actor does between two deliveries: mostly it streams, then it
// commits its message, runs a call that writes, and begins again.
func (a *actor) act(step int) []event.Event {
	name := func(what string) string { return fmt.Sprint(a.id, what, a.round) }
	call, view := event.CallID(name("call")), event.CallView{Kind: event.ViewCommand, Name: "terminal", Subject: "go vet"}
	var list []event.Event
	switch block := event.BlockID(name("text")); step {
	case 0:
		a.round++
		list = []event.Event{&event.PhaseChanged{Phase: event.PhaseConnecting}, &event.PhaseChanged{Phase: event.PhaseAnswering}}
	case actorSteps - 3:
		a.usage = a.usage.Plus(event.Usage{Input: 900, Output: 60, Calls: 1})
		list = []event.Event{
			&event.TextDelta{Block: block, Text: "last "},
			&event.MessageCommitted{
				Message: event.MessageID(name("message")), Block: block, Role: event.RoleAssistant, Text: strings.Repeat("word ", 2*actorSteps),
				Calls: []event.CallHead{{Call: call, View: view}},
			},
			&event.UsageUpdated{Usage: a.usage, Final: true},
			&event.PhaseChanged{Phase: event.PhaseTools}, &event.ToolStarted{Call: call, View: view},
		}
	case actorSteps - 2:
		list = []event.Event{&event.ToolOutput{Call: call, Text: "ok\n"}, &event.ToolOutput{Call: call, Text: "ok\n"}}
	case actorSteps - 1:
		list = []event.Event{&event.ToolFinished{Call: call, Outcome: event.OutcomeOK, View: view}}
	default:
		list = []event.Event{&event.TextDelta{Block: block, Text: "word "}, &event.TextDelta{Block: block, Text: "word "}}
	}
	return a.stamp(list...)
}

func (a *actor) stamp(list ...event.Event) []event.Event {
	for _, e := range list {
		*e.Head() = event.Meta{Conv: "conv", Agent: a.id, Turn: a.turn, At: time.Now()}
		event.Stamp(e)
	}
	return list
}

// newActors spawns them all.
func newActors(m *journal.Mailbox) []*actor {
	root := &actor{id: "root", turn: "turn"}
	hand := event.CallView{Kind: event.ViewAgent, Name: "delegate_task"}
	m.Put(root.stamp(
		&event.AgentSpawned{Role: event.RoleRoot}, &event.TurnStarted{Budget: 90},
		&event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: "hand", View: hand}}},
		&event.ToolStarted{Call: "hand", View: hand},
	)...)
	var all []*actor
	for i := range troupe {
		a := &actor{id: event.AgentID(fmt.Sprint("child", i)), turn: event.TurnID(fmt.Sprint("turn", i))}
		m.Put(a.stamp(
			&event.AgentSpawned{Parent: "root", Tree: "turn", Call: "hand", Index: i, Depth: 1, Role: event.RoleLeaf, Goal: fmt.Sprint("part ", i)},
			&event.AgentStateChanged{State: event.AgentRunning}, &event.TurnStarted{Budget: 50},
		)...)
		all = append(all, a)
	}
	return all
}

// BenchmarkFamilyMailbox measures a delivery of the mailbox while 100 subagents
// work, at different places of their rounds or in step with each other: putting in
// what they do between two frames, and taking it out, which folds it.
func BenchmarkFamilyMailbox(b *testing.B) {
	for _, inStep := range []bool{false, true} {
		name := "spread"
		if inStep {
			name = "in step"
		}
		b.Run(name, func(b *testing.B) {
			m := journal.NewMailbox(&event.State{})
			actors := newActors(m)
			var puts, takes []time.Duration
			var batch []event.Event
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				batch = batch[:0]
				for i, a := range actors {
					step := n
					if !inStep {
						step += i * 7
					}
					batch = append(batch, a.act(step%actorSteps)...)
				}
				began := time.Now()
				for _, e := range batch {
					m.Put(e)
				}
				full := time.Now()
				if _, err := m.Next(b.Context()); err != nil {
					b.Fatal(err)
				}
				puts, takes = append(puts, full.Sub(began)), append(takes, time.Since(full))
			}
			b.ReportMetric(0, "ns/op")
			spread(b, "put", "µs", puts)
			spread(b, "take", "µs", takes)
		})
	}
}

// spread reports the median, the 99th percentile and the greatest of some times.
func spread(b *testing.B, name, unit string, times []time.Duration) {
	b.Helper()
	slices.Sort(times)
	in := float64(time.Microsecond)
	if unit == "ms" {
		in = float64(time.Millisecond)
	}
	for _, q := range []struct {
		name string
		at   int
	}{{"p50", len(times) / 2}, {"p99", len(times) * 99 / 100}, {"max", len(times) - 1}} {
		b.ReportMetric(float64(times[q.at])/in, name+"-"+q.name+"-"+unit)
	}
}

// BenchmarkFamilyControls steers one of 100 subagents that are at work, and
// measures the time from the control to the event that acknowledges it: a pause and
// a resume for each iteration, and in the end the death of many. Each of them asks
// the model, which writes for a second or not at all, runs a call, and begins
// again; all of it is stored.
func BenchmarkFamilyControls(b *testing.B) {
	for _, c := range []struct {
		name string
		pace script.Pace
	}{
		{"a round a second", script.Pace{Rate: 30}},
		{"flat out", script.Pace{Rate: -1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			goals := make([]string, troupe)
			for i := range goals {
				goals[i] = fmt.Sprint("part ", i)
			}
			l := limits()
			l.Concurrent, l.Iterations = troupe, 100_000
			r := newFamily(b, l, scenario(
				on("^go$", 0, hand(goals...)),
				script.Rule{Match: script.Match{User: "part"}, Steps: steps(script.Tokens{N: 30, Pace: c.pace}, call("todo", map[string]any{}))},
			))
			r.submit("go")
			r.until("all are at work", func(s *event.State) bool {
				return len(s.Agents) == troupe+1 && !slices.ContainsFunc(s.Agents, func(a *event.Agent) bool { return a.Tools == 0 && a.Parent != "" })
			})
			began, stored := time.Now(), r.state.Seq
			var paused, resumed, killed []time.Duration
			for n := 0; b.Loop(); n++ {
				was := r.state.Seq
				r.until("work goes on", func(s *event.State) bool { return s.Seq > was+50 })
				a := r.state.Agents[1+n%troupe].ID
				paused = append(paused, r.acknowledged(a, event.AgentPausing, func() error { return r.conv.Pause(a, api.Self) }))
				resumed = append(resumed, r.acknowledged(a, event.AgentRunning, func() error { return r.conv.Resume(a, api.Self) }))
			}
			rate := float64(r.state.Seq-stored) / time.Since(began).Seconds()
			for n := range troupe / 2 {
				a := r.state.Agents[1+n].ID
				killed = append(killed, r.acknowledged(a, event.AgentKilled, func() error { return r.conv.Kill(a, api.Self) }))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(rate, "events-stored/s")
			spread(b, "pause", "ms", paused)
			spread(b, "resume", "ms", resumed)
			spread(b, "kill", "ms", killed)
			b.ReportMetric(1000, "target-kill-max-ms")
			r.conv.Interrupt(r.conv.Root(), api.Subtree)
			r.idle(1)
		})
	}
}

// acknowledged is the time from a control of an agent to the event that says that
// the agent is in a state. A pause that is over at once counts as well.
func (r *rig) acknowledged(id event.AgentID, want event.AgentState, control func() error) time.Duration {
	r.t.Helper()
	began := time.Now()
	if err := control(); err != nil {
		r.t.Fatal(err)
	}
	r.until(fmt.Sprint(id, " is ", want), func(s *event.State) bool {
		state := s.Agent(id).State
		return state == want || want == event.AgentPausing && state == event.AgentPaused
	})
	return time.Since(began)
}
