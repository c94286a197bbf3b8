//go:build unix

package ui_test

import (
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// stall is silence of the model until the request is cancelled.
var stall = script.Stall{}

// TestQueueByKeyboard changes what waits: its order, its text, whether it waits at
// all, and whether it waits for the end of the turn. Escape loses none of it.
func TestQueueByKeyboard(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", run(until("go"))), after("^go$", 1, run(until("on"))), after("^go$", 2, say("All is over.")),
		on("^gamma delta$", say("Third it is.")), on("^delta$", say("Last it is.")),
	)
	for _, size := range familySizes {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s})
		d.Type("go").Press("enter")
		wait(t, "no command runs", func() bool { return there(d.Dir() + "/go.runs") })
		for _, text := range []string{"alpha", "beta", "gamma"} {
			d.Type(text).Press("enter").WaitFor(LineMatches(`⋯ ` + text + ` .*queued`))
		}
		d.Press("up").WaitFor(LineMatches(`Queue +3 of 3`), LineMatches(`▸⋯ gamma`))
		d.Press("K").WaitFor(LineMatches(`Queue +2 of 3`), LineMatches(`▸⋯ gamma`))
		d.Press("k", "x").WaitFor(NotContains("alpha"), LineMatches(`Queue +1 of 2`), LineMatches(`▸⋯ gamma`))
		d.Press("J").WaitFor(LineMatches(`▸⋯ gamma`), LineMatches(`Queue +2 of 2`)).Press("up").WaitFor(LineMatches(`▸⋯ beta`))
		d.Press("s").WaitFor(LineMatches(`↪ beta .*steers`))
		leave(t, d, "go", "")
		d.WaitFor(NotContains("⋯ beta"), Contains("↪ beta")).WaitFor(LineMatches(`▸⋯ gamma`))
		wait(t, "no command runs", func() bool { return there(d.Dir() + "/on.runs") })
		d.Press("e").WaitFor(CursorAfter("❯ gamma"), NotContains("⋯ gamma"))
		d.Type(" delta").Press("enter").WaitFor(LineMatches(`⋯ gamma delta .*queued`))
		d.Type("delta").Press("enter").WaitFor(LineMatches(`⋯ delta .*queued`))
		d.Press("esc").WaitFor(LineMatches(`⋯ gamma delta .*held`), LineMatches(`⋯ delta .*held`), Title("✓"))
		d.Press("up").WaitFor(LineMatches(`Queue +2 of 2`)).Press("esc").WaitFor(CursorAfter("❯ "))
		d.Expect(LineMatches(`⋯ gamma delta .*held`), LineMatches(`⋯ delta .*held`))
		d.Press("enter").WaitFor(Contains("Third it is.", "Last it is.")).WaitIdle()
		if third, last := strings.Index(d.Screen().Text(), "Third it is."), strings.Index(d.Screen().Text(), "Last it is."); third > last {
			t.Errorf("they were sent in another order\n%s", d.Screen())
		}
		if n := len(requestsOf(d, "beta")); n == 0 {
			t.Error("the model did not get what steered")
		}
		if n := len(requestsOf(d, "alpha")); n > 0 {
			t.Error("the model got what was dropped")
		}
		d.Quit().Wait()
	}
}
