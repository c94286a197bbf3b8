//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// editor is a program that does with a draft what it says.
const editor = `#!/bin/sh
for file; do :; done
case "$(cat "$file")" in
add*) printf 'and more\n\n' >>"$file" ;;
drop*) echo 'nothing but [paste #1]' >"$file" ;;
fail*) echo 'half of it' >"$file"; exit 7 ;;
quit*) exit 7 ;;
gone*) rm "$file" ;;
huge*) head -c 5000000 /dev/zero | tr '\0' x >"$file" ;;
odd*) printf 'a\033[31mb\377c' >"$file" ;;
wait*) printf 'EDITING'; read -r _ </dev/tty; echo 'edited meanwhile' >"$file" ;;
esac
`

// TestEditDraft changes the draft in an editor. Pastes stay pastes; of an editor that fails
// nothing is lost.
func TestEditDraft(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "ed")
	if err := os.WriteFile(program, []byte(editor), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{160, 45}, {90, 30}, {50, 20}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: answers(on("go", run("sleep 2; echo over"), say("")), after("go", 1, say("It went on."))), Env: []string{"VISUAL=" + program + " -x", "EDITOR=false"}})
		d.WaitFor(Contains("What do you want to do?")).WaitIdle()
		clear := func() { d.Press("ctrl+c").WaitSync() }

		d.Type("add this").Press("ctrl+g").WaitFor(Contains("❯ add this", "and more")).Expect(CursorAfter("and more"))
		d.Press("ctrl+_").WaitFor(NotContains("and more"), Contains("❯ add this"))
		clear()
		d.Type("drop ").Paste(strings.Repeat("line\n", 8)).WaitFor(Contains("[paste #1 · 8 lines]")).Press("alt+g").WaitFor(Contains("❯ nothing but [paste #1 · 8 lines]"))
		clear()
		d.Type("quit").Press("ctrl+g").WaitFor(Contains("The editor failed", "exit status 7", "❯ quit"), NotContains("what it wrote"))
		clear()
		d.Type("gone").Press("ctrl+g").WaitFor(Contains("has left no file", "❯ gone"))
		clear()
		d.Type("odd").Press("ctrl+g").WaitFor(Contains("❯ ab�c"))
		clear()
		d.Type("huge").Press("ctrl+g").WaitFor(Contains("4 MB", "❯ huge"))
		clear()
		d.Type("fail").Press("ctrl+g").WaitFor(Contains("status 7; what it wrote", "❯ fail"))
		clear()
		kept, _ := filepath.Glob(filepath.Join(d.Home(), "cache", "prompt-*.md"))
		if len(kept) != 2 { // that of fail, and that of huge
			t.Errorf("kept are %q", kept)
		}

		// The agent goes on while the editor has the terminal.
		d.Type("go").Press("enter").WaitFor(Contains("terminal"))
		d.Type("wait").Press("ctrl+g").WaitFor(Contains("EDITING")).Send("\r").WaitFor(Contains("❯ edited meanwhile"))
		d.WaitFor(Contains("It went on."))
		clear()
		d.Quit().Wait()
	}
}

// TestEditDraftWithoutEditor names an editor that is not there.
func TestEditDraftWithoutEditor(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("go", say("Gone."))), Env: []string{"VISUAL=", "EDITOR=/no/such/editor"}})
	d.WaitFor(Contains("What do you want to do?")).WaitIdle()
	d.Type("kept").Press("ctrl+g").WaitFor(Contains("/no/such/editor", "nothing was changed", "❯ kept"))
	d.Press("ctrl+c").WaitSync().Quit().Wait()
}
