//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// TestJumpToAMessage chooses one of the user's messages from a list, from the draft and
// from the transcript.
func TestJumpToAMessage(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 90, Rows: 24, Scenario: answers(script.Rule{Steps: []script.Step{say("An answer to it.\n\n" + strings.Repeat("- more\n", 20) + "\n{{last_user}} was asked.")}})})
	for i := range 6 {
		text := fmt.Sprintf("question number %d", i)
		d.Type(text).Press("enter").WaitFor(Contains(text + " was asked.")).WaitIdle()
	}
	d.Type("half a draft").Press("alt+j").WaitFor(Contains("Go to one of your messages"), Contains("question number 5"), Contains("question number 0"))
	d.Type("er 2").WaitFor(Contains("1 of 6")).Press("enter").WaitFor(NotContains("Go to one"), Contains("▎❯ question number 2"), Contains("An answer to it."))
	d.Press("p").WaitFor(Contains("Go to one")).Press("down", "enter").WaitFor(Contains("▎❯ question number 4"))
	d.Press("alt+up").WaitFor(Contains("▎❯ question number 3")).Press("alt+down").WaitFor(Contains("▎❯ question number 4"))
	d.Press("esc").WaitFor(CursorAfter("half a draft"))
}

// TestDetails folds and unfolds all blocks of a kind, by a command and with a key.
func TestDetails(t *testing.T) {
	t.Parallel()
	s := answers(
		on("go", script.Reasoning{Text: "A thought about it."}, run("seq 101 109")), after("go", 1, call("write_file", map[string]any{"path": "x.go", "content": "package x\n"})),
		after("go", 2, say("Done.")),
	)
	d := Start(t, Options{Cols: 100, Rows: 36, Scenario: s, Config: "approvals:\n  mode: \"off\"\n"})
	d.Type("go").Press("enter").WaitFor(Contains("Done."), Contains("▸ Thought"), Contains("  109"), NotContains("  104"), Contains("package x"))
	d.WaitIdle().Type("/details tools unfold").Press("enter").WaitFor(Contains("All calls are unfolded."), Contains("  104"), NotContains("A thought about"))
	d.Type("/details reasoning").Press("enter").WaitFor(Contains("A thought about it."), Contains("All reasoning is unfolded."))
	d.Type("/details diffs fold").Press("enter").WaitFor(NotContains("package x"))
	d.Type("/details").Press("enter").WaitFor(Contains("reasoning unfolded, tools unfolded, diffs folded"))
	d.Type("/details reasoning hidden").Press("enter").WaitFor(NotContains("Thought"))
	d.Type("/details reasoning unfold").Press("enter").WaitFor(Contains("A thought about it."))
	d.Type("/details all fold").Press("enter").WaitFor(NotContains("A thought about"), NotContains("  104"), Contains("package x"))
	d.Type("/details nothing").Press("enter").WaitFor(Contains("then fold or unfold"))
	d.Press("f6", "up", "up").WaitFor(Contains("▎● terminal")).Press("f").WaitFor(Contains("  104"), Contains("package x"), NotContains("A thought about"))
	d.Press("f").WaitFor(NotContains("  104")).Press("up", "f").WaitFor(Contains("A thought about it."), NotContains("  104"))
	d.Press("ctrl+t", "ctrl+t").WaitFor(NotContains("A thought about"))
	d.Press("down", "down", "down", "f").WaitFor(Contains("There is nothing to fold here"))
}

// reader is an editor that says what it was given, and changes it when that says so.
const reader = `#!/bin/sh
for file; do :; done
printf 'READING %s %s ' "${file##*/}" "$(tail -n 1 "$file")"
read -r answer </dev/tty
case "$answer" in
change) echo changed >>"$file" ;;
fail) exit 3 ;;
esac
`

// TestBlockInTheEditor reads a block in an editor, of a call with all of its output, and a
// window; what is written there is kept and told.
func TestBlockInTheEditor(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "ed")
	if err := os.WriteFile(program, []byte(reader), 0o700); err != nil {
		t.Fatal(err)
	}
	d := Start(t, Options{Cols: 100, Rows: 24, Scenario: answers(on("go", run("seq 1 4000")), after("go", 1, say("The **answer**."))), Env: []string{"VISUAL=" + program}})
	kept := func() int {
		list, _ := filepath.Glob(filepath.Join(d.Home(), "cache", "block-*"))
		return len(list)
	}
	d.Type("go").Press("enter").WaitFor(Contains("The answer.")).WaitIdle()
	d.Press("f6", "e").WaitFor(LineMatches(`READING block-\w+\.md The \*\*answer\*\*\.`)).Send("\r").WaitFor(Contains("▎The answer.")).WaitIdle()
	d.Press("up", "e").WaitFor(LineMatches(`READING block-\w+\.txt 4000`)).Send("\r").WaitFor(Contains("▎● terminal")).WaitIdle()
	d.Press("o").WaitFor(Contains("╭", "4000 lines")).Press("e").WaitFor(Count("READING", 3), LineMatches(`READING block-\w+\.txt 4000`)).Send("\r").WaitFor(Contains("4000 lines")).Press("esc")
	d.WaitFor(NotContains("4000 lines ·")).WaitIdle()
	if n := kept(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	d.Press("e").WaitFor(Count("READING", 4)).Send("fail\r").WaitFor(Contains("The editor failed"), Contains("status 3")).WaitIdle()
	d.Press("e").WaitFor(Count("READING", 5)).Send("change\r").WaitFor(Contains("What you wrote is in"), Contains("▎● terminal")).WaitIdle()
	if n := kept(); n != 1 {
		t.Errorf("%d files are kept, want the one that was changed", n)
	}
}
