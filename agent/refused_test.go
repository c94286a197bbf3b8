package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// keepingRefused keeps refused requests in a file.
func keepingRefused(path string) option {
	return func(c *agent.Config) {
		c.KeepRefused = func(data []byte) (string, error) { return path, os.WriteFile(path, data, 0o600) }
	}
}

// A message that a service refuses for what it says is not sent again with those that
// follow, until the user wants it to be; what was asked is kept, with secrets masked.
func TestRefusedMessageIsLeftOut(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "refused.json")
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{User: "how to"}, Steps: steps(script.Failure{Status: 400, Code: "content_policy_violation", Message: "Your request was rejected by our safety system."})},
		{Steps: steps(script.Text{Text: "Fine."})},
	}}, patient(1), keepingRefused(kept))
	const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
	r.submit("hello")
	r.idle(1)
	r.submit("how to use " + key)
	r.idle(2)
	if end := r.last(); end.Outcome != event.TurnFailed {
		t.Errorf("the end: %+v", end)
	}
	r.wants("What was asked is kept in "+kept, "not sent again, since it was refused")
	r.submit("something else")
	r.idle(3)
	if b := r.bodies(); strings.Contains(text(b[len(b)-1]), "how to use") || !strings.Contains(text(b[len(b)-1]), "something else") {
		t.Errorf("sent: %s", text(b[len(b)-1]))
	}

	data, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Status  int
		Reason  string
		Said    string
		Request struct {
			System   string
			Messages []struct{ Parts []string }
			Tools    []struct{ Name string }
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Status != 400 || got.Reason != "content_policy_blocked" || !strings.Contains(got.Said, "safety system") || len(got.Request.Messages) != 3 || len(got.Request.Tools) == 0 || got.Request.System == "" {
		t.Errorf("kept: %s", data)
	}
	if strings.Contains(string(data), key) {
		t.Error("a secret was kept")
	}

	var back []string
	for _, p := range r.conv.Layers(t.Context()).Pieces {
		if p.Dropped {
			back = append(back, p.ID)
		}
	}
	if err := r.conv.Undrop(t.Context(), back...); err != nil || len(back) != 1 {
		t.Fatal(back, err)
	}
	r.submit("and now")
	r.idle(4)
	if b := r.bodies(); !strings.Contains(text(b[len(b)-1]), "how to use") {
		t.Errorf("not back: %s", text(b[len(b)-1]))
	}
}

// A request that is malformed for the service says nothing against a short message; a
// long session it would spoil.
func TestRefusedRequestOfALongSession(t *testing.T) {
	for _, long := range []bool{false, true} {
		r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
			{Match: script.Match{User: "odd"}, Times: 1, Steps: steps(script.Failure{Status: 422, Message: "messages: field is invalid"})},
			{Steps: steps(script.Text{Text: "Fine."})},
		}}, patient(1))
		if long {
			r.start(r.seed(100), patient(1))
		}
		turns := len(r.state.Root().Blocks)
		r.submit("odd")
		r.until("the end", func(s *event.State) bool { return len(s.Root().Blocks) > turns && s.Root().State == event.AgentIdle })
		if end := r.last(); end.Outcome != event.TurnFailed {
			t.Fatalf("the end: %+v", end)
		}
		r.submit("again")
		r.until("the answer", func(s *event.State) bool {
			return s.Root().State == event.AgentIdle && strings.Contains(transcript(s), "Fine.")
		})
		b := r.bodies()
		if got := strings.Contains(text(b[len(b)-1]), "odd"); got == long {
			t.Errorf("long %v: sent again %v", long, got)
		}
	}
}

// A message that fills most of the window by itself is not sent again when it is refused
// as too long: no compression would ever make room for it.
func TestTooLongMessageIsLeftOut(t *testing.T) {
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{User: "huge"}, Steps: steps(script.Failure{Status: 400, Code: "context_length_exceeded", Message: "This model's maximum context length is exceeded."})},
		{Steps: steps(script.Text{Text: "Fine."})},
	}}, patient(1), func(c *agent.Config) { c.Compression.Enabled = true })
	r.submit("huge " + strings.Repeat("words of a file that was pasted ", 9000))
	r.idle(1)
	if end := r.last(); end.Outcome != event.TurnFailed {
		t.Fatalf("the end: %+v", end)
	}
	r.submit("again")
	r.idle(2)
	r.wants("not sent again, since it was refused", "answer Fine.")
}

// TestRefusedMessageStays: one that is refused as too long though it is short, where no one
// knows how much there is room for, and one that was answered in part.
func TestRefusedMessageStays(t *testing.T) {
	for name, failing := range map[string][]script.Step{
		"unknown window":  {script.Failure{Status: 400, Code: "context_length_exceeded", Message: "This model's maximum context length is exceeded."}},
		"partly answered": {script.Open{}, script.Text{Text: "You begin "}, script.Failure{Status: 400, Code: "content_policy_violation", Message: "Your request was rejected by our safety system."}},
	} {
		r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
			{Match: script.Match{User: "the first"}, Times: 3, Steps: failing},
			{Steps: steps(script.Text{Text: "Fine."})},
		}}, patient(1), func(c *agent.Config) { c.Runtime.Model.ContextMax = 0 })
		r.submit("the first")
		r.idle(1)
		r.submit("the second")
		r.idle(2)
		b := r.bodies()
		if sent := text(b[len(b)-1]); !strings.Contains(sent, "the first") || strings.Contains(transcript(r.state), "not sent again") {
			t.Errorf("%s: sent %s\n%s", name, sent, transcript(r.state))
		}
	}
}

// text is all that a request says.
func text(b body) string {
	var all []string
	for _, m := range b.Messages {
		if m.Content != nil && m.Role != "system" {
			all = append(all, *m.Content)
		}
	}
	return strings.Join(all, "\n")
}
