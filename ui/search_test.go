//go:build unix

package ui_test

import (
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestSearchWindow finds what was said in an earlier session while it is typed, goes to
// the message in it, and then to one of the session on the screen.
func TestSearchWindow(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		home := filepath.Join(t.TempDir(), "home")
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home, Scenario: answers(
			on("lighthouse", say("The keeper of the lighthouse sleeps.")), on("", say("Something else.")),
		)})
		d.WaitFor(Contains("Type what you want done"))
		d.Type("who is in the lighthouse").Press("enter").WaitFor(Contains("keeper of the lighthouse"))
		for range 12 {
			d.Type("and then").Press("enter").WaitFor(Contains("Something else."))
			d.WaitIdle()
		}
		d.WaitFor(NotContains("keeper"))
		d.Type("/new").Press("enter").WaitFor(Contains("Type what you want done"))
		d.Type("/search").Press("enter").WaitFor(Contains("type to search"), Contains("What was said?"))
		d.Type("keep").WaitFor(Contains("The keeper of the lighthouse sleeps."), Contains("1 match"))
		d.Type(" role:boss").WaitFor(Contains(`"boss" is no role`))
		for range len("boss") {
			d.Press("backspace")
		}
		d.Type("user").WaitFor(Contains("Nothing was found."))
		for range len(" role:user") {
			d.Press("backspace")
		}
		d.WaitFor(Contains("keeper of the lighthouse"))
		d.Press("enter").WaitFor(Contains("The keeper of the lighthouse sleeps."), NotContains("Search"))
		d.Press("end").Press("esc").WaitFor(NotContains("keeper"))
		d.Type("/search who").Press("enter").WaitFor(Contains("who is in the"))
		d.Press("enter").WaitFor(Contains("❯ who is in the lighthouse"))
	}
}
