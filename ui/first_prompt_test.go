//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestFirstPrompt sends the prompt of the command line as soon as the session is there, and
// that of one word behind --.
func TestFirstPrompt(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"look at this"}, {"--", "look"}} {
		d := Start(t, Options{Cols: 80, Rows: 24, Args: args, Scenario: answers(on("^look", say("I have looked.")))})
		d.WaitFor(Contains("❯ look"), Contains("I have looked."))
		d.WaitIdle()
	}
}
