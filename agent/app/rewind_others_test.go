package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// paths are the files of a plan's list.
func paths(list []api.RewoundFile) string {
	var names []string
	for _, f := range list {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// appears waits until another program has made a file.
func appears(t *testing.T, name string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if _, err := os.Stat(name); err == nil {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatalf("%s was not made", name)
}

// TestRewindLeavesTheWorkOfOthers has a command wait while the user saves a file,
// another session writes two and a background command goes on writing: going back
// takes what the command wrote, names the rest, and leaves it.
func TestRewindLeavesTheWorkOfOthers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux says when a command waits")
	}
	gate := filepath.Join(t.TempDir(), "gate") // the command does nothing at all until it is opened
	if err := exec.Command("mkfifo", gate).Run(); err != nil {
		t.Fatal(err)
	}
	n := func(n int) *int { return &n }
	call := func(name string, args map[string]any) script.Step {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return script.Call{Name: name, Args: string(raw)}
	}
	on := func(prompt string, steps ...script.Step) []script.Rule {
		var rules []script.Rule
		for i, s := range append(steps, script.Text{Text: "done"}) {
			rules = append(rules, script.Rule{Match: script.Match{User: "^" + prompt + "$", Results: n(i)}, Steps: []script.Step{s}})
		}
		return rules
	}
	server, err := scripttest.Serve(&script.Scenario{Rules: slices.Concat(
		on("serve", call("terminal", map[string]any{"command": "while [ ! -e begun ]; do sleep 0.05; done; sleep 1; echo x > job.txt; sleep 60", "background": true})),
		on("build", call("terminal", map[string]any{"command": "echo 1 > begun; read go < " + gate + "; echo a > a.txt"})),
		on("beside", call("write_file", map[string]any{"path": "b.txt", "content": "b\n"}), call("terminal", map[string]any{"command": "echo new > old.txt"})),
	)}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b := newBox(t)
	b.config("probe:\n  local_servers: false\napprovals:\n  mode: \"off\"\nmodel:\n  provider: custom\n  default: script\n  base_url: " + server.URL() + "\n")
	in := func(name string) string { return filepath.Join(b.dir, name) }
	leave := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	leave("old.txt", "old\n")
	_, c := b.begin()
	say(t, c, "serve")
	other := b.open()
	beside, err := other.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		appears(t, in("begun"))
		appears(t, in("job.txt"))
		<-time.After(time.Second) // the command waits
		leave("person.txt", "mine\n")
		<-time.After(time.Second)
		say(t, beside, "beside")
		<-time.After(time.Second)
		if err := os.WriteFile(gate, []byte("\n"), 0); err != nil {
			t.Error(err)
		}
	}()
	say(t, c, "build")
	<-done
	to := promptTurns(c.State())[1]
	plan, err := c.PlanRewind(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	if got := paths(plan.Restored); got != "a.txt begun" {
		t.Errorf("put back without a question: %s", got)
	}
	if got := paths(plan.Doubtful); got != "b.txt job.txt old.txt person.txt" {
		t.Errorf("perhaps of others: %s\n%v", got, plan.Doubtful)
	}
	r, err := c.Rewind(t.Context(), RewindOptions{To: to, Conversation: true, Files: true})
	if err != nil || paths(r.Files.Doubtful) != "b.txt job.txt old.txt person.txt" {
		t.Fatalf("left %v, %v", r.Files, err)
	}
	for name, want := range map[string]string{"b.txt": "b\n", "old.txt": "new\n", "person.txt": "mine\n", "a.txt": "", "begun": ""} {
		if text, _ := os.ReadFile(in(name)); string(text) != want {
			t.Errorf("%s holds %q, want %q", name, text, want)
		}
	}
	if said := notices(c); !strings.Contains(said, "2 restored, 4 left alone because someone else may have changed them (b.txt, job.txt, old.txt, person.txt)") {
		t.Errorf("said:\n%s", said)
	}
}
