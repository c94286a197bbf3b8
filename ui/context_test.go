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
			d.Expect(Contains("System prompt"), Contains("warm"), Contains("~$"), Contains("skills.index_percent"))
		}
		d.Type("answers").WaitFor(Contains("answers"), NotContains("identity")).Press("enter").WaitFor(Contains("One."), NotContains("Context · "))
		d.Press("esc").WaitFor(Contains("Context · ")).Press("esc").WaitIdle().Expect(CursorAfter("❯ "))
	})
}

// TestContextPieces drops a part of the history, with its price before, brings it back,
// and pins one.
func TestContextPieces(t *testing.T) {
	t.Parallel()
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: cached(), Config: priced})
		d.WaitIdle().Type("first").Press("enter").WaitFor(Contains("One.")).WaitIdle()
		d.Type("second").Press("enter").WaitFor(Contains("Two.")).WaitIdle()
		choose := func(piece, what string) {
			t.Helper()
			d.Type("/context").Press("enter").WaitFor(Contains("Context · ")).Type("bring back").WaitFor(NotContains("identity")).Press("enter")
			d.WaitFor(Contains("Context · parts of the history")).Type(piece).Press("enter").WaitFor(Contains(what))
			d.Type(what).Press("enter")
		}
		choose("first", "Drop it")
		d.WaitFor(Contains("Drop first?"), Contains("costs ~$")).Press("enter").WaitFor(Contains("Taken out of the context: first")).WaitIdle()
		choose("first", "Bring it back")
		d.WaitFor(Contains("Back in the context: first.")).WaitIdle()
		choose("first", "Pin it")
		d.WaitFor(Contains("Pinned: a compression")).WaitIdle()
		d.Type("/context").Press("enter").WaitFor(Contains("Context · ")).Type("bring back").WaitFor(NotContains("identity")).Press("enter")
		d.WaitFor(Contains("pinned  ")).Press("esc").Press("esc").WaitIdle().Expect(CursorAfter("❯ "))
	})
}

// TestContextLeave leaves a tool out of what the model gets, with the price before, brings
// it back, and says why a part stays.
func TestContextLeave(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: cached(), Config: priced})
		d.WaitIdle().Type("first").Press("enter").WaitFor(Contains("One.")).WaitIdle()
		choose := func(layer, what string) {
			t.Helper()
			d.Type("/context").Press("enter").WaitFor(Contains("Context · ")).Type(layer).WaitIdle().Press("enter")
			d.WaitFor(Contains(what)).Type(what).WaitIdle().Press("enter")
		}
		choose("write_file", "Leave it out for the rest")
		d.WaitFor(Contains("Leave out write_file?"), Contains("no longer cached"), Contains("costs ~$")).Press("enter").WaitFor(Contains("Left out for the rest of the session: write_file.")).WaitIdle()
		d.Type("second").Press("enter").WaitFor(Contains("Two.")).WaitIdle()
		d.Type("/context").Press("enter").WaitFor(Contains("Context · ")).Press("end").WaitFor(Contains("Left out for this session")).Press("esc").WaitIdle()
		choose("write_file", "Bring it back")
		d.WaitFor(Contains("Bring back write_file?"), Contains("more.")).Press("enter").WaitFor(Contains("Back in what the model gets: write_file.")).WaitIdle()
		d.Type("/context").Press("enter").WaitFor(Contains("Context · ")).Type("identity").WaitIdle().Press("enter").WaitFor(Contains("SOUL.md in the home"))
		d.Press("esc", "esc", "esc").WaitIdle()
	}
}
