//go:build unix

package ui_test

import (
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// listed holds when the list of sessions has found one that begins with a word.
func listed(word string) Matcher { return LineMatches(`│ ▸ +` + word) }

// TestSwitchQuickly goes back and forth between two conversations that ask,
// without waiting, and finds the draft of each where it was left.
func TestSwitchQuickly(t *testing.T) {
	t.Parallel()
	s := answers(
		on("first task", run("rm -rf one")), after("first task", 1, say("the first is done")),
		on("second task", run("rm -rf two")), after("second task", 1, say("the second is done")),
	)
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: manual})
		there := folders(t, d, "one", "two")
		d.Type("first task").Press("enter").WaitFor(Contains("wants to run"))
		d.Type("/new").Press("enter").WaitFor(Contains("1 other session"))
		d.Type("second task").Press("enter").WaitFor(Contains("1 of 2"))
		d.Type("for the second").Press("f8").WaitFor(Contains("needs your answer"), Contains("Sessions"))
		d.Type("first").WaitFor(listed("first")).Press("enter").WaitFor(Contains("❯ first task"), NotContains("Sessions"))
		d.Type("for the first")
		for range 2 {
			d.Press("f8").WaitFor(Contains("first task"), Contains("Sessions")).Type("second").WaitFor(listed("second")).Press("enter")
			d.WaitFor(NotContains("Sessions"), CursorAfter("for the second"))
			d.Press("f8").WaitFor(Contains("Sessions"))
			d.Press("esc").WaitFor(NotContains("Sessions"), CursorAfter("for the second"))
			d.Press("f8").WaitFor(Contains("Sessions"), Contains("needs your answer")).Type("first").WaitFor(listed("first")).Press("enter")
			d.WaitFor(NotContains("Sessions"), CursorAfter("for the first"))
		}
		if !there("one") || !there("two") {
			t.Fatal("something ran")
		}
		d.Expect(Contains("⚠ The agent wants to run"), Contains("│ rm -rf one"), NotContains("withdrawn"))
		d.Press("ctrl+u").WaitFor(Contains("enter answer"))
		d.Press("right", "enter").WaitFor(Contains("the first is done"))
		d.WaitIdle().Expect(Contains("rm -rf two"), Contains("“second task”"))
		d.Press("tab").Press("esc").WaitFor(NotContains("1 other session"))
		d.WaitIdle()
		if there("one") || !there("two") {
			t.Error("an answer reached the wrong conversation")
		}
		d.Quit()
		if st := d.Wait(); st.Code != 0 {
			t.Errorf("exit %+v", st)
		}
	}
}

// TestNextSession goes round the sessions that run, and back to the one before when none
// does.
func TestNextSession(t *testing.T) {
	t.Parallel()
	s := answers(
		on("first task", run("rm -rf one")), on("second task", run("rm -rf two")), on("", say("Yes.")),
	)
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: manual})
		folders(t, d, "one", "two")
		d.WaitFor(Contains("Type what you want done"))
		d.Press("alt+n").WaitFor(Contains("No other session was open"))
		d.Type("a word").Press("enter").WaitFor(Contains("Yes."))
		d.WaitIdle().Type("/new").Press("enter").WaitFor(NotContains("Yes."))
		d.Type("another").Press("enter").WaitFor(Contains("❯ another"), Contains("Yes."))
		d.WaitIdle().Press("alt+n").WaitFor(Contains("❯ a word"))
		d.WaitIdle().Press("alt+n").WaitFor(Contains("❯ another"))
		for _, task := range []string{"first task", "second task"} {
			d.WaitIdle().Type("/new").Press("enter").WaitFor(NotContains("❯ another"), NotContains("❯ first task"))
			d.Type(task).Press("enter").WaitFor(Contains("❯ " + task))
		}
		d.WaitFor(Contains("1 of 2")).Press("alt+n").WaitFor(Contains("❯ first task"))
		d.Type("a draft").Press("alt+n").WaitFor(Contains("❯ second task"), NotContains("a draft"))
		d.Press("alt+n").WaitFor(Contains("❯ first task"), CursorAfter("❯ a draft"))
	}
}

// TestTypeAheadOfAnotherConversation types and sends before the new conversation
// is there: it belongs to the new one.
func TestTypeAheadOfAnotherConversation(t *testing.T) {
	t.Parallel()
	s := answers(on("first", say("It begins"), script.Stall{}), on("second", say("the answer")))
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s, Config: manual})
	d.Type("first").Press("enter").WaitFor(Contains("It begins"))
	d.Type("/new").Press("enter").Type("second").Press("enter").Type("next").WaitFor(Contains("the answer"), NotContains("It begins"), CursorAfter("❯ next"))
}

// TestOtherFails has the conversation that is not shown end with a failure while
// another one asks.
func TestOtherFails(t *testing.T) {
	t.Parallel()
	s := answers(
		on("failing", script.Sleep{For: 3 * time.Second}, script.Failure{Status: 400, Message: "no such thing"}),
		on("asking", run("rm -rf two")), after("asking", 1, say("done")),
	)
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: manual})
		folders(t, d, "two")
		d.Type("failing").Press("enter").WaitFor(Title("hermes failing"))
		d.Type("/new").Press("enter").WaitFor(Contains("1 other session"))
		d.Type("asking").Press("enter").WaitFor(Contains("wants to run"))
		d.WaitFor(Contains("has failed"), NotContains("1 other session"))
		d.Expect(Contains("rm -rf two"))
		d.Press("f8").WaitFor(Contains("Sessions")).Type("failing").Press("enter").WaitFor(Title("hermes failing"), Contains("HTTP 400"), Contains("“asking”"))
	}
}

// TestQuitWithOthers leaves the program while conversations that are not shown run
// something: all of it ends.
func TestQuitWithOthers(t *testing.T) {
	t.Parallel()
	s := answers(
		on("one", run("echo $$ > one.pid; exec sleep 300")), after("one", 1, say("done")),
		on("two", inBackground("echo $$ > two.pid; exec sleep 300")), after("two", 1, say("Started.")),
		on("three", script.Open{}, script.Stall{}),
	)
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s})
	d.Type("one").Press("enter")
	first := pidIn(t, d, "one.pid")
	d.Type("/new").Press("enter").WaitFor(Contains("1 other session"))
	d.Type("two").Press("enter").WaitFor(Contains("Started."))
	second := pidIn(t, d, "two.pid")
	d.Type("/new").Press("enter").WaitFor(Contains("2 other sessions"))
	d.Type("three").Press("enter").WaitFor(Title("hermes three"))
	d.Quit()
	if st := d.Wait(); st.Code != 0 {
		t.Errorf("exit %+v", st)
	}
	d.AssertRestored()
	waitGone(t, first)
	waitGone(t, second)
}
