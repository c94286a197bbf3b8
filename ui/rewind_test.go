//go:build unix

package ui_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// file reads a file of the workspace; "" if it is not there.
func file(t *testing.T, d *Driver, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.Dir(), name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

func leave(t *testing.T, d *Driver, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.Dir(), name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func replace(path, from, to string) script.Call {
	return call("patch", map[string]any{"mode": "replace", "path": path, "old_string": from, "new_string": to})
}

// changes is a scenario that changes one file with a tool and makes another one
// in the shell.
func changes() *script.Scenario {
	return answers(
		on("change", replace("greet.txt", "hello", "HELLO")),
		after("change", 1, run("echo made > made.txt")),
		after("change", 2, say("It is changed.")),
		on("", say("Nothing to do.")),
	)
}

// changed starts a program in which the files were changed.
func changed(t *testing.T, cols, rows int) *Driver {
	t.Helper()
	d := Start(t, Options{Cols: cols, Rows: rows, Scenario: changes()})
	leave(t, d, "greet.txt", "one\nhello\nthree\n")
	d.Type("first").Press("enter").WaitFor(Contains("Nothing to do."))
	d.WaitIdle().Type("change").Press("enter").WaitFor(Contains("It is changed."))
	d.WaitIdle()
	if file(t, d, "greet.txt") != "one\nHELLO\nthree\n" || file(t, d, "made.txt") != "made\n" {
		t.Fatal("nothing was changed")
	}
	return d
}

// back opens the ways to go back to before the newest prompt.
func back(d *Driver) {
	d.Press("esc", "esc").WaitFor(Contains("Go back to before"))
	d.Press("enter").WaitFor(Contains("What goes back"), Contains("Session only"))
}

// TestRewindFiles goes back with files, and takes that back.
func TestRewindFiles(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:3] {
		d := changed(t, size[0], size[1])
		back(d)
		d.WaitFor(Contains("2 put back"), Contains("made.txt"), Contains("greet.txt"))
		d.Press("enter").WaitFor(Contains("❯ change"), NotContains("It is changed."), NotContains("What goes back"))
		d.WaitIdle().Expect(CursorAfter("❯ change"))
		if file(t, d, "greet.txt") != "one\nhello\nthree\n" || file(t, d, "made.txt") != "" {
			t.Fatal("the files did not go back")
		}
		d.Press("ctrl+u").Type("/rewind undo").Press("enter").WaitFor(Contains("It is changed."))
		d.WaitIdle()
		if file(t, d, "greet.txt") != "one\nHELLO\nthree\n" || file(t, d, "made.txt") != "made\n" {
			t.Fatal("the undo did not bring the files back")
		}
	}
}

// TestUndoRedo walks back and forth through what three prompts have done, to the session
// and to files, also when the program was started again in between.
func TestUndoRedo(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:3] {
		home := filepath.Join(t.TempDir(), "home")
		o := Options{Cols: size[0], Rows: size[1], Home: home, Dir: t.TempDir(), Scenario: answers(
			on("one", run("echo 1 > number")), after("one", 1, say("That is one.")),
			on("two", run("echo 2 > number")), after("two", 1, say("That is two.")),
			on("three", run("echo 3 > number")), after("three", 1, say("That is three.")),
			on("", say("Yes.")),
		)}
		d := Start(t, o)
		number := func(want string) {
			t.Helper()
			d.WaitIdle()
			if got := file(t, d, "number"); got != want {
				t.Fatalf("%v: the file holds %q, want %q", size, got, want)
			}
		}
		d.WaitFor(Contains("Type what you want done"))
		d.Type("/undo").Press("enter").WaitFor(Contains("There is no prompt to take back."))
		for _, n := range []string{"one", "two", "three"} {
			d.Type(n).Press("enter").WaitFor(Contains("That is " + n + "."))
			d.WaitIdle()
		}
		d.Type("/undo").Press("enter").WaitFor(NotContains("That is three."), CursorAfter("❯ three"))
		number("2\n")
		d.Press("ctrl+u").Type("/undo 2").Press("enter").WaitFor(NotContains("That is one."), CursorAfter("❯ one"))
		number("")
		d.Press("ctrl+u").Type("/redo").Press("enter").WaitFor(Contains("That is two."), NotContains("That is three."))
		number("2\n")
		d.Quit().Wait()
		o.Args = append(o.Args, "--continue")
		d = Start(t, o)
		d.WaitFor(Contains("That is two."))
		d.Type("/redo 5").Press("enter").WaitFor(Contains("That is three."))
		number("3\n")
		d.Type("/redo no").Press("enter").WaitFor(Contains("/redo brings back what"))
		d.Type("/undo").Press("enter").WaitFor(CursorAfter("❯ three"))
		d.Press("ctrl+u").Type("else").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Type("/redo").Press("enter").WaitFor(Contains("! There is no rewind to undo"))
		number("2\n")
	}
}

// TestRewindRestoredByGit throws away with git what the user has not committed, which
// is not asked about where commands are confined: going back brings it back.
func TestRewindRestoredByGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git here")
	}
	for _, command := range []string{"git restore greet.txt", "git checkout -- .", "git checkout HEAD -- greet.txt"} {
		t.Run(command, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "init", "-q")
			put(t, dir, map[string]string{"greet.txt": "one\n"})
			git(t, dir, "add", ".")
			git(t, dir, "-c", "user.name=u", "-c", "user.email=u@example.com", "commit", "-qm", "one")
			d := Start(t, Options{Dir: dir, Scenario: answers(on("throw", run(command)), after("throw", 1, say("It is gone.")))})
			d.WaitIdle()
			if strings.Contains(d.Screen().Text(), "◆ manual") {
				t.Skip("SKIPPED: nothing can be confined here")
			}
			leave(t, d, "greet.txt", "two\n")
			d.Type("throw").Press("enter").WaitFor(Contains("It is gone."))
			d.WaitIdle()
			if got := file(t, d, "greet.txt"); got != "one\n" {
				t.Fatalf("git left %q", got)
			}
			back(d)
			d.WaitFor(Contains("1 put back"), Contains("greet.txt")).Press("enter").WaitFor(NotContains("It is gone."), NotContains("What goes back"))
			d.WaitIdle()
			if got := file(t, d, "greet.txt"); got != "two\n" {
				t.Errorf("going back left %q", got)
			}
		})
	}
}

// TestRewindConflict leaves a file alone that someone else has changed, unless
// the user wants it replaced.
func TestRewindConflict(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:3] {
		d := changed(t, size[0], size[1])
		leave(t, d, "greet.txt", "mine\n")
		back(d)
		d.WaitFor(Contains("Both, replacing")).Expect(Contains("left alone"))
		d.Type("files only").Press("enter").WaitFor(NotContains("What goes back"))
		d.WaitIdle().Expect(Contains("It is changed."))
		if file(t, d, "greet.txt") != "mine\n" || file(t, d, "made.txt") != "" {
			t.Fatalf("greet %q, made %q", file(t, d, "greet.txt"), file(t, d, "made.txt"))
		}
		back(d)
		d.WaitFor(Contains("Both, replacing")).Type("replacing").Press("enter").WaitFor(NotContains("It is changed."), NotContains("What goes back"))
		d.WaitIdle()
		if got := file(t, d, "greet.txt"); got != "one\nhello\nthree\n" {
			t.Fatalf("greet %q", got)
		}
	}
}

// TestRewindStreaming goes back while a turn runs, which ends it, and undoes that.
func TestRewindStreaming(t *testing.T) {
	t.Parallel()
	s := answers(on("slow", say("It begins"), script.Stall{}), on("", say("Nothing to do.")))
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s})
		d.Type("first").Press("enter").WaitFor(Contains("Nothing to do."))
		d.WaitIdle().Type("slow").Press("enter").WaitFor(Contains("It begins"))
		d.Type("/rewind").Press("enter").WaitFor(Contains("Go back to before"))
		d.Press("enter").WaitFor(Contains("▸  Session only"))
		d.Press("enter").WaitFor(NotContains("It begins"), NotContains("What goes back"), Contains("ready"))
		d.WaitIdle().Expect(CursorAfter("❯ slow"))
		d.Press("ctrl+u").Type("/rewind undo").Press("enter").WaitFor(Contains("It begins"))
		d.WaitIdle()
	}
}

// TestDiff shows what a turn has changed, the shell's changes among them, again for
// every width, and copies the difference itself.
func TestDiff(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:3] {
		d := changed(t, size[0], size[1])
		d.Type("/diff").Press("enter").WaitFor(Contains("Changed in this turn"), Contains("made.txt (new)"), Contains("1 + made"))
		d.Press("end").Expect(Contains("HELLO"))
		if size[0] >= 140 {
			d.Expect(LineMatches(`− hello +│ +2 \+ HELLO`))
		} else {
			d.Expect(LineMatches(`2 +− hello`), LineMatches(` 2 \+ HELLO`))
		}
		d.Resize(76, 24).WaitFor(Contains("Changed in this turn"), LineMatches(`2 +− hello`), LineMatches(` 2 \+ HELLO`))
		d.Resize(150, 40).WaitFor(LineMatches(`− hello +│ +2 \+ HELLO`))
		d.Press("ctrl+y").WaitFor(Contains("characters"))
		if clip := d.Clipboard(); !strings.Contains(clip, "\n-hello\n+HELLO\n") || strings.Contains(clip, "│") {
			t.Errorf("copied %q", clip)
		}
		d.Press("esc").WaitFor(NotContains("Changed in this turn"))
		d.Type("next").Press("enter").WaitFor(Count("Nothing to do.", 2))
		d.WaitIdle().Type("/diff").Press("enter").WaitFor(Contains("Nothing was changed."))
		d.Press("esc").Type("/diff session").Press("enter").WaitFor(Contains("Changed in this session"), Contains("made.txt (new)"))
	}
}

// TestUndoTwice types the second /undo behind the prompt that the first one brought back.
func TestUndoTwice(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("", say("Noted.")))})
	for _, text := range []string{"first prompt", "second prompt"} {
		d.Type(text).Press("enter").WaitFor(Contains("❯ " + text)).WaitIdle()
	}
	d.Type("/undo").Press("enter").WaitFor(CursorAfter("second prompt")).WaitIdle()
	d.Type("/undo").Press("enter").WaitFor(CursorAfter("❯ first prompt"), NotContains("second")).WaitIdle()
	d.Type("/redo").Press("enter").WaitFor(Contains("❯ first prompt", "Noted.")).WaitIdle()
	d.Press("ctrl+c").WaitSync().Quit().Wait()
}
