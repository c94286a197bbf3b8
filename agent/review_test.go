package agent_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/tools"
)

// keeping looks back after two turns, with one tool under the name of one that the agent
// has.
func keeping(c *agent.Config) {
	c.Look = agent.Looking{Auto: true, Turns: 2, Tools: []tools.Tool{{
		Name: "terminal", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`), Run: func(context.Context, tools.Call, tools.Host, io.Writer) (tools.Result, error) {
			return tools.Result{Status: tools.StatusOK, Content: "{}", View: tools.View{Subject: "a note", Summary: "kept.", Lang: "diff", Body: "+ a note"}}, nil
		},
	}}}
}

// lookedBack counts the requests of looks back.
func (r *rig) lookedBack() (n int) {
	for _, q := range r.server.Requests() {
		if strings.Contains(string(q.Body), "This is not the user") {
			n++
		}
	}
	return n
}

func looking(steps ...script.Step) *script.Scenario {
	return &script.Scenario{Rules: []script.Rule{
		{Match: script.Match{User: "This is not the user", Results: new(int)}, Steps: steps},
		{Steps: []script.Step{script.Text{Text: "Yes."}}},
	}}
}

// TestLooksBackByItself does so after two turns, says what was kept, and leaves the
// conversation as it was; in plan mode it does not.
func TestLooksBackByItself(t *testing.T) {
	r := newRig(t, looking(script.Call{Name: "terminal", Args: `{}`}), keeping)
	r.submit("one")
	r.idle(1)
	if n := r.lookedBack(); n != 0 {
		t.Errorf("%d requests after one turn", n)
	}
	r.submit("two")
	r.idle(2)
	r.until("what was kept", func(s *event.State) bool {
		last := s.Root().Blocks[len(s.Root().Blocks)-1]
		return last.Kind == event.BlockNotice && strings.Contains(last.Text.String(), "Looked back: a note: kept")
	})
	if n := r.lookedBack(); n != 2 {
		t.Errorf("%d requests of the look back", n)
	}
	checkShown(t, r.log, 2)
	r.submit("three")
	r.idle(3)
	if sent := strings.Join(r.sent(-1), ""); strings.Contains(sent, "This is not the user") || strings.Contains(sent, "a note") {
		t.Errorf("the conversation holds it: %s", sent)
	}
	r = newRig(t, looking(), keeping, withMode(event.ModePlan))
	for n := range 3 {
		r.submit("go on")
		r.idle(n + 1)
	}
	if n := r.lookedBack(); n != 0 {
		t.Errorf("plan mode: %d requests", n)
	}
}

// TestLookBackEnds: a model that hangs does not hold up the end of the conversation, nor
// the next turn.
func TestLookBackEnds(t *testing.T) {
	r := newRig(t, looking(script.Stall{}), keeping)
	for n := range 3 {
		r.submit("go on")
		r.idle(n + 1)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := r.server.WaitRequests(ctx, 4); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := r.conv.Close(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
	if n := r.lookedBack(); n != 1 {
		t.Errorf("%d requests of the look back", n)
	}
}

// TestLookBackFails: what a failing model leaves is an error for who asked, and nothing in
// the conversation.
func TestLookBackFails(t *testing.T) {
	r := newRig(t, looking(script.Failure{Status: 500, Message: "broken"}), keeping)
	r.submit("one")
	r.idle(1)
	kept, err := r.conv.Refine(t.Context(), "")
	if err == nil || len(kept.Changes) != 0 {
		t.Errorf("%+v, %v", kept, err)
	}
	r.submit("two")
	r.idle(2)
}

// checkShown holds what is said on the screen of one look back of so many calls.
func checkShown(t *testing.T, log []event.Event, calls int64) {
	t.Helper()
	var all []*event.LookingBack
	for _, e := range log {
		if l, ok := e.(*event.LookingBack); ok {
			all = append(all, l)
		}
	}
	if len(all) < 2 {
		t.Fatalf("%d events", len(all))
	}
	for i, l := range all {
		if l.Since.IsZero() || l.Model == "" || l.Ended != (i == len(all)-1) || event.Durable(l) {
			t.Errorf("event %d of %d is %+v", i, len(all), l)
		}
	}
	if last := all[len(all)-1]; last.Usage.Calls != calls {
		t.Errorf("%d calls at the end", last.Usage.Calls)
	}
}

// TestReviewStops: the user ends a look back that hangs; the next one can begin.
func TestReviewStops(t *testing.T) {
	r := newRig(t, looking(script.Stall{}), keeping)
	r.submit("one")
	r.idle(1)
	if r.conv.StopRefine() {
		t.Error("there was something to stop")
	}
	for range 2 {
		ended := make(chan error, 1)
		go func() { _, err := r.conv.Refine(t.Context(), ""); ended <- err }()
		r.until("the look back", func(s *event.State) bool { return s.Looking != nil })
		if !r.conv.StopRefine() {
			t.Error("nothing was stopped")
		}
		if err := <-ended; err == nil || err.Error() != "it was stopped" {
			t.Errorf("it ended with %v", err)
		}
		r.until("the end of it", func(s *event.State) bool { return s.Looking == nil })
	}
	r.submit("two")
	r.idle(2)
}

// TestReviewFailsOnce: that no model looks back is said once, not after each time.
func TestReviewFailsOnce(t *testing.T) {
	r := newRig(t, looking(script.Failure{Status: 500, Message: "broken"}), keeping)
	for n := range 6 {
		r.submit("go on")
		r.idle(n + 1)
		if n%2 == 1 {
			r.until("the look back", func(*event.State) bool { return r.ended() == (n+1)/2 })
		}
	}
	var told []string
	for _, b := range r.state.Root().Blocks {
		if b.Kind == event.BlockNotice {
			told = append(told, b.Text.String())
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "nothing was kept") {
		t.Errorf("it says %q", told)
	}
}

// ended counts the looks back that have ended.
func (r *rig) ended() (n int) {
	for _, e := range r.log {
		if l, ok := e.(*event.LookingBack); ok && l.Ended {
			n++
		}
	}
	return n
}
