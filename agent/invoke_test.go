package agent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// needPython skips where there is no Python to run scripts with.
func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: python3 is not installed, so no script can be run")
	}
}

// runCode is a model's call of a script.
func runCode(text string) script.Call {
	return call("execute_code", map[string]any{"code": text})
}

// TestScriptsCallTools has a script use tools: each call is in the journal below
// the script's own, none is in the history, and one that needs leave is asked about
// under the script.
func TestScriptsCallTools(t *testing.T) {
	needPython(t)
	r := newRig(t, rounds(
		steps(runCode("from hermes_tools import read_file, terminal\n"+
			"for i in range(5):\n    assert 'alpha' in read_file(path='a.txt')['content']\n"+
			"print(terminal(command='rm -rf sub'))\nprint('end')\n")),
		steps(script.Text{Text: "done"}),
	))
	write(t, r.work, "a.txt", "alpha\n")
	if err := os.Mkdir(filepath.Join(r.work, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.submit("go")
	first := r.request()
	if first.Approval == nil || !strings.Contains(first.Approval.Text, "rm -rf sub") {
		t.Fatalf("asked %+v", first)
	}
	r.answer(first, event.Answer{Choice: event.ChoiceOnce})
	r.until("a second question", func(s *event.State) bool { return len(s.Requests) > 0 && s.Requests[0].ID != first.ID })
	second := r.request()
	if c := r.state.Root().Call(firstCall(r.state)).Call; c.Asked != second.ID || second.Call != c.ID {
		t.Errorf("the script is not seen to wait: %+v", c)
	}
	if second.Approval == nil || second.Approval.Text != "rm -rf sub" {
		t.Fatalf("asked %+v", second)
	}
	r.answer(second, event.Answer{Choice: event.ChoiceDeny, Text: "not this one"})
	r.idle(1)
	if _, err := os.Stat(filepath.Join(r.work, "sub")); err != nil {
		t.Error("a denied command of a script ran")
	}
	b := r.state.Root().Call(firstCall(r.state))
	if b == nil || b.Call.Made != 6 || len(b.Call.Calls) != 6 || b.Call.Calls[5].Outcome != event.OutcomeDenied || b.Call.Calls[0].View.Subject != "a.txt" {
		t.Fatalf("the script's call is %+v", b.Call)
	}
	rows := r.messages()
	if len(rows) != 4 {
		t.Errorf("%d messages, want 4: calls of a script are not in the history", len(rows))
	}
	if !strings.Contains(rows[2].Content, "not this one") || !strings.Contains(rows[2].Content, "end") {
		t.Errorf("the result is %q", rows[2].Content)
	}
	past := r.revive()
	if got, want := past.State.Root().Call(b.Call.ID).Call.Made, 6; got != want {
		t.Errorf("the journal has %d calls below the script, want %d", got, want)
	}
}

func firstCall(s *event.State) event.CallID {
	for _, b := range s.Root().Blocks {
		if b.Call != nil {
			return b.Call.ID
		}
	}
	return ""
}

// TestScriptsAreRefunded lets a turn that does nothing but run scripts go on beyond
// its budget, as far as that was given back.
func TestScriptsAreRefunded(t *testing.T) {
	needPython(t)
	r := newRig(t, rounds(
		steps(runCode("print(1)")), steps(runCode("print(2)")), steps(runCode("print(3)")), steps(script.Text{Text: "done"}),
	), withBudget(2), withMode(event.ModeOff))
	r.submit("go")
	r.idle(1)
	if e := r.last(); e.Outcome != event.TurnCompleted || e.Calls != 4 {
		t.Errorf("the turn ended %s after %d model calls", e.Outcome, e.Calls)
	}
}

// TestEditThenRun has the user change a command: exactly theirs runs, the model
// hears of it, and the journal shows it.
func TestEditThenRun(t *testing.T) {
	r := newRig(t, rounds(steps(call("terminal", map[string]any{"command": "rm -rf wrong"})), steps(script.Text{Text: "ok"})))
	for _, dir := range []string{"wrong", "right"} {
		if err := os.Mkdir(filepath.Join(r.work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.submit("go")
	q := r.request()
	if !q.Approval.Editable {
		t.Fatal("it cannot be edited")
	}
	r.answer(q, event.Answer{Choice: event.ChoiceEdit, Text: "rm -rf right"})
	r.idle(1)
	_, wrong := os.Stat(filepath.Join(r.work, "wrong"))
	_, right := os.Stat(filepath.Join(r.work, "right"))
	if wrong != nil || right == nil {
		t.Errorf("wrong: %v, right: %v", wrong, right)
	}
	rows := r.messages()
	if !strings.Contains(rows[1].ToolCalls, "rm -rf wrong") || !strings.Contains(rows[2].Content, "rm -rf right") {
		t.Errorf("the model gets %q and %q", rows[1].ToolCalls, rows[2].Content)
	}
	r.wants("terminal ended ok rm -rf right")
}

// TestEditedIntoHarm has the user write what is never allowed: it is refused all
// the same.
func TestEditedIntoHarm(t *testing.T) {
	r := newRig(t, rounds(steps(call("terminal", map[string]any{"command": "rm -rf sub"})), steps(script.Text{Text: "ok"})))
	r.submit("go")
	r.answer(r.request(), event.Answer{Choice: event.ChoiceEdit, Text: "mkfs.ext4 /dev/sda"})
	r.idle(1)
	r.wants("terminal ended denied")
}

// TestJobsReport has a job end while nothing runs: the model hears of it in a turn
// of its own, marked as not the user's.
func TestJobsReport(t *testing.T) {
	r := newRig(t, rounds(steps(script.Text{Text: "one"}), steps(script.Text{Text: "heard"})))
	r.submit("go")
	r.idle(1)
	if err := r.conv.Inform("a job has ended", event.OriginJob, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	r.idle(2)
	if err := r.conv.Inform("old news", event.OriginJob, func() bool { return true }); err != nil {
		t.Fatal(err)
	}
	r.until("dropped", func(s *event.State) bool { return len(s.Queue) == 0 })
	found := false
	for _, b := range r.state.Root().Blocks {
		found = found || b.Kind == event.BlockUser && b.Origin == event.OriginJob && b.Text.String() == "a job has ended"
		if strings.Contains(b.Text.String(), "old news") {
			t.Error("old news were told")
		}
	}
	if !found {
		t.Errorf("nothing was told:\n%s", r.dump())
	}
}
