//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestUsageByTurnAndDay shows what each turn and this day have used, with a bar, also of a
// turn that ends while the window is open.
func TestUsageByTurnAndDay(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 40, Scenario: cached(), Config: priced})
	d.WaitIdle().Type("first").Press("enter").WaitFor(Contains("One.")).WaitIdle()
	d.Type("second").Press("enter").WaitFor(Contains("Two.")).WaitIdle()
	d.Type("/usage").Press("enter").WaitFor(Contains("By turn, the newest first", "first", "second", "▓▓▓▓▓▓", "~$0.13", "By day", "1 session"))
	d.Resize(60, 40).WaitFor(Contains("By turn", "~$0.13")).Press("esc").WaitFor(NotContains("By turn"))
}

// TestToolsAndContextMap lists the tools alone, reads one, and comes back step by step; and
// shows how the context is shared out.
func TestToolsAndContextMap(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 40, Scenario: answers(on("", say("One.")))})
	d.WaitIdle().Type("/tools").Press("enter").WaitFor(Contains("Tools · ", "terminal"), NotContains("System prompt"))
	d.Type("terminal").Press("enter").WaitFor(Contains("Read it", "Leave it out")).Press("esc").WaitFor(Contains("Tools · "))
	d.Press("esc", "esc").WaitFor(NotContains("Tools · "))
	d.Type("go").Press("enter").WaitFor(Contains("One.")).WaitIdle()
	d.Type("/context").Press("enter").WaitFor(Contains("█ prompt", "▓ tools", "███"))
}
