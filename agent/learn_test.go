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

// TestLearnBefore: a command that is about to do something with all rights, as it does where
// nothing confines, is told what one like it has taught, though it works. One that only
// reads is not, nor one in the mode that asks nothing.
func TestLearnBefore(t *testing.T) {
	for name, c := range map[string]struct {
		mode    event.Mode
		command string
		told    bool
	}{
		"it writes":  {event.ModeManual, "touch made", true},
		"it reads":   {event.ModeManual, "ls made", false},
		"of no mode": {event.ModeOff, "touch made", false},
	} {
		t.Run(name, func(t *testing.T) {
			store := learnings.New(learnings.Options{
				Path: filepath.Join(t.TempDir(), "learnings.jsonl"), Limit: 10, Now: time.Now, Mask: redact.Masker{}.Text, Scan: func(string) []string { return nil },
			})
			for _, kind := range []string{"$ touch", "$ ls"} {
				if _, _, err := store.Add(t.Context(), learnings.Entry{Kind: kind, Pattern: kind[2:] + " made", Fix: "make it otherwise"}); err != nil {
					t.Fatal(err)
				}
			}
			r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
				{Match: script.Match{Tool: "terminal"}, Steps: steps(script.Text{Text: "done"})},
				{Steps: steps(call("terminal", map[string]any{"command": c.command + " || true"}))},
			}}, withMode(c.mode), func(cfg *agent.Config) {
				cfg.Lessons = lessons.Options{Store: store, Apply: true, Warn: func(err error) { t.Error(err) }}
			})
			r.submit("go")
			if c.told {
				r.answer(r.request(), event.Answer{Choice: event.ChoiceOnce})
			}
			r.idle(1)
			if got := r.onlyResult(); strings.Contains(got, "make it otherwise") != c.told {
				t.Errorf("the model is told %s", got)
			}
		})
	}
}
