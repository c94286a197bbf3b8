//go:build unix

package ui_test

import (
	"testing"

	"hermes-tui/providers/script"

	. "hermes-tui/internal/uitest"
)

// TestEnterTwiceSendsWhatWaits interrupts a turn for a message that waits, by two enters on
// an empty draft; one of them only says so.
func TestEnterTwiceSendsWhatWaits(t *testing.T) {
	t.Parallel()
	s := answers(on("^slow$", say("I take my time."), script.Stall{}), on("^next$", say("Here I am.")), on("^last$", say("And the last.")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	d.Type("slow").Press("enter").WaitFor(Contains("I take my time."))
	d.Press("enter", "enter").WaitSync().Expect(NotContains("interrupted"), Contains("esc interrupt")) // nothing waits
	d.Type("next").Press("enter").WaitFor(Contains("queued"))
	d.Press("enter").WaitFor(Contains("enter twice, quickly")).WaitFor(NotContains("enter twice, quickly")).Expect(Contains("queued"), NotContains("Here I am."))
	d.Send("\r\r").WaitFor(Contains("Here I am.")).WaitIdle().Expect(NotContains("queued"))
	d.Quit().Wait()
}
