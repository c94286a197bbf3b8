//go:build unix

package ui_test

import (
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// painting is a program whose agent paints a wall as it is told, in a file.
func painting(t *testing.T, cols, rows int) (d *Driver, wall func(want string)) {
	t.Helper()
	d = Start(t, Options{Cols: cols, Rows: rows, Home: filepath.Join(t.TempDir(), "home"), Scenario: answers(
		on("red", run("echo red > wall")), after("red", 1, say("Painted red.")),
		on("blue", run("echo blue > wall")), after("blue", 1, say("Painted blue.")),
		on("green", run("echo green > wall")), after("green", 1, say("Painted green.")),
		on("", say("Yes.")),
	)})
	d.WaitFor(Contains("Type what you want done"))
	return d, func(want string) {
		t.Helper()
		d.WaitIdle()
		if got := file(t, d, "wall"); got != want {
			t.Fatalf("the wall is %q, want %q\n%s", got, want, d.Screen())
		}
	}
}

// TestBranchesTakeFilesAlong goes to before an earlier prompt in a branch, with files, and
// from one branch to the other and back, each with the files as it has left them.
func TestBranchesTakeFilesAlong(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d, wall := painting(t, size[0], size[1])
		d.Type("paint it red").Press("enter").WaitFor(Contains("Painted red."))
		d.WaitIdle().Type("paint it blue").Press("enter").WaitFor(Contains("Painted blue."))
		wall("blue\n")
		d.Press("f6").Press("up", "up").Press("b").WaitFor(Contains("Branch here"), Contains("Files stay as they are"), Contains("1 put back"))
		d.Press("down").Press("enter").WaitFor(NotContains("Painted blue."), Contains("Painted red."), CursorAfter("paint it blue"))
		wall("red\n")
		d.Press("ctrl+u").Type("paint it green").Press("enter").WaitFor(Contains("Painted green."))
		wall("green\n")
		d.Type("/tree").Press("enter").WaitFor(Contains("Branches of this session"), Contains("└ paint it green"))
		d.Press("up").WaitFor(LineMatches(`│ ▸ +paint it red`)).Press("alt+c").WaitFor(LineMatches(`− green`), LineMatches(`\+ blue`), Contains("wall"))
		d.Press("esc").Press("enter").WaitFor(Contains("Go there"), Contains("where the sessions part"))
		d.Press("down").Press("enter").WaitFor(Contains("Painted blue."), NotContains("Painted green."))
		wall("blue\n")
		d.Type("/tree").Press("enter").WaitFor(Contains("└ paint it green")).Press("down").WaitFor(LineMatches(`│ ▸ +└ paint it green`))
		d.Press("enter").WaitFor(Contains("Go there")).Press("enter").WaitFor(Contains("Painted green."), Contains("/redo brings them again"))
		wall("blue\n") // files stayed
	}
}

// TestUndoneIsKept finds what /undo took away, though the session went on, in the tree and
// by searching, and goes on there.
func TestUndoneIsKept(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d, wall := painting(t, size[0], size[1])
		d.Type("begin").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Type("paint it red").Press("enter").WaitFor(Contains("Painted red."))
		d.WaitIdle().Type("/undo").Press("enter").WaitFor(CursorAfter("paint it red"))
		wall("")
		d.Press("ctrl+u").Type("paint it blue").Press("enter").WaitFor(Contains("Painted blue."))
		d.WaitIdle().Type("/tree").Press("enter").WaitFor(LineMatches(`└ paint it red.* taken back`))
		d.Press("down").Press("alt+d").WaitFor(Contains("That is a part of a session")).Press("alt+r").WaitFor(Contains("New title for paint it red"))
		d.Type("the warm one").Press("enter").WaitFor(LineMatches(`└ the warm one.* taken back`)).Press("esc")
		d.Type("/search Painted red").Press("enter").WaitFor(LineMatches(`Painted red\..* taken back`)).Press("enter")
		d.WaitFor(Contains("❯ paint it red"), Contains("Painted red."), NotContains("Painted blue."))
		d.Press("esc").WaitIdle().Type("/undo").Press("enter").WaitFor(CursorAfter("paint it red"), Contains("No file changes to undo"))
		wall("blue\n")
	}
}
