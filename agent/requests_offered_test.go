package agent

import (
	"testing"

	"hermes-tui/agent/event"
)

func TestOffered(t *testing.T) {
	r := event.Request{Kind: event.RequestApproval, Approval: &event.Approval{}}
	more := event.Request{Kind: event.RequestApproval, Approval: &event.Approval{Rule: "x", Editable: true, Confinable: true}}
	for choice, always := range map[event.Choice]bool{
		event.ChoiceOnce: true, event.ChoiceDeny: true, event.ChoiceSession: false, event.ChoiceAlways: false,
		event.ChoiceEdit: false, event.ChoiceConfined: false,
	} {
		if offered(r, choice) != always || !offered(more, choice) {
			t.Errorf("%s: %v and %v", choice, offered(r, choice), offered(more, choice))
		}
	}
	if offered(more, event.ChoiceText) {
		t.Error("a text answers an approval")
	}
}
