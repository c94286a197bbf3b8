package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/recovery"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/script"
	"hermes-tui/providers/transport"
)

// countRetries is how many further attempts were announced.
func (r *rig) countRetries() int {
	n := 0
	for _, e := range r.log {
		if _, ok := e.(*event.RetryScheduled); ok {
			n++
		}
	}
	return n
}

// TestRecovers checks that a turn survives what a provider does once, and what
// is in the transcript then.
func TestRecovers(t *testing.T) {
	fine := steps(script.Text{Text: " and the rest."})
	for name, c := range map[string]struct {
		first    []script.Step
		want     string
		requests int
	}{
		"overloaded":       {steps(script.Failure{Status: 503, Message: "no capacity"}), "answer and the rest.", 2},
		"rate limit":       {steps(script.Failure{Status: 429, Message: "slow down", RetryAfter: time.Second}), "answer and the rest.", 2},
		"server error":     {steps(script.Failure{Status: 500, Message: "oops"}), "answer and the rest.", 2},
		"reset at once":    {steps(script.CutReset), "answer and the rest.", 2},
		"cut in the text":  {steps(script.Text{Text: "The start"}, script.CutReset), "answer The start and the rest.", 2},
		"no finish marker": {steps(script.Text{Text: "The start"}, script.Finish{Omit: true}), "answer The start and the rest.", 2},
		"output limit":     {steps(script.Text{Text: "The start"}, script.Finish{Reason: "length"}), "answer The start and the rest.", 2},
		"empty":            {steps(script.Finish{Reason: "stop"}), "answer and the rest.", 2},
		"only reasoning":   {steps(script.Reasoning{Text: "Hm."}, script.Finish{Reason: "stop"}), "answer and the rest.", 2},
		"cut in a call": {steps(script.Text{Text: "I write. "}, script.Call{Name: "write_file", Args: `{"path": "x.txt", "content": "ha`}, script.CutReset),
			"answer and the rest.", 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{{Times: 1, Steps: c.first}, {Steps: fine}}}, patient(3))
			r.submit("go")
			r.idle(1)
			if f := r.last(); f.Outcome != event.TurnCompleted || f.Explain != "" {
				t.Errorf("turn ended %+v", f)
			}
			r.wants("user go", c.want)
			if n := strings.Count(r.dump(), "answer"); n != 1 {
				t.Errorf("%d answers:\n%s", n, r.dump())
			}
			if got := len(r.bodies()); got != c.requests {
				t.Errorf("%d requests, want %d", got, c.requests)
			}
			rows := r.messages()
			if len(rows) != 2 || rows[1].Role != "assistant" || rows[1].Content != strings.TrimPrefix(c.want, "answer ") {
				t.Errorf("stored %+v", rows)
			}
			if _, err := os.Stat(filepath.Join(r.work, "x.txt")); err == nil {
				t.Error("a call that was cut off wrote a file")
			}
		})
	}
}

// TestAnswerBesideNotes takes the text beside calls that only keep notes for the
// answer when nothing follows, and asks again after any other call.
func TestAnswerBesideNotes(t *testing.T) {
	tasks := call("todo", map[string]any{"todos": []map[string]string{{"id": "1", "content": "look", "status": "completed"}}})
	for name, c := range map[string]struct {
		calls    []script.Step
		requests int
	}{
		"notes":               {steps(tasks), 2},
		"a command":           {steps(call("terminal", map[string]any{"command": "true"})), 3},
		"notes and a command": {steps(tasks, call("terminal", map[string]any{"command": "true"})), 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
				{Times: 1, Steps: append(steps(script.Text{Text: "It is done."}), c.calls...)},
				{Times: 1, Steps: steps(script.Finish{Reason: "stop"})}, {Steps: steps(script.Text{Text: "Asked again."})},
			}}, patient(3), withMode(event.ModeOff))
			r.submit("go")
			r.idle(1)
			if got := len(r.bodies()); got != c.requests {
				t.Errorf("%d requests, want %d:\n%s", got, c.requests, r.dump())
			}
		})
	}
}

// TestCutOffCall asks again for a call that the output limit cut off, and gives
// up on one that never becomes whole. Nothing runs on a guess.
func TestCutOffCall(t *testing.T) {
	half := steps(script.Call{Name: "write_file", Args: `{"path": "b.txt", "content": "cut o`}, script.Finish{Reason: "tool_calls"})
	whole := steps(script.Call{Name: "write_file", Args: `{"path": "b.txt", "content": "whole"}`})
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{User: "never"}, Steps: half},
		{Times: 2, Steps: half}, {Times: 1, Steps: whole}, {Steps: steps(script.Text{Text: "written"})},
	}}, patient(3), withMode(event.ModeOff))
	r.submit("once")
	r.idle(1)
	r.wants("tool write_file", "b.txt", "answer written")
	if b, err := os.ReadFile(filepath.Join(r.work, "b.txt")); err != nil || string(b) != "whole" {
		t.Errorf("wrote %q, %v", b, err)
	}
	if n := len(r.messages()); n != 4 {
		t.Errorf("%d messages stored, want 4", n)
	}
	r.submit("never")
	r.idle(2)
	if f := r.last(); f.Outcome != event.TurnFailed || f.Reason != "tool_call_truncated" || f.Calls != 4 {
		t.Errorf("turn ended %+v", f)
	}
	r.bodies()
}

// TestUnknownTools gives the model two chances to name a tool that exists.
func TestUnknownTools(t *testing.T) {
	r := newRig(t, say(script.Call{Name: "no_such_tool", Args: `{}`}, call("search_files", map[string]any{"pattern": "x"})), patient(3))
	r.submit("go")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnFailed || f.Reason != "unknown_tool" || f.Calls != 3 {
		t.Errorf("turn ended %+v", f)
	}
	rows := r.messages()
	if len(rows) != 7 || !strings.Contains(rows[2].Content, "search_files") || !strings.Contains(rows[3].Content, "Not run") {
		t.Errorf("stored %+v", rows)
	}
	r.bodies()
}

// TestLadderTextsAreNotStored checks that what keeps a model going is seen by
// no one else.
func TestLadderTextsAreNotStored(t *testing.T) {
	r := newRig(t, rounds(
		steps(call("search_files", map[string]any{"pattern": "x"})),
		steps(script.Finish{Reason: "stop"}),
		steps(script.Reasoning{Text: "Hm."}, script.Finish{Reason: "stop"}),
		steps(script.Text{Text: "Found nothing."}),
	), patient(3))
	r.submit("go")
	r.idle(1)
	r.wants("answer Found nothing.")
	bodies := r.bodies()
	sent, _ := json.Marshal(bodies[2].Messages)
	if !strings.Contains(string(sent), recovery.SaidNothing) {
		t.Errorf("the nudge was not sent: %s", sent)
	}
	for _, m := range r.messages() {
		if m.Content == recovery.SaidNothing || m.Content == recovery.NoteAnswer || m.Content == recovery.OnlyThought {
			t.Errorf("stored %+v", m)
		}
	}
}

// TestTagsInText routes reasoning that a model writes into its text to where it
// belongs.
func TestTagsInText(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "<think>Two and two.</think>\n\nFour."}))
	r.submit("go")
	r.idle(1)
	r.wants("reasoning Two and two.", "answer Four.")
	if m := r.messages()[1]; m.Content != "Four." || m.Reasoning != "Two and two." {
		t.Errorf("stored %+v", m)
	}
}

// TestFallback goes to the next service when one fails, for one turn, and leaves
// one that ran into a limit alone for a while.
func TestFallback(t *testing.T) {
	other, err := scripttest.Serve(say(script.Text{Text: "from the other"}), scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	chain := func(c *agent.Config) {
		c.Fallbacks = []agent.Fallback{
			{Name: "gone", Open: func(context.Context) (agent.Runtime, error) { return agent.Runtime{}, errors.New("no key") }},
			{Name: "other", Open: func(context.Context) (agent.Runtime, error) {
				tr := transport.New(transport.Options{Version: "test"})
				t.Cleanup(tr.CloseIdle)
				client, err := chat.New(chat.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "other", BaseURL: other.URL()}, Transport: tr}})
				return agent.Runtime{Client: client, Model: event.Model{Provider: "other", Name: "spare"}}, err
			}},
		}
	}
	for name, c := range map[string]struct {
		failure script.Failure
		rests   bool
	}{
		"refused": {script.Failure{Status: 401, Message: "no"}, false},
		"limited": {script.Failure{Status: 429, Message: "slow down"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
				{Match: script.Match{User: "one"}, Steps: steps(c.failure)}, {Steps: steps(script.Text{Text: "from the first"})},
			}}, patient(2), chain)
			r.submit("one")
			r.idle(1)
			r.wants("user one", "spare of other answers", "answer from the other")
			if got := r.state.Root().Model; got != "model" {
				t.Errorf("after the turn the model is %q", got)
			}
			r.submit("two")
			r.idle(2)
			want := "from the first"
			if c.rests {
				want = "from the other"
			}
			r.wants("user two", "answer "+want)
		})
	}
}

// TestRetryIsShown shows why and until when a turn waits; the user can cut the
// wait short or interrupt it.
func TestRetryIsShown(t *testing.T) {
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Times: 1, Steps: steps(script.Failure{Status: 429, Message: "slow down", RetryAfter: time.Minute})},
		{Match: script.Match{User: "two"}, Steps: steps(script.Failure{Status: 503, Message: "busy", RetryAfter: time.Minute})},
		{Steps: steps(script.Text{Text: "at last"})},
	}}, func(c *agent.Config) { c.Policy = recovery.Policy{Retries: 3} })
	r.submit("one")
	r.until("a retry", phase(event.PhaseRetrying))
	w := r.state.Root().Retry
	if w == nil || w.Attempt != 2 || w.Max != 3 || w.Reason != "rate limit" || w.Until.Sub(w.At).Round(time.Second) != time.Minute {
		t.Fatalf("retry is %+v", w)
	}
	r.conv.Hurry(r.conv.Root())
	r.idle(1)
	r.wants("answer at last")
	r.submit("two")
	r.until("a retry", phase(event.PhaseRetrying))
	began := time.Now()
	r.conv.Interrupt(r.conv.Root(), api.Self)
	r.idle(2)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the interrupt took %v", took)
	}
	if f := r.last(); f.Outcome != event.TurnInterrupted {
		t.Errorf("turn ended %+v", f)
	}
}

// TestStaleStream gives up on an answer that sends signs of life and nothing
// else.
func TestStaleStream(t *testing.T) {
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Times: 1, Steps: steps(script.Text{Text: "The start"}, script.Keepalive{N: 3}, script.Stall{})}, {Steps: steps(script.Text{Text: " and the rest."})},
	}}, patient(3), func(c *agent.Config) { c.Runtime.Stale = 200 * time.Millisecond })
	r.submit("go")
	r.idle(1)
	r.wants("answer The start and the rest.")
}

// TestLongCall ends a call that goes on for longer than one may, waits, and goes on
// with what it brought.
func TestLongCall(t *testing.T) {
	t.Parallel()
	slow := steps(script.Text{Text: strings.Repeat("word ", 2000), Pace: script.Pace{Rate: 100}})
	short := func(c *agent.Config) { c.Runtime.Longest = 300 * time.Millisecond }
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{{Times: 1, Steps: slow}, {Steps: steps(script.Text{Text: "and the rest."})}}},
		patient(2), short)
	r.submit("go")
	r.idle(1)
	r.wants("answer word ", "and the rest.")
	r = newRig(t, say(slow...), patient(1), short)
	r.submit("go")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnFailed || f.Reason != "timeout" || !strings.Contains(f.Explain, "did not answer in time") {
		t.Errorf("turn ended %+v", f)
	}
	if n := len(r.bodies()); n != 2 { // the second one over a new transport
		t.Errorf("%d requests", n)
	}
}

// shortened is a service that refuses the beta for long contexts.
type shortened struct {
	providers.Client
	asked []bool // for the short context
}

func (s *shortened) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	s.asked = append(s.asked, r.ShortContext)
	if !r.ShortContext {
		return nil, &providers.Error{Kind: providers.ErrorStatus, Status: 400, Message: "The long context beta is not yet available for this subscription."}
	}
	return s.Client.Stream(ctx, r)
}

// TestShortContext leaves the long context out where an account may not have it.
func TestShortContext(t *testing.T) {
	var s *shortened
	r := newRig(t, say(script.Text{Text: "shorter"}), patient(3), func(c *agent.Config) {
		s = &shortened{Client: c.Runtime.Client}
		c.Runtime.Client = s
	})
	r.submit("go")
	r.idle(1)
	r.wants("answer shorter")
	r.submit("again")
	r.idle(2)
	if !slices.Equal(s.asked, []bool{false, true, true}) {
		t.Errorf("asked for a short context: %v", s.asked)
	}
}

// TestGuardStopsLoops ends a turn that goes round in circles, when that is
// switched on.
func TestGuardStopsLoops(t *testing.T) {
	r := newRig(t, say(call("search_files", map[string]any{"pattern": "nothing_here"})), func(c *agent.Config) {
		c.Guard = guard.Config{
			Warnings: true, WarnAfter: guard.Limits{ExactFailure: 2, SameToolFailure: 3, NoProgress: 2},
			HardStops: true, StopAfter: guard.Limits{ExactFailure: 5, SameToolFailure: 8, NoProgress: 5},
		}
	})
	r.submit("go")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnFailed || !strings.Contains(f.Explain, "circles") || f.Calls > 20 {
		t.Errorf("turn ended %+v", f)
	}
	warned := false
	for _, m := range r.messages() {
		warned = warned || strings.Contains(m.Content, string(guard.NoProgress))
	}
	if !warned {
		t.Error("the model was not warned")
	}
	r.bodies()
}

// TestReshape mends a request that a service refuses as it is.
func TestReshape(t *testing.T) {
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Times: 1, Steps: steps(script.Failure{Status: 400, Message: "max_tokens: 64000 > context_window: 200000 - input_tokens: 190000 = available_tokens: 10000"})},
		{Steps: steps(script.Text{Text: "shorter"})},
	}}, patient(3), func(c *agent.Config) { c.Runtime.MaxOutput = 64_000 })
	r.submit("go")
	r.idle(1)
	r.wants("answer shorter")
	var sent struct {
		MaxTokens int `json:"max_tokens"`
	}
	if err := json.Unmarshal(r.server.Requests()[1].Body, &sent); err != nil || sent.MaxTokens != 10_000-64 {
		t.Errorf("the second request asked for %d tokens, %v", sent.MaxTokens, err)
	}
}

// keyring is a service with two keys, the first of which is refused.
type keyring struct {
	clients []providers.Client
	good    int
}

func (k *keyring) Spare() int           { return len(k.clients) }
func (k *keyring) Renewable() bool      { return false }
func (k *keyring) Good(context.Context) { k.good++ }
func (k *keyring) Client(context.Context) (providers.Client, error) {
	return nil, errors.New("none is due")
}
func (k *keyring) Renew(context.Context) (providers.Client, error) {
	return nil, errors.New("not renewable")
}
func (k *keyring) Rotate(context.Context, recovery.Fault) (providers.Client, error) {
	if len(k.clients) == 0 {
		return nil, nil
	}
	c := k.clients[0]
	k.clients = k.clients[1:]
	return c, nil
}

// TestRotatesKeys goes on with another key when one is refused.
func TestRotatesKeys(t *testing.T) {
	spare, err := scripttest.Serve(say(script.Text{Text: "with the other key"}), scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { spare.Close() })
	tr := transport.New(transport.Options{Version: "test"})
	t.Cleanup(tr.CloseIdle)
	client, err := chat.New(chat.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "test", BaseURL: spare.URL()}, Transport: tr}})
	if err != nil {
		t.Fatal(err)
	}
	keys := &keyring{clients: []providers.Client{client}}
	r := newRig(t, say(script.Failure{Status: 401, Message: "no"}), patient(3), func(c *agent.Config) { c.Runtime.Keys = keys })
	r.submit("go")
	r.idle(1)
	r.wants("answer with the other key")
	if keys.good != 1 {
		t.Errorf("told %d times that the key works", keys.good)
	}
}
