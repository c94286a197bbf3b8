package agents_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/rows"
)

var (
	styles = rows.NewStyles(themes.Dark())
	start  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// talk builds a state from events, as a conversation does.
type talk struct {
	s     event.State
	now   time.Time
	tree  event.TurnID
	calls int
}

func newTalk() *talk {
	t := &talk{now: start}
	t.add("root", "", &event.AgentSpawned{Role: "root"})
	return t
}

func (t *talk) after(d time.Duration) *talk {
	t.now = t.now.Add(d)
	return t
}

func (t *talk) add(agent event.AgentID, turn event.TurnID, e event.Event) *talk {
	h := e.Head()
	h.At, h.Agent, h.Turn = t.now, agent, turn
	t.s.Apply(e)
	return t
}

// child adds an agent that has finished so many calls and stands so.
func (t *talk) child(id, parent event.AgentID, goal string, calls int, state event.AgentState) *talk {
	t.add(id, "", &event.AgentSpawned{Parent: parent, Role: event.RoleLeaf, Goal: goal, Tree: t.tree, Depth: 1})
	t.s.Agent(id).Tools = calls
	switch {
	case state.Ended():
		return t.ended(id, state)
	case state != event.AgentQueued:
		t.state(id, state, "")
	}
	return t
}

func (t *talk) state(id event.AgentID, state event.AgentState, on string) *talk {
	return t.add(id, "", &event.AgentStateChanged{State: state, On: on})
}

// pays adds what an agent has used.
func (t *talk) pays(id event.AgentID, tokens int64, cents event.Money) *talk {
	return t.add(id, "", &event.UsageUpdated{Usage: event.Usage{Input: tokens, Cost: cents * event.Dollar / 100}, Final: true})
}

func (t *talk) ended(id event.AgentID, state event.AgentState) *talk {
	return t.add(id, "", &event.AgentFinished{State: state})
}

// design is the picture of the design document.
func design() *talk {
	t := newTalk()
	t.add("root", "t1", &event.TurnStarted{Budget: 90})
	t.add("root", "t1", &event.UsageUpdated{Context: event.Context{Used: 96_000, Max: 200_000}})
	t.after(3*time.Second).child("a", "root", "read the WAL docs", 8, event.AgentRunning)
	t.child("b", "root", "bisect history", 21, event.AgentRunning)
	t.child("c", "root", "list callers", 5, event.AgentRunning)
	t.after(9*time.Second).ended("c", event.AgentCompleted)
	t.add("root", "t1", &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: "k"}}})
	t.add("root", "t1", &event.ToolStarted{Call: "k", View: event.CallView{Name: "terminal", Subject: "go test -race ./store"}})
	return t.after(29 * time.Second)
}

// zoo has an agent in every state.
func zoo() *talk {
	t := newTalk()
	for i, s := range []event.AgentState{
		event.AgentQueued, event.AgentRunning, event.AgentWaiting, event.AgentPausing, event.AgentPaused, event.AgentStopping,
	} {
		t.child(event.AgentID(fmt.Sprint("live", i)), "root", string(s)+" agent", i, s)
	}
	t.after(75 * time.Second)
	for i, s := range []event.AgentState{event.AgentCompleted, event.AgentFailed, event.AgentKilled, event.AgentTimeout, event.AgentInterrupted, event.AgentRefused} {
		id := event.AgentID(fmt.Sprint("done", i))
		t.child(id, "live1", string(s)+" agent", 10*i, event.AgentRunning).after(time.Second).ended(id, s)
	}
	return t.after(8 * time.Second)
}

// busy has agents that have used something, one of them with its own subagents.
func busy() *talk {
	t := newTalk()
	t.tree = "t1"
	t.add("root", "t1", &event.TurnStarted{Budget: 90}).pays("root", 61_000, 31)
	t.add("root", "t1", &event.PhaseChanged{Phase: event.PhaseTools})
	t.child("a", "root", "read the WAL docs", 8, event.AgentRunning).pays("a", 96_000, 4)
	t.child("b", "root", "bisect the history between the last two releases", 21, event.AgentRunning).pays("b", 310_000, 12)
	t.child("b1", "b", "build every commit", 3, event.AgentRunning).pays("b1", 4_200, 1)
	t.child("b2", "b", "run the suite", 0, event.AgentQueued)
	t.child("c", "root", "list callers", 5, event.AgentRunning).pays("c", 12_000, 0)
	t.after(9*time.Second).ended("c", event.AgentCompleted)
	t.child("d", "root", "push the branch", 2, event.AgentRunning)
	t.add("d", "", &event.UsageUpdated{Usage: event.Usage{Input: 900, Unpriced: 1}})
	t.after(20*time.Second).state("d", event.AgentWaiting, "approval")
	for _, id := range []event.AgentID{"a", "b1"} {
		turn := event.TurnID("of " + id)
		t.add(id, turn, &event.TurnStarted{Budget: 50})
		t.add(id, turn, &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: event.CallID("k" + id)}}})
		t.add(id, turn, &event.ToolStarted{Call: event.CallID("k" + id), View: event.CallView{Name: "terminal", Subject: "go test ./" + string(id)}})
	}
	frozen, queue := true, []event.Queued{{ID: "i", Text: "skip the docs", Steer: true, Agent: "b"}}
	t.add("", "", &event.SpawningChanged{Frozen: frozen}).add("", "", &event.QueueChanged{Queue: queue})
	return t.after(62 * time.Second)
}

func pane(t *talk) *agents.Pane {
	p := agents.New(styles)
	p.Sync(&t.s)
	p.Tick(t.now, 0)
	return p
}

var states = []event.AgentState{
	event.AgentIdle, event.AgentQueued, event.AgentRunning, event.AgentWaiting, event.AgentPausing, event.AgentPaused,
	event.AgentStopping, event.AgentCompleted, event.AgentFailed, event.AgentKilled, event.AgentTimeout, event.AgentInterrupted,
	event.AgentRefused, "other",
}

// random makes a state with agents of all kinds, odd ones among them.
func random(r *rand.Rand) *talk {
	s := newTalk()
	if r.IntN(2) == 0 {
		s.add("root", "t", &event.TurnStarted{})
		s.s.Root().Phase, s.s.Root().Detail = event.PhaseDrafting, celltest.Text(r, 20)
	}
	for j := range r.IntN(15) {
		id := event.AgentID(fmt.Sprint(j))
		s.tree = event.TurnID(fmt.Sprint("t", r.IntN(3)))
		s.child(id, event.AgentID(fmt.Sprint(r.IntN(15))), celltest.Text(r, 60), r.IntN(200), states[r.IntN(len(states))])
		a := s.s.Agent(id)
		a.On, a.Error, a.Model, a.Toolsets = celltest.Text(r, 9), celltest.Text(r, 60), celltest.Text(r, 9), []string{celltest.Text(r, 9)}
		a.Usage = event.Usage{Input: r.Int64() >> r.IntN(63), Output: int64(r.IntN(9)), Cost: event.Money(r.Int64() >> r.IntN(63)), Unpriced: int64(r.IntN(2))}
		a.Budget, a.Calls = r.IntN(3)*20, r.IntN(60)
		a.Context = event.Context{Used: r.IntN(300_000), Max: r.IntN(2) * 200_000}
		if a.State == event.AgentCompleted {
			a.Summary = celltest.Text(r, 400)
		}
		talks(s, r, id)
		s.after(time.Duration(r.IntN(1e11)))
	}
	frozen, queue := r.IntN(2) == 0, []event.Queued{{Text: celltest.Text(r, 30), Agent: "3", Steer: true}, {Text: "x", Steer: true}}
	s.add("", "", &event.SpawningChanged{Frozen: frozen}).add("", "", &event.QueueChanged{Queue: queue})
	return s.add("root", "", &event.UsageUpdated{Context: event.Context{Used: r.IntN(300_000), Max: r.IntN(2) * 200_000}})
}

// talks gives an agent calls in every stage.
func talks(s *talk, r *rand.Rand, id event.AgentID) {
	outcomes := []event.Outcome{event.OutcomeOK, event.OutcomeFailed, event.OutcomeDenied, event.OutcomeCancelled, event.OutcomeUnknown, event.OutcomeSkipped}
	for k := range r.IntN(6) {
		call, exit := event.CallID(fmt.Sprint(id, "-", k)), r.IntN(300)
		view := event.CallView{Kind: event.ViewRead, Name: celltest.Text(r, 12), Subject: celltest.Text(r, 40), Summary: celltest.Text(r, 40), Exit: &exit}
		s.add(id, "", &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: call, View: view}}})
		if r.IntN(4) == 0 {
			continue
		}
		s.add(id, "", &event.ToolStarted{Call: call, View: view})
		s.add(id, "", &event.ToolOutput{Call: call, Text: celltest.Text(r, 300)})
		if r.IntN(4) > 0 {
			s.add(id, "", &event.ToolFinished{Call: call, View: view, Outcome: outcomes[r.IntN(len(outcomes))], Changed: []string{celltest.Text(r, 50)}})
		}
	}
	if r.IntN(3) == 0 {
		s.add(id, "", &event.TextDelta{Block: "open", Text: celltest.Text(r, 200)})
	}
}

// manyAgents has finished agents above running ones.
func manyAgents() *talk {
	t := newTalk()
	for i := range 30 {
		id := event.AgentID(fmt.Sprint(i))
		t.child(id, "root", fmt.Sprintf("agent %d", i), i, event.AgentRunning)
		if i < 20 {
			t.after(time.Second).ended(id, event.AgentCompleted)
		}
	}
	return t
}

// deepTree has agents far below each other.
func deepTree() *talk {
	t := newTalk()
	parent := event.AgentID("root")
	for i := range 12 {
		id := event.AgentID(fmt.Sprint("d", i))
		t.child(id, parent, fmt.Sprintf("level %d", i), 0, event.AgentRunning)
		parent = id
	}
	return t.child("side", "d3", "beside level 4", 3, event.AgentRunning)
}
