//go:build unix

package ui

import (
	"strings"
	"testing"

	"hermes-tui/internal/uitest"
)

// TestModesAreSetAgain has the terminal come to the front, as one does that attaches to
// a session of a multiplexer: it gets the modes once more. One that says that its
// colours have changed is asked for its background.
func TestModesAreSetAgain(t *testing.T) {
	t.Parallel()
	d := uitest.Start(t, uitest.Options{Args: []string{"--provider", "demo"}}).WaitIdle()
	before := len(d.Output())
	d.Focus(false).Focus(true).WaitIdle()
	said := d.Output()[before:]
	for _, mode := range []string{"\x1b[=1u", "\x1b[?2004h", "\x1b[?1004h", "\x1b[?1002h", "\x1b[>4;2m"} {
		if strings.Count(said, mode) != 1 {
			t.Errorf("%q is not set once in %q", mode, said)
		}
	}
	if strings.Contains(said, "\x1b[?1049h") || strings.Contains(said, "\x1b[2J") {
		t.Errorf("the screen begins again: %q", said)
	}
	before = len(d.Output())
	for range 3 {
		d.Focus(true).WaitIdle() // as a terminal does that tells its focus whenever it is asked
	}
	if said = d.Output()[before:]; strings.Contains(said, "\x1b[?1004h") {
		t.Errorf("the modes are set for each report: %q", said)
	}
	before = len(d.Output())
	d.Send("\x1b[?997;2n").WaitIdle()
	if said = d.Output()[before:]; strings.Count(said, "\x1b]11;?") != 1 {
		t.Errorf("the background is not asked for: %q", said)
	}
	d.Quit().Wait()
	d.AssertRestored()
}
