package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestDeeperInstructions lets an agent read in a folder that has instructions: they
// go with the result that is the first from there, after the user has trusted the
// folder, and what was sent before stays as it was.
func TestDeeperInstructions(t *testing.T) {
	read := func(name string) script.Call { return call("read_file", map[string]any{"path": name}) }
	for name, choice := range map[string]event.Choice{"trusted": event.ChoiceAlways, "not trusted": event.ChoiceDeny} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
				{Match: script.Match{Tool: "terminal"}, Steps: steps(script.Text{Text: "done"})},
				{Match: script.Match{User: "list"}, Steps: steps(call("terminal", map[string]any{"command": "cat api/v2/x.txt"}))},
				{Match: script.Match{Tool: "read_file", ToolResult: "second"}, Steps: steps(script.Text{Text: "done"})},
				{Match: script.Match{Tool: "read_file"}, Steps: steps(read("api/second.txt"))},
				{Steps: steps(read("api/first.txt"))},
			}}, withMode(event.ModeOff))
			for name, text := range map[string]string{"api/AGENTS.md": "Use the old names.", "api/first.txt": "first", "api/second.txt": "second", "api/v2/x.txt": "x", "api/v2/CLAUDE.md": "Version two."} {
				full := filepath.Join(r.work, name)
				if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r.submit("go")
			q := r.request()
			if q.Kind != event.RequestTrust || len(q.Trust.Files) != 1 || filepath.Base(q.Trust.Files[0]) != "AGENTS.md" {
				t.Fatalf("asked %+v", q)
			}
			r.answer(q, event.Answer{Choice: choice})
			r.idle(1)
			r.submit("list")
			r.idle(2)
			bodies := r.bodies()
			count := func(text string) (n int) {
				for _, m := range bodies[len(bodies)-1].Messages {
					if m.Role == "tool" && m.Content != nil {
						n += strings.Count(*m.Content, text)
					}
				}
				return n
			}
			want := 0
			if choice == event.ChoiceAlways {
				want = 1
			}
			for _, text := range []string{"[Instructions of the folder api, from api/AGENTS.md.", "Use the old names.", "[Instructions of the folder api/v2, from", "Version two."} {
				if got := count(text); got != want {
					t.Errorf("%q goes to the model %d times, want %d", text, got, want)
				}
			}
			for i := 1; i < len(bodies); i++ {
				before, now := bodies[i-1].Messages, bodies[i].Messages
				for j := range before {
					if a, b := before[j].Content, now[j].Content; a != nil && (b == nil || *a != *b) {
						t.Errorf("request %d changes message %d", i, j)
					}
				}
			}
		})
	}
}
