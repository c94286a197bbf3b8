package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/agent/event"
)

// play writes a scenario file whose rules are given as JSON and makes a box that
// plays it.
func play(t *testing.T, rules ...string) *box {
	t.Helper()
	b := newBox(t)
	file := filepath.Join(b.dir, "..", "scenario.json")
	if err := os.WriteFile(file, []byte(`{"rules":[`+strings.Join(rules, ",\n")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b.flags = []string{"--scenario", file}
	return b
}

// rule answers a prompt, or an assignment whose goal is matched, once so many tool
// results are there.
func rule(user, results, steps string) string {
	return `{"match":{"user":"` + user + `","results":` + results + `},"steps":[` + steps + `]}`
}

// delegating is a call that gives tasks away.
func delegating(args string) string { return `{"call":{"name":"delegate_task","args":` + args + `}}` }

// running is a call of a command.
func running(line string) string {
	return `{"call":{"name":"terminal","args":{"command":"` + line + `"}}}`
}

// readEvent reads an event from its line.
func readEvent(line string) (event.Event, error) {
	var head event.Meta
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		return nil, err
	}
	return new(event.Decoder).UnmarshalAs(head.Type, []byte(line))
}

// folded reads events back from their lines: the state that they fold to, and all of
// them.
func folded(t *testing.T, lines string) (*event.State, []event.Event) {
	t.Helper()
	var state event.State
	var all []event.Event
	for line := range strings.Lines(lines) {
		e, err := readEvent(line)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		state.Apply(e)
		all = append(all, e)
	}
	return &state, all
}

func family() []string {
	return []string{
		rule("^go", "0", delegating(`{"tasks":[{"goal":"count the files\nof this folder"},{"goal":"break"},{"goal":"never","toolsets":["todo"]}]}`)),
		rule("^go", "1", `{"text":"All is known."}`),
		rule("count the files", "0", `{"text":"I count."},`+running("ls")),
		rule("count the files", "1", `{"text":"There are none."}`),
		rule("break", "0", `{"error":{"status":401,"message":"who are you"}}`),
		rule("never", "0", `{"text":"Nothing to do."}`),
	}
}

// TestExecSubagents has subagents: the output is the answer of the root alone, and
// each of them has two lines among the notices.
func TestExecSubagents(t *testing.T) {
	b := play(t, family()...)
	o := b.exec("go on")
	if o.out != "All is known.\n" {
		t.Errorf("printed %q", o.out)
	}
	lines := strings.Split(strings.TrimSpace(o.err), "\n")
	slices.Sort(lines)
	for i, want := range []string{
		"Subagent 1 begins: count the files …", "Subagent 1 has completed after ", "Subagent 2 begins: break", "Subagent 2 has failed after ",
		"Subagent 3 begins: never", "Subagent 3 has completed after ",
	} {
		if len(lines) != 6 || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("line %d of %d is not %q:\n%s", i, len(lines), want, o.err)
		}
	}
	holds(t, "stderr", o.err, " and 1 call.", " and 0 calls")
}

// TestExecSubagentsJSON reads the events back: those of a subagent carry its id and
// its session, and fold to the tree.
func TestExecSubagentsJSON(t *testing.T) {
	b := play(t, family()...)
	o := b.exec("--json", "go on")
	if o.err != "" {
		t.Errorf("stderr: %s", o.err)
	}
	state, all := folded(t, o.out)
	root := state.Root()
	if end, ok := all[len(all)-1].(*event.TurnFinished); !ok || end.Agent != root.ID {
		t.Errorf("the last event is %+v", all[len(all)-1])
	}
	tree := state.Tree(state.Trees()[0])
	if len(tree) != 3 || tree[0].Parent != root.ID || tree[0].State != event.AgentCompleted || tree[0].Summary != "There are none." ||
		tree[1].State != event.AgentFailed || tree[2].State != event.AgentCompleted {
		t.Errorf("tree %+v", tree)
	}
	said := map[event.AgentID]bool{}
	for _, e := range all {
		h := e.Head()
		a := state.Agent(h.Agent)
		if a == nil {
			t.Fatalf("an event of no one: %+v", e)
		}
		if a.Parent != "" && h.Session != a.Session {
			t.Errorf("an event of %s in session %s: %+v", a.Goal, h.Session, e)
		}
		if m, ok := e.(*event.MessageCommitted); ok && m.Role == event.RoleAssistant {
			said[h.Agent] = true
		}
	}
	if !said[root.ID] || !said[tree[0].ID] || !said[tree[2].ID] {
		t.Errorf("who said something: %v", said)
	}
}

// TestExecSubagentIsDenied has a subagent that needs consent: no one is there, so
// nothing runs, and both models and the user learn of it. Settings decide
// otherwise.
func TestExecSubagentIsDenied(t *testing.T) {
	rules := []string{
		rule("^go", "0", delegating(`{"goal":"clean up"}`)), rule("^go", "1", `{"text":"Reported: {{last_tool}}"}`),
		rule("clean up", "0", running("rm -rf old")), rule("clean up", "1", `{"text":"I was told {{last_tool}}"}`),
	}
	for name, c := range map[string]struct {
		settings string
		flags    []string
		says     []string
		told     string // to the model
		runs     bool
	}{
		"ask": {"", nil,
			[]string{"Denied to subagent 1, because no one can be asked here: run rm -rf old (it deletes", "in hermes-tui", "--yolo"}, "consent", false},
		"deny": {"delegation:\n  approvals: deny\n", nil,
			[]string{"Denied to subagent 1 by the setting delegation.approvals: run rm -rf old (it deletes"}, "delegation.approvals: deny", false},
		"allow": {"delegation:\n  approvals: allow\n", nil,
			[]string{"Allowed to subagent 1 by the setting delegation.approvals: run rm -rf old (it deletes"}, "exit_code", true},
		"nothing asked": {"delegation:\n  approvals: deny\n", []string{"--yolo"}, nil, "exit_code", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := play(t, rules...)
			if c.settings != "" {
				b.settings(c.settings)
			}
			old := filepath.Join(b.dir, "old")
			if err := os.Mkdir(old, 0o700); err != nil {
				t.Fatal(err)
			}
			o := b.exec(append(slices.Clone(c.flags), "go on")...)
			holds(t, "stderr", o.err, append(c.says, "Subagent 1 begins: clean up", "Subagent 1 has completed")...)
			if n := strings.Count(o.err, "\n"); n != 2+min(len(c.says), 1) {
				t.Errorf("%d lines on stderr:\n%s", n, o.err)
			}
			holds(t, "the answer", o.out, "Reported", c.told)
			if _, err := os.Stat(old); os.IsNotExist(err) != c.runs {
				t.Errorf("it is there: %v", err)
			}
		})
	}
}

// TestExecSubagentAsks has a subagent with a question, which no one answers.
func TestExecSubagentAsks(t *testing.T) {
	b := play(t,
		rule("^go", "0", delegating(`{"goal":"paint it"}`)), rule("^go", "1", `{"text":"Done."}`),
		rule("paint it", "0", `{"call":{"name":"clarify","args":{"question":"Which colour?","choices":["red","green"]}}}`),
		rule("paint it", "1", `{"text":"Red, then."}`))
	o := b.exec("go on")
	holds(t, "stderr", o.err, "Not answered to subagent 1, because no one can be asked here: Which colour? (red, green) Say it in the prompt")
	if o.out != "Done.\n" {
		t.Error(o)
	}
}

// TestExecNestedSubagents numbers those below a subagent below its number.
func TestExecNestedSubagents(t *testing.T) {
	b := play(t,
		rule("^go", "0", delegating(`{"goal":"lead","role":"orchestrator"}`)), rule("^go", "1", `{"text":"Led."}`),
		rule("lead", "0", delegating(`{"tasks":[{"goal":"follow"},{"goal":"trail"}]}`)), rule("lead", "1", `{"text":"They followed."}`),
		rule("follow", "0", `{"text":"Here."}`), rule("trail", "0", `{"text":"There."}`))
	b.settings("delegation:\n  max_spawn_depth: 2\n")
	o := b.exec("go on")
	holds(t, "stderr", o.err, "Subagent 1 begins: lead\n", "Subagent 1.1 begins: follow\n", "Subagent 1.2 begins: trail\n", "Subagent 1.2 has completed", "Subagent 1 has completed")
	if o.out != "Led.\n" || strings.Count(o.err, "\n") != 6 {
		t.Error(o)
	}
}

// TestExecRefusedSubagent names one that there is no place for, and does not wait
// for its report.
func TestExecRefusedSubagent(t *testing.T) {
	b := play(t,
		rule("^go", "0", delegating(`{"goal":"take long","background":true}`)), rule("^go", "1", delegating(`{"goal":"take longer","background":true}`)),
		rule("^go", "2", `{"text":"One works."}`), rule("^.ASYNC DELEGATION", "0", `{"text":"It is here."}`),
		rule("take long", "0", `{"sleep_ms":300},{"text":"It took long."}`))
	b.settings("delegation:\n  max_async_children: 1\n")
	o := b.exec("go on")
	holds(t, "stderr", o.err, "Subagent 2 was refused: ", "(take longer)\n", "reports are awaited: 1.")
	if o.out != "One works.\nIt is here.\n" {
		t.Error(o)
	}
}

// TestExecBackground waits for a subagent that the model does not wait for: its
// report begins a turn of its own, whose answer follows.
func TestExecBackground(t *testing.T) {
	t.Parallel()
	rules := []string{
		rule("^go", "0", delegating(`{"goal":"take long","background":true}`)), rule("^go", "1", `{"text":"It is on its way."}`),
		rule("take long", "0", `{"sleep_ms":300},{"text":"It took long."}`),
	}
	b := play(t, append([]string{rule("^.ASYNC DELEGATION", "0", `{"text":"It is here."}`)}, rules...)...)
	o := b.exec("go on")
	if o.out != "It is on its way.\nIt is here.\n" {
		t.Errorf("printed %q", o.out)
	}
	holds(t, "stderr", o.err, "Subagent 1 begins in the background: take long\n", "reports are awaited: 1.\n", "Subagent 1 has completed")
	if strings.Contains(o.err, "goes first") {
		t.Errorf("stderr: %s", o.err)
	}
	state, all := folded(t, b.exec("--json", "go on").out)
	if end, ok := all[len(all)-1].(*event.TurnFinished); !ok || end.Agent != state.Root().ID || len(state.Live()) != 0 {
		t.Errorf("the last event is %+v", all[len(all)-1])
	}

	// What is said to the report fails.
	b = play(t, append([]string{rule("^.ASYNC DELEGATION", "0", `{"error":{"status":401,"message":"no"}}`)}, rules...)...)
	if o := b.run("exec", "go on"); o.code != exitFailed || o.out != "It is on its way.\n" {
		t.Error(o)
	}

	// The turn of the prompt fails while it works.
	rules[1] = rule("^go", "1", `{"error":{"status":401,"message":"no"}}`)
	rules[2] = rule("take long", "0", `{"stall":true}`)
	b = play(t, rules...)
	o = b.run("exec", "go on")
	if o.code != exitFailed {
		t.Error(o)
	}
	holds(t, "stderr", o.err, "reports are missing: 1. They are ended.", "--resume")
}

// TestInterruptWithSubagents ends what subagents run, those in the background as
// well, before and after the prompt was answered.
func TestInterruptWithSubagents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ args, wait, says string }{
		"waited for":     {`{"goal":"take long"}`, "started", "Interrupted"},
		"not waited for": {`{"goal":"take long","background":true}`, `"type":"turn_finished"`, "the prompt was answered"},
	} {
		t.Run(name, func(t *testing.T) {
			b := play(t,
				rule("^go", "0", delegating(c.args)), rule("^go", "1", `{"text":"It is on its way."}`),
				rule("take long", "0", running("echo started $$; exec sleep 600")))
			call := b.start("exec", "--yolo", "--json", "go on")
			call.out.waitFor(t, c.wait)
			call.out.waitFor(t, `"text":"started `)
			call.stop()
			o := call.wait()
			if o.code != exitInterrupted {
				t.Error(o)
			}
			holds(t, "stderr", o.err, c.says, "--resume")
			holds(t, "stdout", o.out, `"type":"agent_finished"`)
			if n := strings.Count(o.out, `"phase":"stopping"`); n > 2 { // a handler of the signal and the run
				t.Errorf("it says %d times that it stops", n)
			}
			_, after, _ := strings.Cut(o.out, `"text":"started `)
			pid, err := strconv.Atoi(after[:strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })])
			if err != nil {
				t.Fatal(err)
			}
			if !hasEnded(pid) {
				t.Errorf("process %d goes on", pid)
			}
		})
	}
}

// hasEnded reports whether a process has ended, also while the first process of the system,
// its parent since its own has ended, has not collected it.
func hasEnded(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
	}
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// TestExecDemoSubagents has the demonstration answer as the root and as subagents,
// in a folder without a repository and a home without anything in it.
func TestExecDemoSubagents(t *testing.T) {
	t.Parallel() // it writes at the speed of a model
	b := newBox(t)
	if err := os.WriteFile(filepath.Join(b.dir, "notes.txt"), []byte("The heron stands.\nThe otter swims.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.flags = []string{"--provider", "demo"}
	o := b.exec("subagents for heron and walrus")
	holds(t, "the answer", o.out, "2 results: completed, completed", "Look for: heron** (completed, 2 calls", "`notes.txt:1`", "found nothing in these files", "offline demo model")
	holds(t, "stderr", o.err, "Subagent 1 has completed", "Subagent 2 has completed")
	if n := strings.Count(o.err, "\n"); n != 4 {
		t.Errorf("%d lines on stderr:\n%s", n, o.err)
	}
}
