//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestPaletteOpensWindows takes actions that are done in windows from the list of all
// actions: the window opens, and the key is named. The draft stays.
func TestPaletteOpensWindows(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 110, Rows: 32, Scenario: answers(on("go", say("Gone.")))})
	d.WaitFor(Contains("Type what you want done")).Type("go").Press("enter").WaitFor(Contains("Gone.")).WaitIdle()
	d.Type("my draft")
	for _, c := range [][3]string{
		{"another title", "─ Sessions", "alt+r: give the selected session another title."},
		{"list the last writes", "─ Memory", "alt+w: list the last writes"},
		{"decided in other", "─ Permissions", "alt+s: list what was decided"},
	} {
		d.Press("ctrl+p").WaitFor(Contains("Actions and commands")).Type(c[0]).WaitFor(Contains(c[0])).WaitSync()
		d.Press("enter").WaitFor(Contains(c[1]), Contains(c[2]))
		d.Press("esc").WaitFor(NotContains(c[1]), Contains("my draft"))
	}
	d.Press("ctrl+p").WaitFor(Contains("Actions and commands")).Type("who worked").WaitSync().Press("enter")
	d.WaitFor(Contains("There are no subagents yet."))
	d.WaitIdle()
}
