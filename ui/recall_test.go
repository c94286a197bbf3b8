//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestRecall finds prompts of earlier sessions with ctrl+r: the newest first, each once,
// with secrets masked; one is taken into the draft, and escape gives the draft back.
func TestRecall(t *testing.T) {
	t.Parallel()
	s := answers(on("", say("Finis.")))
	first := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	home, dir := first.Home(), first.Dir()
	for _, text := range []string{"paint the fence", "count the apples", "paint the fence", "my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"} {
		first.Type(text).Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	}
	first.Quit().Wait()
	for _, size := range [][2]int{{160, 45}, {90, 30}, {50, 20}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Home: home, Dir: dir})
		d.WaitFor(Contains("What do you want to do?")).Type("a thought").Press("ctrl+r")
		d.WaitFor(Contains("count the apples", "▸ my key is", "❯ a thought"), NotContains("abcdefghijklmnop")).Expect(CursorAfter("find: "))
		d.Type("paint").WaitFor(Contains("▸ paint the fence", "1 of 1"), NotContains("count the apples"))
		d.Press("esc").WaitFor(NotContains("paint the fence")).Expect(CursorAfter("❯ a thought"))
		d.Press("ctrl+r").WaitFor(Contains("▸ my key is")).Press("ctrl+r", "ctrl+r").WaitFor(Contains("▸ count the apples")).Press("up").WaitSync().Press("down").WaitFor(Contains("▸ paint the fence"))
		d.Type("the").Press("ctrl+r").WaitFor(Contains("▸ count the apples", "2 of 2")).Press("enter")
		d.WaitFor(NotContains("find:")).Expect(CursorAfter("❯ count the apples"))
		d.Press("ctrl+_").WaitFor(Contains("❯ a thought")).Press("ctrl+c").WaitSync()
		d.Press("up").Expect(Contains("❯ a thought"))
		d.Press("ctrl+c").WaitSync().Quit().Wait()
	}
}
