package agent_test

import (
	"context"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/providers/script"
)

// TestInterruptWhileCalled stops a turn that waits for what goes with its message: it
// ends at once, with the message stored and nothing sent.
func TestInterruptWhileCalled(t *testing.T) {
	waits := make(chan struct{})
	r := newRig(t, say(script.Text{Text: "Hello."}), func(c *agent.Config) {
		c.Extensions = extend.List{{Began: func(ctx context.Context, in event.Queued, _ func(string) bool) extend.Beside {
			if in.Text == "go" {
				close(waits)
				<-ctx.Done()
			}
			return extend.Beside{}
		}}}
	})
	r.submit("go")
	<-waits
	r.conv.Interrupt(r.conv.Root(), api.Self)
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnInterrupted || len(r.server.Requests()) != 0 || r.messages()[0].Content != "go" {
		t.Errorf("the turn ended %+v, %d requests", f, len(r.server.Requests()))
	}
	r.submit("on")
	r.idle(2)
	r.wants("user go", "user on", "answer Hello.")
}
