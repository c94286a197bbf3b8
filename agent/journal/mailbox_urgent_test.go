package journal

import (
	"testing"

	"hermes-tui/agent/event"
)

// TestUrgent says which events are to be seen at once, and that taking them out
// settles it.
func TestUrgent(t *testing.T) {
	m := NewMailbox(&event.State{})
	urgent := func() bool {
		select {
		case <-m.Urgent():
			return true
		default:
			return false
		}
	}
	put := func(e event.Event, want bool) {
		t.Helper()
		m.Put(e)
		if got := urgent(); got != want {
			t.Errorf("%T is urgent: %v, not %v", e, got, want)
		}
	}
	delta := func(agent, block string) event.Event {
		return &event.TextDelta{Meta: event.Meta{Agent: event.AgentID(agent)}, Block: event.BlockID(block), Text: "x"}
	}
	for i := range 2 * firstPieces {
		put(delta("a", "1"), i < firstPieces)
		put(delta("b", "9"), i < firstPieces)
	}
	put(delta("a", "2"), true)
	put(&event.UsageUpdated{Meta: event.Meta{Agent: "a"}}, false)
	put(&event.MessageCommitted{Meta: event.Meta{Agent: "a"}, Role: event.RoleAssistant}, true)
	put(&event.TurnFinished{Meta: event.Meta{Agent: "a"}}, true)
	put(delta("a", "2"), true) // another turn
	put(delta("b", "9"), false)
	m.Put(delta("a", "3"))
	if _, err := m.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if urgent() {
		t.Error("something that was taken out is urgent")
	}
}
