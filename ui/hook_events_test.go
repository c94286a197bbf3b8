//go:build unix

package ui_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// fields are names of what hooks are told, by event.
type fields map[string]map[string]bool

// documentedFields reads docs/hooks.md: which event has which fields of its own.
func documentedFields(t *testing.T) fields {
	t.Helper()
	raw, err := os.ReadFile("../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(raw), "| event | when |")
	table, _, _ = strings.Cut(table, "\n\n")
	quoted, aside := regexp.MustCompile("`([a-z_]+)`"), regexp.MustCompile(`\([^)]*\)`)
	cells := map[string]string{}
	for _, line := range strings.Split(table, "\n")[2:] {
		cell := strings.Split(line, "|")
		cells[quoted.FindStringSubmatch(cell[1])[1]] = aside.ReplaceAllString(cell[3], "")
	}
	f := fields{}
	var add func(to map[string]bool, event string, deep int)
	add = func(to map[string]bool, event string, deep int) {
		for _, m := range quoted.FindAllStringSubmatch(cells[event], -1) {
			switch _, other := cells[m[1]]; {
			case !other:
				to[m[1]] = true
			case deep < 4: // those of approvals and notifications are named by each other
				add(to, m[1], deep+1)
			}
		}
	}
	for event := range cells {
		f[event] = map[string]bool{}
		add(f[event], event, 0)
	}
	return f
}

// everywhere are fields that belong to no event in particular.
var everywhere = []string{"turn_id", "agent_id", "tool_call_id", "mode", "task_id", "api_request_id", "platform", "surface"}

// toldFields reads what hooks have written down that copy what they read into a file each.
func toldFields(t *testing.T, dir string) fields {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := fields{}
	for _, e := range files {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		f[e.Name()] = map[string]bool{}
		for line := range strings.Lines(string(raw)) {
			var in struct {
				Event   string `json:"hook_event_name"`
				Session string `json:"session_id"`
				Cwd     string
				Profile string
				Extra   map[string]any
			}
			if err := json.Unmarshal([]byte(line), &in); err != nil || in.Event != e.Name() || in.Session == "" || in.Cwd == "" || in.Profile == "" {
				t.Errorf("a hook of %s was told %.300s: %v", e.Name(), line, err)
			}
			for name := range in.Extra {
				f[e.Name()][name] = true
			}
		}
	}
	return f
}

// differs says where two lists of fields are not the same.
func (f fields) differs(from fields) (list []string) {
	for event, names := range f {
		own := maps.Clone(from[event])
		for _, name := range everywhere {
			delete(own, name)
		}
		if from[event] == nil {
			list = append(list, event+" never came")
			continue
		}
		if got, want := slices.Sorted(maps.Keys(own)), slices.Sorted(maps.Keys(names)); !slices.Equal(got, want) {
			list = append(list, fmt.Sprintf("%s came with %q, documented are %q", event, got, want))
		}
	}
	return list
}

// TestEveryHookEvent has a hook at every event write down what it is told, in a session with
// a failed request, a subagent, a question, a failed command, an edit, a compression and a
// second session. Each comes, with the fields that docs/hooks.md lists and no others; so do
// the samples with which hooks are tried.
func TestEveryHookEvent(t *testing.T) {
	t.Parallel()
	want := documentedFields(t)
	if len(want) < 24 {
		t.Fatalf("docs/hooks.md has %d events", len(want))
	}
	dir := t.TempDir()
	config := "model: {provider: custom, base_url: \"{{url}}\", default: m, context_length: 20000}\nagent: {auto_title: false}\nhooks_auto_accept: true\n" +
		"approvals: {ask: [\"terminal(touch *)\"]}\nhooks:\n"
	for _, event := range slices.Sorted(maps.Keys(want)) {
		config += fmt.Sprintf("  %s: [{command: \"cat >>%s/%s\", outside: true}]\n", event, dir, event)
	}
	s := answers(
		script.Rule{Match: script.Match{System: "You keep the record"}, Steps: []script.Step{say("## Goal\nCount sheep.")}},
		script.Rule{Match: script.Match{User: "^go$"}, Times: 1, Steps: []script.Step{script.Failure{Status: 500, Message: "try again"}}},
		on("^go$", call("delegate_task", map[string]any{"goal": "count the sheep"})), after("^go$", 1, run("touch asked")), after("^go$", 2, run("ls missing")),
		after("^go$", 3, call("write_file", map[string]any{"path": "new.txt", "content": "new\n"})), after("^go$", 4, say("Finis.")),
		script.Rule{Steps: []script.Step{say("Three.")}},
	)
	s.Models = []script.Model{{ID: "m", ContextLength: 20_000}}
	d := Start(t, Options{Cols: 120, Rows: 40, Scenario: s, Config: config, Timeout: 30 * time.Second})
	d.Type("go").Press("enter").WaitFor(Contains("▸ 1 Deny", "touch asked"))
	choose(d, "Allow once").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	for i := range 7 {
		d.Paste(fmt.Sprint("saying ", i, strings.Repeat(" many words", 170))).Press("enter").WaitIdle()
	}
	d.Type("/compress").Press("enter").WaitFor(Contains("context shortened"))
	d.WaitIdle().Type("/new").Press("enter").WaitFor(NotContains("context shortened"))
	d.Type("hello").Press("enter").WaitFor(Contains("❯ hello"), Contains("Three.")).WaitIdle()
	d.Quit().Wait()
	for _, bad := range want.differs(toldFields(t, dir)) {
		t.Error(bad)
	}

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), Build(t), args...)
		cmd.Dir, cmd.Env = d.Dir(), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(d.Home()), "HERMES_HOME=" + d.Home()}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return out
	}
	var list []struct{ ID string }
	if err := json.Unmarshal(program("hooks", "list", "--json"), &list); err != nil || len(list) != len(want) {
		t.Fatalf("%d hooks are listed, %v", len(list), err)
	}
	for _, h := range list {
		program("hooks", "test", h.ID)
	}
	samples := toldFields(t, dir)
	for event := range samples {
		if !samples[event]["sample"] {
			t.Errorf("the sample of %s does not say that it is one", event)
		}
		delete(samples[event], "sample")
	}
	for _, bad := range want.differs(samples) {
		t.Error("sample:", bad)
	}
}
