//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// folders makes folders to be deleted.
func folders(t *testing.T, d *Driver, names ...string) (there func(name string) bool) {
	t.Helper()
	for _, n := range names {
		if err := os.Mkdir(filepath.Join(d.Dir(), n), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) bool {
		_, err := os.Stat(filepath.Join(d.Dir(), name))
		return err == nil
	}
}

// TestTwoConversationsAsk has a question wait in a conversation that is not shown
// while another one asks as well: both wait in one queue, each says who asks, and
// each answer reaches the one that asked.
func TestTwoConversationsAsk(t *testing.T) {
	t.Parallel()
	s := answers(
		on("first task", run("rm -rf one")), after("first task", 1, say("the first is done")),
		on("second task", run("rm -rf two")), after("second task", 1, say("the second is done")),
	)
	for _, size := range [][2]int{{140, 40}, {80, 24}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: manual})
		there := folders(t, d, "one", "two")
		d.Type("first task").Press("enter").WaitFor(Contains("wants to run"))
		d.Type("/new").Press("enter").WaitFor(Contains("1 other session"))
		d.Expect(Contains("first task")) // it still asks, under its title
		d.Type("second task").Press("enter").WaitFor(Contains("1 of 2"))
		d.Press("tab").Expect(Contains("Session “first task” wants to run"), Contains("rm -rf one"), Contains("▸ 1 Deny"))
		d.Press("tab").Expect(Contains("rm -rf two"), Contains("2 of 2"))
		d.Press("right", "enter").WaitFor(Contains("the second is done"))
		if there("two") || !there("one") {
			t.Fatal("the answer reached the wrong conversation")
		}
		d.Press("tab").Expect(Contains("rm -rf one"))
		d.Press("right", "enter").WaitFor(NotContains("1 other session"))
		d.WaitIdle()
		if there("one") {
			t.Error("the other conversation did not go on")
		}
		d.Type("/resume").Press("enter").WaitFor(Contains("Sessions"))
		d.Type("first task").Press("enter").WaitFor(Contains("the first is done"), NotContains("Sessions"))
		d.Quit()
		if st := d.Wait(); st.Code != 0 {
			t.Errorf("exit %+v", st)
		}
	}
}

// TestBackToTheOther leaves a conversation that asks and comes back to it.
func TestBackToTheOther(t *testing.T) {
	t.Parallel()
	s := answers(on("first task", run("rm -rf one")), after("first task", 1, say("the first is done")), on("hello", say("hi there")))
	d := Start(t, Options{Cols: 120, Rows: 30, Scenario: s, Config: manual})
	there := folders(t, d, "one")
	d.Type("first task").Press("enter").WaitFor(Contains("wants to run"))
	d.Type("/new").Press("enter").WaitFor(Contains("1 other session"))
	d.Type("hello").Press("enter").WaitFor(Contains("hi there"))
	d.Type("/resume").Press("enter").WaitFor(Contains("Sessions"))
	d.Type("first").Press("enter").WaitFor(NotContains("hi there"))
	d.WaitFor(Contains("❯ first task"), Contains("The agent wants to run"), NotContains("“first task”"))
	d.Press("tab").Expect(Contains("▸ 1 Deny"))
	d.Press("right", "enter").WaitFor(Contains("the first is done"))
	if there("one") {
		t.Error("it did not run")
	}
}

// TestRewindConversation goes back to an earlier prompt with escape pressed
// twice, edits it, sends it again, and undoes another rewind.
func TestRewindConversation(t *testing.T) {
	t.Parallel()
	s := answers(on("alpha", say("answer A")), on("beta", say("answer B")), on("gamma", say("answer C")))
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: s, Config: manual})
		for _, say := range [][2]string{{"alpha", "answer A"}, {"beta", "answer B"}} {
			d.Type(say[0]).Press("enter").WaitFor(Contains(say[1]))
			d.WaitIdle()
		}
		d.Press("esc", "esc").WaitFor(Contains("Go back to before"))
		d.Press("enter").WaitFor(Contains("What goes back"), Contains("Session only"))
		d.Type("session only").Press("enter").WaitFor(NotContains("answer B"), NotContains("What goes back"))
		d.WaitIdle().Expect(Contains("❯ beta"), CursorAfter("beta"))
		d.Press("ctrl+u").Type("gamma").Press("enter").WaitFor(Contains("answer C"))
		d.WaitIdle().Type("/rewind").Press("enter").WaitFor(Contains("Go back to before"))
		d.Press("down", "enter").WaitFor(Contains("Session only"))
		d.Type("session only").Press("enter").WaitFor(NotContains("answer C"), NotContains("What goes back"))
		d.WaitIdle().Press("ctrl+u").Type("/rewind undo").Press("enter").WaitFor(Contains("answer C"))
	})
}
