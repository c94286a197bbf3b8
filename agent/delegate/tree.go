package delegate

import (
	"fmt"
	"sync/atomic"

	"hermes-tui/agent/event"
)

// tree counts what a turn of the root uses with everything below it.
type tree struct {
	turn  event.TurnID
	calls atomic.Int64
	cost  atomic.Int64 // event.Money
}

func (t *tree) spend(calls int, cost event.Money) {
	t.calls.Add(int64(calls))
	t.cost.Add(int64(cost))
}

// exhausted says which bound of a tree is reached.
func (t *tree) exhausted(l Limits) (why string, yes bool) {
	if n := l.TreeIterations; n > 0 && t.calls.Load() >= int64(n) {
		return fmt.Sprintf("the %d model calls that a turn and its subagents may make together are used up", n), true
	}
	if c := l.TreeCost; c > 0 && t.cost.Load() >= int64(c) {
		return fmt.Sprintf("the $%.2f that a turn and its subagents may cost together are used up", float64(c)/float64(event.Dollar)), true
	}
	return "", false
}
