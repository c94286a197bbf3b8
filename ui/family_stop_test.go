//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestFamilyEscape stops the turn of the root: the subagents it waits for end with
// it, one in the background goes on and reports. Pressed twice, escape ends that one
// as well.
func TestFamilyEscape(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", beside("b1 waits"), handOut("f1 waits", "f2 listens")),
		on("^more$", beside("b2 waits"), handOut("f3 waits", "f4 waits")),
		on("ASYNC DELEGATION COMPLETE(?s:.*)It is all there", say("The report is in.")),
		kid("b1 waits", run(until("b1"))), kidAfter("b1 waits", 1, say("It is all there.")),
		kid("f1 waits", run(until("never"))), kid("f2 listens", say("I hear"), stall),
		kid("b2 waits", run(until("never"))), kid("f3 waits", run(until("never"))), kid("f4 waits", run(until("never"))),
	)
	for _, size := range familySizes {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: family})
		d.Type("go").Press("enter").WaitFor(LineMatches(`Agents .*3 · ⚡3`))
		wait(t, "no command runs", func() bool { return there(d.Dir()+"/b1.runs") && there(d.Dir()+"/never.runs") })
		timed(t, "escape", func() { d.Press("esc").WaitFor(LineMatches(`Agents .*3 · ⚡1`)) })
		toAgents(d)
		mark(d, "f1").WaitFor(agentRow(signStopped, "f1"))
		mark(d, "f2").WaitFor(agentRow(signStopped, "f2"))
		mark(d, "b1").WaitFor(agentRow(signRuns, "b1")).Press("esc").WaitFor(CursorAfter("❯ "))
		if size[0] == 100 { // panes that were opened by hand are closed first, as the status line says
			d.WaitFor(Contains("esc close the panes")).Press("esc").WaitFor(NotContains("close the panes", "▸├─"))
		}
		leave(t, d, "b1", "")
		d.WaitFor(Contains("The report is in."), LineMatches(`Agents .*⚡0`)).WaitIdle()

		d.Type("more").Press("enter").WaitFor(LineMatches(`Agents .*3 · ⚡3`))
		timed(t, "escape twice", func() { d.Press("esc", "esc").WaitFor(LineMatches(`Agents .*3 · ⚡0`)) })
		toAgents(d)
		mark(d, "b2").WaitFor(agentRow(signKilled, "b2"))
		mark(d, "f3").WaitFor(agentRow(signStopped, "f3"))
		d.Press("esc").WaitFor(CursorAfter("❯ ")).WaitIdle().Quit().Wait()
	}
}
