package app

import (
	"testing"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// TestByTurn gives what agents have used to the turns of the root.
func TestByTurn(t *testing.T) {
	used := func(agent, turn string, calls, input, output int64) *event.UsageUpdated {
		return &event.UsageUpdated{
			Meta:  event.Meta{Agent: event.AgentID(agent), Turn: event.TurnID(turn)},
			Usage: event.Usage{Calls: calls, Input: input, Output: output, Cost: event.Money(100 * calls)},
		}
	}
	turns := byTurn([]*event.UsageUpdated{
		used("root", "1", 1, 100, 10), used("sub", "s1", 1, 50, 5), used("sub", "s1", 2, 120, 9), used("root", "1", 2, 250, 20),
		used("root", "2", 3, 400, 25), used("root", "3", 1, 7, 1), // it began anew
	}, map[event.AgentID]event.TurnID{"sub": "1", "root": ""})
	if len(turns) != 3 {
		t.Fatalf("%d turns: %+v", len(turns), turns)
	}
	for i, want := range []api.TurnUse{
		{Turn: "1", Agents: 1, Usage: event.Usage{Calls: 4, Input: 370, Output: 29, Cost: 400}},
		{Turn: "2", Usage: event.Usage{Calls: 1, Input: 150, Output: 5, Cost: 100}},
		{Turn: "3", Usage: event.Usage{Calls: 1, Input: 7, Output: 1, Cost: 100}},
	} {
		if turns[i] != want {
			t.Errorf("turn %d: %+v, want %+v", i+1, turns[i], want)
		}
	}
}
