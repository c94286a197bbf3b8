//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/ui/uitest"
)

// TestPermissions allows something for good, sees it listed with what was decided,
// takes it back and gives it again.
func TestPermissions(t *testing.T) {
	command := call("terminal", map[string]any{"command": "systemctl restart web"})
	s := answers(on("restart", command), after("restart", 1, say("It was tried.")))
	d := Start(t, Options{Cols: 110, Rows: 32, Scenario: s})
	d.WaitFor(Contains("Type what you want done"))
	d.Type("/permissions").Press("enter").WaitFor(Contains("Nothing is allowed beforehand")).Press("esc")
	d.Type("restart").Press("enter").WaitFor(Contains("systemctl restart"), Contains("▸ 1 Deny"))
	d.Press("4").WaitFor(Contains("▸ 4 Always")).Press("enter").WaitFor(Contains("▸ 1 Back"))
	d.Press("2").WaitFor(Contains("▸ 2 Always allow")).Press("enter").WaitFor(Contains("It was tried."))
	d.Type("/permissions").Press("enter").WaitFor(Contains("Allowed always"), Contains("you allowed it"), Contains("since now"))
	d.Press("enter").WaitFor(Contains("taken back"))
	d.Press("enter").WaitFor(NotContains("taken back"), Contains("Allowed always"))
	d.Press("enter").WaitFor(Contains("taken back"))
	d.Press("esc").WaitFor(NotContains("Permissions"))
	d.Type("/permissions").Press("enter").WaitFor(NotContains("Allowed always"), Contains("you allowed it"))
	d.Press("esc").WaitIdle()
}
