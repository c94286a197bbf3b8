//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestStash puts drafts aside and brings them back, also after the program was killed, and
// in another session only its own.
func TestStash(t *testing.T) {
	t.Parallel()
	s := answers(on("", say("Finis.")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	home, dir := d.Home(), d.Dir()
	d.WaitFor(Contains("What do you want to do?")).WaitIdle()
	d.Type("first thought").Press("alt+q").WaitFor(Contains("alt+q brings back 1 draft", "Draft put aside"), NotContains("first thought"))
	d.Type("go").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	d.Type("second thought").Press("alt+q").WaitFor(Contains("alt+q brings back 2 drafts")).WaitIdle()
	waitDraft(t, d, "\x1csecond thought")
	d.Kill9()
	d = Start(t, Options{Cols: 100, Rows: 30, Scenario: s, Home: home, Dir: dir, Args: []string{"--continue"}})
	d.WaitFor(Contains("alt+q brings back 2 drafts")).Press("alt+q").WaitFor(Contains("Drafts put aside", "▸  second thought", "first thought"))
	d.Press("down", "enter").WaitFor(NotContains("Drafts put aside")).Expect(CursorAfter("❯ first thought"))
	d.Press("ctrl+c").WaitFor(Contains("alt+q brings back 1 draft"))
	d.Type("/new").Press("enter").WaitFor(NotContains("Finis.", "alt+q brings back")).WaitIdle()
	d.Press("alt+q").WaitFor(Contains("no draft to put aside"))
	d.Quit().Wait()
}
