//go:build unix

package ui_test

import (
	"fmt"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// TestBookmarks sets bookmarks at messages and calls, goes from one to the next, chooses
// one from the list and removes it. The session keeps them, also when the program is
// killed, and a rewind takes those along that are on what it takes back.
func TestBookmarks(t *testing.T) {
	t.Parallel()
	s := answers(on("run", run("seq 1 9")), after("run", 1, say("It ran.")),
		script.Rule{Steps: []script.Step{say(strings.Repeat("- more\n", 30) + "\nThat was {{last_user}}.")}})
	d := Start(t, Options{Cols: 100, Rows: 24, Scenario: s})
	d.WaitIdle().Press("f6", "m").WaitFor(Contains("Select a block first")).Press("]").WaitFor(Contains("There are no bookmarks here yet: m sets one."))
	d.Press("esc").Type("run it").Press("enter").WaitFor(Contains("It ran.")).WaitIdle()
	for i := range 3 {
		text := fmt.Sprintf("question %d", i)
		d.Type(text).Press("enter").WaitFor(Contains("That was " + text)).WaitIdle()
	}
	star := func(text string) Matcher { return Contains("★" + text) }
	d.Press("f6", "alt+up", "m").WaitFor(star("❯ question 2"), Contains("] goes to the next; ' lists all."))
	d.Press("alt+up", "alt+up", "m").WaitFor(star("❯ question 0"))
	d.Press("up", "up", "m").WaitFor(star("● terminal"))
	d.Press("]").WaitFor(star("❯ question 0")).Press("]").WaitFor(star("❯ question 2"), NotContains("question 1")).Press("]").WaitFor(star("● terminal"))
	d.Press("[").WaitFor(star("❯ question 2"), NotContains("● terminal"))
	d.Press("'").WaitFor(Contains("Bookmarks"), LineMatches(`seq 1 9 +terminal · `), LineMatches(`question 0 +you · `))
	d.Type("seq").Press("enter").WaitFor(star("● terminal"), NotContains("Bookmarks")).Press("m").WaitFor(Contains("No longer a bookmark."), NotContains("★● terminal"))
	d.WaitIdle().Kill9()

	again := Start(t, Options{Cols: 100, Rows: 24, Scenario: s, Home: d.Home(), Args: []string{"--continue"}})
	again.WaitFor(Contains("What do you want to do?")).WaitIdle().Press("f6", "[").WaitFor(star("❯ question 2")).Press("[").WaitFor(star("❯ question 0"), NotContains("★● terminal"))
	again.Press("esc").Type("/undo").Press("enter").WaitFor(Contains("❯ question 2")).WaitIdle()
	again.Press("f6", "'").WaitFor(Contains("question 0"), LineMatches(`Bookmarks ─+ 1 ─╮`)).Press("esc", "esc", "ctrl+c").Type("/redo").Press("enter").WaitIdle()
	again.Press("f6", "'").WaitFor(LineMatches(`Bookmarks ─+ 2 ─╮`))
}
