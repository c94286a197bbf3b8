//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestHooksWindow approves a hook, tries it, sees it refuse a call, has it asked about again
// when its script changes, and switches it off.
func TestHooksWindow(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		home := filepath.Join(t.TempDir(), "home")
		check := filepath.Join(t.TempDir(), "check.sh")
		write := func(text string) {
			if err := os.WriteFile(check, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		write("#!/bin/sh\ncase $(cat) in *forbidden*) echo 'Not in this house.' >&2; exit 2 ;; esac\nexit 0\n")
		run := call("terminal", map[string]any{"command": "echo forbidden"})
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home, Config: "approvals: {mode: off}\nhooks: {pre_tool_call: [{matcher: terminal, command: " + check + "}]}\n", Scenario: answers(
			on("first", run), after("first", 1, say("It ran.")), on("second", run), after("second", 1, say("It was refused.")), on("third", run), after("third", 1, say("It ran again.")),
		)})
		d.WaitFor(Contains("1 hook does not run before you have looked at it"))
		d.Type("first").Press("enter").WaitFor(Contains("It ran."))
		d.Type("/hooks").Press("enter").WaitFor(Contains("Not run until you approve them"), Contains("pre_tool_call"))
		d.Press("alt+t").WaitFor(Contains("nly an approved hook can be tried"))
		d.Press("enter").WaitFor(Contains("Not in this house.")).Press("esc").WaitFor(NotContains("Not in this house."))
		d.Press("alt+a").WaitFor(Contains("Approved as it is now"), NotContains("Not run until"))
		d.Press("alt+t").WaitFor(Contains("It took"), Contains("ok")).Press("esc").WaitFor(NotContains("It took"))
		d.Press("esc").Type("second").Press("enter").WaitFor(Contains("It was refused."), Contains("a hook refused it"))
		d.Type("/hooks").Press("enter").WaitFor(Contains("refused, now")).Press("enter").WaitFor(Contains("refused: Not in this house.")).Press("esc")
		write("#!/bin/sh\nexit 2\n")
		d.Press("esc").Type("third").Press("enter").WaitFor(Contains("It ran again."), Contains("has changed"))
		d.Type("/hooks").Press("enter").WaitFor(Contains("Changed since you approved them"))
		d.Press("alt+d").WaitFor(Contains("Switched off: pre_tool_call"))
		d.Press("esc").WaitIdle()
	}
}

// TestHooksOfFolder runs the hooks that a folder has for Claude Code only once it is trusted
// and they are approved.
func TestHooksOfFolder(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	project := filepath.Join(filepath.Dir(home), "project")
	if err := os.MkdirAll(filepath.Join(project, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch ran; echo it rains"}]}]}}`
	if err := os.WriteFile(filepath.Join(project, ".claude", "settings.json"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	d := Start(t, Options{Cols: 110, Rows: 32, Home: home, Scenario: answers(on("it rains", say("Take an umbrella.")), on("weather", say("No idea.")))})
	ran := func() bool {
		_, err := os.Stat(filepath.Join(project, "ran"))
		return err == nil
	}
	d.WaitFor(Contains("Type what you want done"))
	d.Type("the weather").Press("enter").WaitFor(Contains("No idea."))
	d.Type("/hooks").Press("enter").WaitFor(Contains("count once it is trusted")).Press("esc")
	d.Type("/trust yes").Press("enter").WaitFor(Contains("Trusted: "))
	d.Type("what weather").Press("enter").WaitFor(Contains("does not run"), Contains("what weather"))
	d.WaitIdle()
	if ran() {
		t.Error("it ran unasked")
	}
	d.Type("/hooks").Press("enter").WaitFor(Contains("of this folder")).Press("alt+a").WaitFor(Contains("Approved as it is now")).Press("esc")
	d.Type("now the weather").Press("enter").WaitFor(Contains("Take an umbrella."))
	d.WaitIdle().Expect(NotContains("From a hook"))
	if !ran() {
		t.Error("it did not run")
	}
}
