package event

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// handed is a state whose root has asked for subagents in one call.
func handed() *State {
	s := &State{}
	for _, e := range []Event{
		&AgentSpawned{Meta: Meta{Agent: "root"}, Role: RoleRoot},
		&TurnStarted{Meta: Meta{Agent: "root", Turn: "t"}, Budget: 9},
		&MessageCommitted{Meta: Meta{Agent: "root", Turn: "t"}, Role: RoleAssistant, Calls: []CallHead{{Call: "hand"}}},
		&ToolStarted{Meta: Meta{Agent: "root", Turn: "t"}, Call: "hand"},
	} {
		s.Apply(e)
	}
	return s
}

func comes(i int, at time.Time) *AgentSpawned {
	return &AgentSpawned{
		Meta: Meta{Agent: AgentID(fmt.Sprint("a", i)), At: at}, Parent: "root", Tree: "t", Call: "hand", Index: i, Role: RoleLeaf, Goal: fmt.Sprint("task ", i),
	}
}

// TestACallListsItsAgentsInTheOrderOfItsTasks spawns subagents in any order.
func TestACallListsItsAgentsInTheOrderOfItsTasks(t *testing.T) {
	for seed := range uint64(20) {
		s, n := handed(), int(seed)
		for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(n) {
			s.Apply(comes(i, time.Time{}))
		}
		list := s.Root().Call("hand").Call.Agents
		if len(list) != n || !slices.IsSortedFunc(list, func(a, b *Spawned) int { return s.Agent(a.Agent).Index - s.Agent(b.Agent).Index }) {
			for _, a := range list {
				t.Logf("%+v", *a)
			}
			t.Errorf("seed %d: %d of %d agents", seed, len(list), n)
		}
	}
}

// TestACallKnowsItsAgents lets subagents live at random. What the call says of them
// is what they are, and what it said before never changes.
func TestACallKnowsItsAgents(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for seed := range uint64(20) {
		dice, s := rand.New(rand.NewPCG(seed, 2)), handed()
		const n = 6
		for i := range n {
			s.Apply(comes(i, now))
		}
		type was struct {
			block *Block
			list  []Spawned
		}
		var seen []was
		for step := range 200 {
			now = now.Add(time.Second)
			a := s.Agent(AgentID(fmt.Sprint("a", dice.IntN(n))))
			for _, e := range lives(dice, a, step) {
				*e.Head() = Meta{Agent: a.ID, Turn: TurnID("turn of " + a.ID), At: now}
				s.Apply(e)
			}
			b := s.Root().Call("hand")
			list := values(b.Call.Agents)
			for k, got := range list {
				if want := spawned(s.Agent(got.Agent)); got != want {
					t.Fatalf("seed %d, step %d: agent %d is %+v, the call says %+v", seed, step, k, want, got)
				}
			}
			seen = append(seen, was{b, list})
		}
		for i, w := range seen {
			if !slices.Equal(values(w.block.Call.Agents), w.list) {
				t.Fatalf("seed %d: what was handed out after step %d has changed", seed, i)
			}
		}
	}
}

func values(list []*Spawned) []Spawned {
	var out []Spawned
	for _, a := range list {
		out = append(out, *a)
	}
	return out
}

// lives is something that happens to a subagent and that its call tells.
func lives(dice *rand.Rand, a *Agent, step int) []Event {
	switch dice.IntN(8) {
	case 0:
		return []Event{&TurnStarted{Budget: 5}}
	case 1:
		return []Event{&AgentStateChanged{State: []AgentState{AgentRunning, AgentPausing, AgentPaused}[dice.IntN(3)]}}
	case 2, 3:
		return []Event{&PhaseChanged{Phase: []Phase{PhaseConnecting, PhaseAnswering, PhaseTools}[dice.IntN(3)]}}
	case 4:
		call, view := CallID(fmt.Sprint("call", step)), CallView{Name: "run", Subject: fmt.Sprint(step)}
		return []Event{
			&TextDelta{Block: BlockID(fmt.Sprint("text", step)), Text: "so"},
			&MessageCommitted{Role: RoleAssistant, Calls: []CallHead{{Call: call, View: view}}}, &ToolStarted{Call: call, View: view},
		}
	case 5:
		if len(a.Running) > 0 {
			return []Event{&ToolOutput{Call: a.Running[0], Text: "out"}, &ToolFinished{Call: a.Running[0], Outcome: OutcomeOK}}
		}
		return nil
	case 6:
		return []Event{&Requested{Request: Request{ID: RequestID(fmt.Sprint(step)), Agent: a.ID, Kind: RequestApproval}}}
	}
	if dice.IntN(10) == 0 {
		return []Event{&AgentFinished{State: AgentCompleted, Summary: "done"}}
	}
	return []Event{&TurnFinished{Outcome: TurnCompleted}}
}
