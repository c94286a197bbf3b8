//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestFindInTranscript finds words while they are typed, in an answer and in output that
// is folded, walks through the matches, and comes back step by step.
func TestFindInTranscript(t *testing.T) {
	t.Parallel()
	s := answers(
		on("count", run("seq 1 400 | sed s/250/lighthouse/")), after("count", 1, say("The **Lighthouse** was counted.")),
		on("more", say("Nothing else.\n\nReally.")),
	)
	for _, size := range [][2]int{{100, 32}, {60, 20}, {40, 12}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s})
		d.Type("count to the lighthouse").Press("enter").WaitFor(Contains("was counted.")).WaitIdle()
		for range 8 {
			d.Type("more").Press("enter").WaitIdle()
		}
		d.Press("f6", "/").Type("light").WaitFor(Contains("/light"), Contains("4 of 4"), Contains("The Lighthouse was"), CursorAfter("/light"))
		d.Press("up").WaitFor(Contains("3 of 4"), Contains("  249"), Contains("  lighthouse"), Contains("  251"))
		d.Press("up", "up", "up").WaitFor(Contains("4 of 4")).Press("down").WaitFor(Contains("1 of 4"), Contains("❯ count to"))
		d.Press("enter").WaitFor(Contains("esc ends the search")).Press("n").WaitFor(Contains("2 of 4")).Press("N").WaitFor(Contains("1 of 4"))
		d.Press("/").Type("Light").Press("alt+c").WaitFor(Contains("1 of 1"), Contains("Lighthouse was"))
		d.Press("ctrl+u").WaitFor(NotContains("/Light")).Type("^(24|25)[89]$").Press("alt+r").WaitFor(Contains(" of 4"), Any(Contains("  248"), Contains("  258")))
		d.Press("backspace", "backspace").WaitFor(Contains("missing closing"))
		d.Press("esc").WaitFor(NotContains("/^(24"), Contains("esc comes back to the draft"))
		d.Press("n").WaitFor(Contains("finds something"))
		d.Press("esc").WaitFor(NotContains("esc comes back"))
		d.Type("/find nowhere").Press("enter").WaitFor(Contains("/nowhere"), Contains("not found"))
		d.Press("esc", "esc").Type("/find really").Press("enter").WaitFor(Contains("/really"), Contains("of 8"))
		d.Press("esc", "esc").Type("draft").WaitFor(Contains("❯ draft"))
	}
}

// TestFindFromAnywhere opens the search from the draft, from the panes, over a question,
// and in a window, and comes back to where it was.
func TestFindFromAnywhere(t *testing.T) {
	t.Parallel()
	s := answers(
		on("count", run("seq 1 400 | sed s/250/Lighthouse/")), after("count", 1, say("A lighthouse was counted.")),
		on("remove", run("rm -rf old")), after("remove", 1, say("It is gone.")),
	)
	d := Start(t, Options{Cols: 120, Rows: 36, Scenario: s, Config: askDeletions})
	d.Type("count").Press("enter").WaitFor(Contains("was counted.")).WaitIdle()
	d.Type("half a draft").Press("ctrl+f").Type("Lighthouse").WaitFor(Contains("/Lighthouse"), Contains("1 of 3"))
	d.Press("up").WaitFor(Contains("3 of 3")).Press("esc").WaitFor(NotContains(" of 3"), CursorAfter("half a draft"))
	d.Type("s").Press("left", "right").WaitFor(CursorAfter("half a drafts"), NotContains(" of 3"))
	d.Press("ctrl+u", "f7", "f6", "f6").WaitFor(Contains("m main view"))
	d.Press("ctrl+f").Type("seq").WaitFor(Contains("1 of 1")).Press("esc").WaitFor(NotContains("/seq"), Contains("m main view"))
	d.Press("esc", "f6", "up").WaitFor(Contains("▎"))
	d.Press("o").WaitFor(Contains("╭")).Press("ctrl+f").Type("^lighthouse").Press("alt+r").WaitFor(Contains("/^lighthouse"), Contains("1 of 1 · any case · regexp"), Contains("▸Lighthouse"))
	d.Press("alt+c").WaitFor(Contains("not found")).Press("esc").WaitFor(NotContains("/^light")).Press("esc").WaitFor(NotContains("╭"))
	d.Press("esc").Type("remove").Press("enter").WaitFor(Contains("rm -rf old"), Contains("enter answer"))
	d.Press("ctrl+f").Type("counted").WaitFor(Contains("1 of 1")).Press("esc").WaitFor(Contains("enter answer"))
}
