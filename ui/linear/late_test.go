package linear

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
)

// rootless is a conversation with a single agent.
type rootless struct{ app.Conversation }

func (rootless) Root() event.AgentID { return "" }

// TestLineForWhatIsGone enters a line when its question has just disappeared: it is no message
// and no answer to the next question, and the screen says why.
func TestLineForWhatIsGone(t *testing.T) {
	now := time.Now()
	host := event.Request{ID: "q", Kind: event.RequestApproval, Approval: &event.Approval{Action: "connect to", Text: "example.org:443", Reason: "is not allowed yet"}}
	password := event.Request{ID: "q", Kind: event.RequestSecret, Secret: &event.Secret{Label: "sudo password of root"}}
	which := event.Request{ID: "q", Kind: event.RequestClarify, Clarify: &event.Clarify{Question: "Which?"}}
	for _, c := range []struct {
		q     event.Request
		by    event.Resolver
		after time.Duration
		held  bool
		says  string
	}{
		{host, event.ByAsker, time.Second, true, "what asked has ended"}, {host, event.ByAsker, 2 * late, false, "what asked has ended"},
		{which, event.ByTimeout, time.Second, true, "no answer in time"}, {which, event.ByInterrupt, time.Second, false, "was stopped"},
		{password, event.ByAsker, time.Hour, true, "what asked has ended"},
	} {
		var out strings.Builder
		r := &run{o: Options{Now: func() time.Time { return now }, Hide: func() func() { return func() {} }}, out: bufio.NewWriter(&out), s: &event.State{}, c: rootless{}}
		r.ask(c.q)
		next := host
		next.ID = "next"
		r.ask(next)
		r.resolved(&event.RequestResolved{Request: "q", By: c.by})
		held := r.missed(line{text: "1", at: now.Add(c.after)})
		again := r.missed(line{text: "1", at: now.Add(c.after)})
		_ = r.out.Flush()
		if held != c.held || again || len(r.open) != 1 || !strings.Contains(out.String(), c.says) || strings.Contains(out.String(), "Not sent") != c.held {
			t.Errorf("%s by %s after %s: held %v, %v:\n%s", c.q.Kind, c.by, c.after, held, again, &out)
		}
	}
}
