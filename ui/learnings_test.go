//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestLearnings sees what was learnt from a command that failed and then worked in
// another way, changes it, is told of it in the next session, forgets it and puts it
// back.
func TestLearnings(t *testing.T) {
	t.Parallel()
	wrong, right := call("terminal", map[string]any{"command": "sh build.sh"}), call("terminal", map[string]any{"command": "sh scripts/build.sh"})
	s := answers(
		on("build", wrong), after("build", 1, right), after("build", 2, say("It is built.")),
		on("again", wrong), after("again", 1, say("It was tried.")),
		on("remember", call("learnings", map[string]any{"action": "save", "failed": "tests without the database", "fix": "make db first"})),
		after("remember", 1, say("It is kept.")),
	)
	d := Start(t, Options{Cols: 110, Rows: 32, Scenario: s, Config: "approvals: {mode: off}\n"})
	if err := os.MkdirAll(filepath.Join(d.Dir(), "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Dir(), "scripts", "build.sh"), []byte("echo built\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.WaitFor(Contains("Type what you want done"))
	d.Type("/learnings").Press("enter").WaitFor(Contains("Nothing was learnt yet")).Press("esc")
	d.Type("build").Press("enter").WaitFor(Contains("It is built."))
	d.Type("/learnings").Press("enter").WaitFor(Contains("sh build.sh"), Contains("→ sh scripts/build.sh"), Contains("not used yet"))
	d.Press("enter").WaitFor(Contains("Change what to do")).Press("enter").WaitFor(Contains("Kind of failure:"), Contains("no such file")).Press("esc")
	d.WaitFor(Contains("Change what to do")).Press("down").Press("enter").WaitFor(Contains("─ Change what to do ─"))
	d.Type(" --fast").Press("enter").WaitFor(Contains("Changed."))
	d.Type("/new").Press("enter").WaitFor(Contains("Type what you want done"), NotContains("It is built."))
	d.Type("again").Press("enter").WaitFor(Contains("It was tried."))
	d.Type("remember").Press("enter").WaitFor(Contains("It is kept."))
	d.Type("/learnings").Press("enter").WaitFor(Contains("→ sh scripts/build.sh --fast"), Contains("used 1×"), Contains("→ make db first"))
	d.Type("build").WaitFor(NotContains("make db first")).Press("enter").WaitFor(Contains("Forget it"))
	d.Press("end").WaitFor(Contains("▸  Forget it")).Press("enter").WaitFor(Contains("Forgotten: /learnings undo"))
	d.Type("/learnings").Press("enter").WaitIdle().Expect(Contains("▸", "→ make db first"), NotContains("--fast")).Press("esc")
	d.Type("/learnings undo").Press("enter").WaitFor(Contains("Put back: sh build.sh"))
	d.Resize(50, 24).Type("/learnings").Press("enter").WaitIdle().Expect(Contains("▸", "→ make db first", "sh build.sh")).Press("esc")
	d.WaitIdle()
}
