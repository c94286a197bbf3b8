package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/tools"
)

// FuzzStream answers requests with any bytes. The turn ends without a panic, what
// is sent and stored is valid, and the next turn works.
func FuzzStream(f *testing.F) {
	for _, events := range [][]string{
		{textEvent("Hello "), textEvent("there."), endEvent("stop"), "[DONE]"},
		{deltaEvent(`{"reasoning_content":"Hm."}`), textEvent("<think>a</think>b<tool_call>"), endEvent("length")},
		{callEvent(0, "a", "todo", `{"todos": [{"id": "1", "content": "x", "status": "pending"}]}`), endEvent("tool_calls")},
		{callEvent(0, "a", "todo", `{}`), callEvent(1, "a", "", `{`), callEvent(0, "a", "", `}`), endEvent("stop")},
		{callEvent(0, "", "no such tool", `[1]`), endEvent("tool_calls")},
		{`{"choices":[{"index":"1","delta":{"content":[{"text":"a"}],"tool_calls":[{"index":null}]}}]}`, `{"error":{"code":503}}`},
		{`{"choices":[{"message":{"content":"whole"},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":-1}}`},
	} {
		f.Add("data: " + strings.Join(events, "\n\ndata: ") + "\n\n")
	}
	f.Add(`{"choices":[{"message":{"content":"no stream"}}]}`)
	f.Add("event: error\ndata: no\n\n: comment\n<html><title>x</title>")

	home := &rig{t: f, dir: f.TempDir(), ids: event.SystemSource()}
	home.openStore()
	f.Fuzz(func(t *testing.T, answer string) {
		server := serveUnruly(t, func(a *ask) {
			if a.asked("again") {
				a.say("Recovered.")
				return
			}
			a.open()
			a.put(answer[:len(answer)/2])
			a.put(answer[len(answer)/2:])
		})
		r := converse(t, home, server.url, patient(2), withBudget(3), unattended, func(c *agent.Config) {
			c.Policy = recovery.Policy{Retries: 2, Resends: 1}
			c.Tools = only{c.Tools, []string{"todo"}}
		})
		for turn, text := range []string{"go", "again"} {
			r.submit(text)
			r.idle(turn + 1)
			if e := r.last(); e.Reason == "panic" || e.Reason == "error" || e.Outcome == event.TurnFailed && checkSentence(e.Explain) != nil {
				t.Errorf("the turn ended %+v", e)
			}
		}
		r.wants("user again", "answer Recovered.")
		server.requests(t)
		if err := checkRows(r.messages()); err != nil {
			t.Errorf("stored history is not valid: %v", err)
		}
		if d := differ(normalState(r.state), normalState(r.revive().State)); d != "" {
			t.Errorf("the screen and the journal differ: %s", d)
		}
	})
}

// only is a part of a toolbox.
type only struct {
	agent.Toolbox
	names []string
}

// Lookup implements [agent.Toolbox].
func (o only) Lookup(name string) (tools.Tool, bool) {
	if !slices.Contains(o.names, name) {
		return tools.Tool{}, false
	}
	return o.Toolbox.Lookup(name)
}

// Names implements [agent.Toolbox].
func (o only) Names() []string { return o.names }

// Definitions implements [agent.Toolbox].
func (o only) Definitions(ctx context.Context) []providers.ToolDef {
	return slices.DeleteFunc(o.Toolbox.Definitions(ctx), func(d providers.ToolDef) bool { return !slices.Contains(o.names, d.Name) })
}
