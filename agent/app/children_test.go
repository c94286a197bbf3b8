package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// TestFilesOfSubagents has subagents change files with tools and with commands: what
// each has changed is known exactly while copies of the workspace are kept.
func TestFilesOfSubagents(t *testing.T) {
	call := func(name string, args map[string]any) script.Call {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return script.Call{Name: name, Args: string(raw)}
	}
	on := func(goal string, results int, steps ...script.Step) script.Rule {
		return script.Rule{Match: script.Match{User: goal, Results: &results}, Steps: steps}
	}
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		on("^go$", 0, call("read_file", map[string]any{"path": "old.txt"})),
		on("^go$", 1, call("delegate_task", map[string]any{"goal": "tool and command"})),
		on("^go$", 2, call("delegate_task", map[string]any{"goal": "only looks"})),
		on("^go$", 3, script.Text{Text: "All in."}),
		on("tool and command", 0, call("write_file", map[string]any{"path": "made.txt", "content": "x\n"})),
		on("tool and command", 1, call("terminal", map[string]any{"command": "echo more >> old.txt; mkdir sub; echo y > sub/shell.txt; rm gone.txt"})),
		on("tool and command", 2, script.Text{Text: "done"}),
		on("only looks", 0, call("terminal", map[string]any{"command": "cat old.txt"})),
		on("only looks", 1, script.Text{Text: "seen"}),
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b := newBox(t)
	b.config("probe:\n  local_servers: false\napprovals:\n  mode: \"off\"\nmodel:\n  provider: custom\n  default: script\n  base_url: " + server.URL() + "\n")
	for _, name := range []string{"old.txt", "gone.txt"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, c := b.begin()
	if _, err := c.Submit("go"); err != nil {
		t.Fatal(err)
	}
	s := c.State()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for s.Root() == nil || s.Root().Turns == 0 || s.Busy() {
		events, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			s.Apply(e)
		}
	}
	want := map[string][]string{"": nil, "tool and command": {"gone.txt", "made.txt", "old.txt", "sub/shell.txt"}, "only looks": nil}
	if len(s.Agents) != len(want) {
		t.Fatalf("%d agents:\n%s", len(s.Agents), notices(c))
	}
	for _, a := range s.Agents {
		var got []string
		for _, p := range a.Written {
			rel, err := filepath.Rel(b.dir, p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rel)
		}
		slices.Sort(got)
		if !slices.Equal(got, want[a.Goal]) {
			t.Errorf("%q has changed %q, want %q", a.Goal, got, want[a.Goal])
		}
		if a.Parent != "" && a.State != event.AgentCompleted {
			t.Errorf("%q is %s: %s", a.Goal, a.State, a.Error)
		}
	}
}
