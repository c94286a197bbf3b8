//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestContextView shows what the model gets, before and after a call, and the text of
// a part.
func TestContextView(t *testing.T) {
	t.Parallel()
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: cached(), Config: priced})
		d.WaitIdle().Type("/context").Press("enter").WaitFor(Contains("Context · "), Contains("Tools"))
		d.Press("esc").WaitFor(NotContains("Context · "))
		d.Type("first").Press("enter").WaitFor(Contains("One.")).WaitIdle()
		d.Type("/context").Press("enter").WaitFor(Contains("Context · "), Contains("identity"))
		if cols >= 100 {
			d.Expect(Contains("System prompt"), Contains("warm"), Contains("~$"))
		}
		d.Type("answers").WaitFor(Contains("answers"), NotContains("identity")).Press("enter").WaitFor(Contains("One."), NotContains("Context · "))
		d.Press("esc").WaitFor(Contains("Context · ")).Press("esc").WaitIdle().Expect(CursorAfter("❯ "))
	})
}
