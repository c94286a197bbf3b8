package agent_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/agent/lessons"
	"hermes-tui/providers/redact"
	"hermes-tui/providers/script"
	"hermes-tui/store/learnings"
)

// TestLearn lets a command fail and work in another way in one conversation: the next
// one is told of it when the command fails again.
func TestLearn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "learnings.jsonl")
	const wrong, right = "sh build.sh ghp_0123456789abcdefghijklmnopqrstuvwxyz", "sh scripts/build.sh ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	with := func(cfg *agent.Config) {
		cfg.Lessons = lessons.Options{
			Store: learnings.New(learnings.Options{
				Path: path, Limit: 10, Now: time.Now, Mask: redact.Masker{}.Text, Scan: func(string) []string { return nil },
			}),
			Capture: true, Apply: true, Project: "/p", Warn: func(err error) { t.Error(err) },
		}
	}
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tool: "terminal", ToolResult: "built"}, Steps: steps(script.Text{Text: "done"})},
		{Match: script.Match{Tool: "terminal"}, Steps: steps(call("terminal", map[string]any{"command": right}))},
		{Match: script.Match{Tool: "write_file"}, Steps: steps(call("terminal", map[string]any{"command": wrong}))},
		{Steps: steps(call("write_file", map[string]any{"path": "scripts/build.sh", "content": "echo built\n"}))},
	}}, withMode(event.ModeOff), with)
	r.submit("go")
	r.idle(1)

	r = newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tool: "terminal"}, Steps: steps(script.Text{Text: "done"})},
		{Steps: steps(call("terminal", map[string]any{"command": wrong}))},
	}}, withMode(event.ModeOff), with)
	r.submit("go")
	r.idle(1)
	got := r.onlyResult()
	if !strings.Contains(got, "Learnt from earlier calls") || !strings.Contains(got, "sh scripts/build.sh ghp_01...") || strings.Contains(got, "456789abcdef") {
		t.Errorf("the model is told %s", got)
	}
}
