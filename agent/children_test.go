package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

func TestDelegate(t *testing.T) {
	r := newFamily(t, limits(), scenario(
		on("^go$", 0, script.Text{Text: "I hand it out."}, hand("first part", "second part", "third part")),
		on("^go$", 1, script.Text{Text: "All in: {{last_tool}}"}),
		on("first part", 0, call("write_file", map[string]any{"path": "one.txt", "content": "one\n"})),
		on("first part", 1, script.Text{Text: "wrote one"}),
		on("second part", 0, script.Text{Text: "nothing to do"}),
		on("third part", 0, script.Failure{Status: 401, Message: "no"}),
	), withMode(event.ModeOff))
	r.submit("go")
	r.idle(1)
	var result struct {
		Results []struct {
			Status, Summary, Error string
			APICalls               int                             `json:"api_calls"`
			Trace                  []struct{ Tool, Status string } `json:"tool_trace"`
		}
	}
	messages := r.messages()
	for _, m := range messages {
		if m.Role == "tool" {
			if err := json.Unmarshal([]byte(m.Content), &result); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(result.Results) != 3 || result.Results[0].Summary != "wrote one" || result.Results[0].Trace[0].Tool != "write_file" ||
		result.Results[1].Summary != "nothing to do" || result.Results[2].Status != "failed" || result.Results[2].Error == "" {
		t.Errorf("%+v", result)
	}
	first := r.child("first part")
	if first.State != event.AgentCompleted || first.Tools != 1 || len(first.Written) != 1 || !strings.HasSuffix(first.Written[0], "/one.txt") || first.Calls != 2 {
		t.Errorf("%+v", first)
	}
	if third := r.child("third part"); third.State != event.AgentFailed || third.Error == "" {
		t.Errorf("%+v", third)
	}
	call := r.state.Root().Blocks[2]
	if call.Call == nil || len(call.Call.Agents) != 3 || call.Call.Agents[0].State != event.AgentCompleted || call.Call.Agents[0].Tools != 1 {
		t.Errorf("%+v", call.Call)
	}
	row, err := r.db.Session(t.Context(), string(first.Session))
	if err != nil || row.Parent != string(r.conv.Session()) || row.Source != "subagent" || row.SystemPrompt == "" {
		t.Errorf("%+v %v", row, err)
	}
	own, err := r.db.Messages(t.Context(), string(first.Session))
	if err != nil || len(own) != 4 {
		t.Errorf("%d messages of the subagent, %v", len(own), err)
	}
	r.same()
}

func TestKillLands(t *testing.T) {
	for name, c := range map[string]struct {
		steps []script.Step
		ready func(a *event.Agent) bool
	}{
		"in a command": {
			[]script.Step{call("terminal", map[string]any{"command": "sleep 600"})},
			func(a *event.Agent) bool { return len(a.Running) > 0 },
		},
		"in a stalled answer": {
			[]script.Step{script.Text{Text: "one moment"}, script.Stall{}},
			func(a *event.Agent) bool { return a.Phase == event.PhaseAnswering },
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFamily(t, limits(), scenario(
				on("^go$", 0, hand("stuck", "fine")),
				on("^go$", 1, script.Text{Text: "So be it."}),
				on("stuck", 0, c.steps...),
				on("fine", 0, script.Text{Text: "done"}),
			), withMode(event.ModeOff))
			r.submit("go")
			r.until("it is stuck", func(*event.State) bool {
				a := r.child("stuck")
				return a != nil && c.ready(a)
			})
			began := time.Now()
			if err := r.conv.Kill(r.child("stuck").ID, api.Self); err != nil {
				t.Fatal(err)
			}
			r.childIs("stuck", event.AgentKilled)
			if took := time.Since(began); took > 10*time.Second { // ten times what is aimed at
				t.Errorf("the kill landed after %s", took)
			} else {
				t.Log("landed after", took)
			}
			r.idle(1)
			r.wants("So be it.")
			if a := r.child("fine"); a.State != event.AgentCompleted {
				t.Errorf("%+v", a)
			}
			r.same()
		})
	}
}
