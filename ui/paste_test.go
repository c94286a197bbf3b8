//go:build unix

package ui_test

import (
	"strings"
	"testing"

	. "hermes-tui/ui/uitest"
)

// What begins in a pasted text must not swallow the end of the paste: the
// keyboard would be dead from then on.
func TestPasteOfUnfinishedSequencesLeavesTheKeyboardAlive(t *testing.T) {
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("", say("got it")))})
	for _, text := range []string{
		"A STOP \x1b]0;OWNED", "A STOP \x1bP1$r", "A STOP \x1b_x", "A STOP \x1b[1;", "A STOP \x1b",
		"A STOP \x9d0;OWNED", "A STOP \xe2\x9d0;OWNED", "A STOP \u009d0;OWNED", "A STOP \xff\xf0\x9f",
	} {
		d.Paste(text).WaitSync().Expect(Contains("A STOP"))
		d.Type(" typed").WaitSync().Expect(Contains("typed"))
		d.Press("ctrl+c").WaitIdle().Expect(NotContains("A STOP"), CursorAfter("❯ "))
	}
	d.Paste(strings.Repeat("lorem \x1b[31mipsum ", 60_000)).WaitSync().Expect(Contains("[paste #"))
	d.Press("ctrl+c").WaitIdle().Expect(NotContains("[paste #"))
	d.Type("hello").Press("enter").WaitFor(Contains("got it")).WaitIdle()
	d.Press("ctrl+d").Wait()
	d.AssertRestored()
}
