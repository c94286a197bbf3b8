//go:build unix

package ui_test

import (
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// TestScrolledUp scrolls up while an answer is streamed: the prompt of the turn stays on
// the first row, a click on it goes there, and the last row says how many lines are new.
func TestScrolledUp(t *testing.T) {
	t.Parallel()
	s := answers(
		on("first", say("An answer.\n\n"+strings.Repeat("- an item\n", 60)+"\nThe end of it.")),
		on("second", say("It begins.\n\n"), script.Tokens{N: 900, Kind: script.Prose, Pace: script.Pace{Rate: 300}}),
	)
	for _, size := range [][2]int{{100, 30}, {50, 16}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s})
		d.Type("first of all").Press("enter").WaitFor(Contains("The end of it.")).WaitIdle()
		d.Expect(NotContains("↑ first of all"))
		d.Type("second").Press("enter").WaitFor(Contains("It begins."))
		d.Press("pgup", "pgup").WaitFor(Contains("↑ first of all"), LineMatches(`↓ \d+ new lines? · ctrl\+end follows`))
		d.Press("pgdown", "pgdown", "ctrl+end").WaitFor(NotContains("new line"), NotContains("↑ first"))
		d.WaitIdle().Press("pgup").WaitFor(Contains("↑ second"), Contains("scrolled up"))
		d.ClickOn("↑ second").WaitFor(Contains("▎❯ second"), Contains("It begins."), NotContains("↑ second"))
		d.Press("esc", "ctrl+home").WaitFor(Contains("❯ first of all"), NotContains("↑"))
	}
}

// TestTimesOnDemand shows when blocks came, and hides it.
func TestTimesOnDemand(t *testing.T) {
	t.Parallel()
	s := answers(on("go", run("echo hello")), after("go", 1, say("Done.")))
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: s})
	d.Type("go").Press("enter").WaitFor(Contains("Done.")).WaitIdle()
	d.Press("f6", "t").WaitFor(LineMatches(`^ \w+day, \d+ \w+ 20\d\d$`), LineMatches(`^ \d\d:\d\d ❯ go`), LineMatches(`^ \d\d:\d\d ● terminal`), LineMatches(`^ {9}hello`), LineMatches(`^▎\d\d:\d\d Done\.`))
	d.Press("t").WaitFor(LineMatches(`^ ❯ go`), LineMatches(`^▎Done\.`))
}
