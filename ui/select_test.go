//go:build unix

package ui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// readable is a scenario with an answer to select from.
func readable() *script.Scenario {
	return answers(
		on("tell", say("The store takes **its lock** late:\n\n```go\nfunc Append() {\n\ts.mu.Lock()\n}\n```\n\nSee docs/a-b_c/README.md for more about all of this, which is written there at some length.")),
		on("count", run("seq 1 300 | tail -5")), after("count", 1, say("Counted.")),
		on("slow", say("It begins."), script.Sleep{For: 500 * time.Millisecond}, script.Tokens{N: 400, Kind: script.Prose, Pace: script.Pace{Rate: 200}}),
	)
}

// selected holds when a text is drawn as a selection.
func selected(text string) Matcher {
	return Styled("as selected", text, func(s Style) bool { return s.Bg != nil })
}

// reachOf is where a text begins and ends on the screen.
func reachOf(t *testing.T, d *Driver, text string) (x1, x2, y int) {
	t.Helper()
	x, y, ok := d.Screen().Find(text)
	if !ok {
		t.Fatalf("%q is not on the screen", text)
	}
	return x, x + len(text) - 1, y
}

// copied checks what was put on the clipboard last.
func copied(t *testing.T, d *Driver, want string) {
	t.Helper()
	d.WaitIdle()
	if got := d.Clipboard(); got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// TestSelectWithTheMouse drags over prose and code, clicks twice and three times, extends
// with shift, and copies. The draft keeps the keys all along.
func TestSelectWithTheMouse(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{100, 32}, {60, 28}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: readable()})
		d.Type("tell").Press("enter").WaitFor(Contains("length.")).WaitIdle()
		d.Type("half a draft")
		x1, _, y1 := reachOf(t, d, "its lock")
		_, x2, y2 := reachOf(t, d, "s.mu.Lock")
		d.Drag(x1, y1, x2, y2).WaitFor(selected("its lock late:"), selected("func Append() {"), selected("s.mu.Lock"), Not(selected("│")), Contains("ctrl+c copy"))
		d.Press("ctrl+c")
		copied(t, d, "**its lock** late:\n\nfunc Append() {\n\ts.mu.Lock")
		d.WaitFor(Not(selected("its lock")), CursorAfter("half a draft"))

		x, _, y := reachOf(t, d, "README")
		d.Click(x, y).Click(x, y).WaitFor(selected("docs/a-b_c/README.md"), Not(selected("See")), CursorAfter("half a draft"))
		d.Type("s").WaitFor(CursorAfter("half a drafts"), selected("README")).Press("ctrl+c")
		copied(t, d, "docs/a-b_c/README.md")
		x, _, y = reachOf(t, d, "for more")
		d.Click(x, y).Click(x, y).Click(x, y).WaitFor(selected("See docs"), selected("length."))
		d.Press("ctrl+c")
		copied(t, d, "See docs/a-b_c/README.md for more about all of this, which is written there at some length.")
		d.WaitFor(CursorAfter("half a drafts"))

		x1, x2, y = reachOf(t, d, "The store")
		d.Drag(x1, y, x2, y).WaitFor(selected("The store"))
		x, _, y = reachOf(t, d, "takes")
		d.Send(fmt.Sprintf("\x1b[<4;%d;%dM\x1b[<4;%d;%dm", x+5, y+1, x+5, y+1)).WaitFor(selected("The store takes"), Not(selected(" its")))
		d.Press("esc").WaitFor(Not(selected("The store")), CursorAfter("half a drafts"))
		d.Press("ctrl+c").WaitFor(Contains("Draft cleared"))
		d.Quit().Wait()
		d.AssertRestored()
	}
}

// TestClicksStillMark clicks once, and again later: the block is marked, and folded.
func TestClicksStillMark(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 32, Scenario: readable()})
	d.Type("count").Press("enter").WaitFor(Contains("Counted.")).WaitIdle()
	d.ClickOn("terminal").WaitFor(Contains("▎● terminal"), NotContains("ctrl+c copy"))
	x, _, y := reachOf(t, d, "298")
	d.Click(x, y).WaitFor(Contains("enter fold"))
	x, _, y = reachOf(t, d, "seq")
	d.Click(x, y).Click(x, y).WaitFor(selected("seq"), Contains("  300"))
	d.Press("y")
	copied(t, d, "seq")
}

// TestSelectBeyondTheEdge drags to the upper edge of the transcript and holds there until
// its start is in sight.
func TestSelectBeyondTheEdge(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 120 {
		list = append(list, fmt.Sprintf("- line %03d", i))
	}
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: answers(on("list", say(strings.Join(list, "\n")))), Config: "display:\n  copy_on_select: true\n"})
	d.Type("list").Press("enter").WaitFor(Contains("line 119")).WaitIdle()
	x, _, y := reachOf(t, d, "line 119")
	press := func(button, x, y int, end string) { d.Send(fmt.Sprintf("\x1b[<%d;%d;%d%s", button, x+1, y+1, end)) }
	press(0, x+7, y, "M")
	press(32, 3, 0, "M")
	d.WaitFor(Contains("❯ list"), selected("line 000"))
	press(32, 4, 5, "M")
	d.WaitFor(Not(selected("line 000")))
	press(32, 3, 0, "M")
	press(0, 3, 0, "m")
	copied(t, d, "list\n\n"+strings.Join(list, "\n"))
	d.WaitFor(selected("line 000"), Contains("list")).Press("esc").WaitFor(Not(selected("line 000")))
}

// TestSelectWithKeys selects from the marked block with keys, by words and by lines, and
// gives up.
func TestSelectWithKeys(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 80, Rows: 28, Scenario: readable()})
	d.Type("tell").Press("enter").WaitFor(Contains("some length.")).WaitIdle()
	d.Press("f6", "v").WaitFor(Contains("y copy · V lines"), selected("T"), CursorAfter("▎"))
	d.Press("w", "l", "l", "l", "l").WaitFor(selected("The store")).Press("y")
	copied(t, d, "The store")
	d.WaitFor(Contains("o open")).Press("v", "$", "y")
	copied(t, d, "The store takes **its lock** late:")
	d.Press("v", "j", "j", "V").WaitFor(selected("func Append() {"), selected("s.mu.Lock()")).Press("k", "enter")
	copied(t, d, "The store takes **its lock** late:\n\nfunc Append() {")
	d.Press("v", "G", "y")
	copied(t, d, "The store takes **its lock** late:\n\n```go\nfunc Append() {\n\ts.mu.Lock()\n}\n```\n\nSee docs/a-b_c/README.md for more about all of this, which is written there at some length.")
	d.Press("v", "l").WaitFor(selected("Th")).Press("esc").WaitFor(Not(selected("Th")), Contains("o open"), Contains("esc comes back"))
	d.Press("v", "l").WaitFor(selected("Th")).Type("x").WaitFor(Not(selected("Th")), CursorAfter("❯ x"))
	d.Press("f6", "v", "g").WaitFor(Contains("V lines")).Press("f6", "f6").WaitFor(NotContains("V lines"))
}

// TestSelectionWhileItStreams selects what stands above an answer that is streamed.
func TestSelectionWhileItStreams(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 80, Rows: 24, Scenario: readable()})
	d.Type("slow").Press("enter").WaitFor(Contains("It begins."))
	x1, x2, y := reachOf(t, d, "It begins")
	d.Drag(x1, y, x2, y).WaitFor(selected("It begins"), Contains("new"))
	d.WaitIdle().Expect(selected("It begins"))
	d.Resize(70, 24).WaitFor(Not(selected("It begins")))
}

// TestMouseIsReleased leaves the mouse to the terminal and takes it back.
func TestMouseIsReleased(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 24, Scenario: readable()})
	mouse := func(on bool) Matcher {
		return Matches(fmt.Sprint("asks for the mouse: ", on), func(s Screen) bool { return s.Mouse == on })
	}
	d.WaitIdle().WaitFor(mouse(true)).Press("alt+m").WaitFor(mouse(false), Contains("is the terminal's now"))
	d.Type("x").WaitFor(Contains("alt+m take the mouse back"))
	d.Press("alt+m").WaitFor(mouse(true), NotContains("take the mouse back"))
	d.Press("f6", "?").WaitFor(Contains("╭")).Press("alt+m").WaitFor(mouse(false)).Press("alt+m").WaitFor(mouse(true))
	off := Start(t, Options{Cols: 100, Rows: 24, Scenario: readable(), Config: "display:\n  mouse: false\n"})
	off.WaitIdle().Press("alt+m").WaitFor(Contains("display.mouse is off"), mouse(false))
}
