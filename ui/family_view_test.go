//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// tasks is a call that notes what is to be done; the first is being done.
func tasks(names ...string) script.Call {
	list := make([]map[string]any, len(names))
	for i, n := range names {
		list[i] = map[string]any{"id": n, "content": n, "status": "pending"}
	}
	list[0]["status"] = "in_progress"
	return call("todo", map[string]any{"todos": list})
}

// TestFamilyTasks shows the tasks of the agent that is marked, and those of the root
// otherwise.
func TestFamilyTasks(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", tasks("hand it out", "read the reports")), after("^go$", 1, handOut("t1 works", "t2 works")),
		kid("t1 works", tasks("find the docs", "read them")), kidAfter("t1 works", 1, say("I read"), stall),
		kid("t2 works", say("I have no list"), stall),
	)
	for _, size := range familySizes {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: family})
		d.Type("go").Press("enter").WaitFor(LineMatches(`Agents .*2 · ⚡2`), LineMatches(`t1 works +answering +1t`))
		d.Expect(Contains("hand it out"))
		toAgents(d)
		mark(d, "t1").WaitFor(Contains("▸ find the docs"), NotContains("▸ hand it out"))
		mark(d, "t2").WaitFor(NotContains("▸ find the docs", "▸ hand it out"))
		mark(d, "main").WaitFor(Contains("▸ hand it out"))
		mark(d, "t1").WaitFor(Contains("▸ find the docs")).Press("esc").WaitFor(CursorAfter("❯ "), Contains("▸ hand it out"))
		d.Quit().Wait()
	}
}

// TestReasoningHides hides and shows what the model thinks, of the root and of a
// subagent in the main view.
func TestReasoningHides(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", script.Reasoning{Text: "Somebody should look."}, handOut("r1 thinks")), after("^go$", 1, say("All is over.")),
		kid("r1 thinks", script.Reasoning{Text: "I look now."}, say("I have looked.")),
	)
	d := Start(t, Options{Cols: 160, Rows: 50, Scenario: s, Config: family})
	d.Type("go").Press("enter").WaitFor(Contains("All is over.")).WaitIdle().Expect(Contains("▸ Thought"))
	for _, size := range familySizes {
		d.Resize(size[0], size[1]).WaitIdle().Expect(Contains("▸ Thought"))
		d.Type("/reasoning hide").Press("enter").WaitFor(NotContains("Thought")).WaitIdle().Expect(Contains("All is over."))
		toAgents(d)
		mark(d, "r1").Press("m").WaitFor(Contains("I have looked."), NotContains("Thought"))
		d.Type("/reasoning show").Press("enter").WaitFor(Contains("▸ Thought")).Press("ctrl+t").WaitFor(Contains("I look now."))
		d.Press("ctrl+t").WaitFor(NotContains("I look now."))
		d.Press("esc").WaitFor(Contains("All is over.", "▸ Thought"))
	}
}

// TestFamilyPanesBelow opens the side panes on a narrow screen, by key and by
// command, and closes them again.
func TestFamilyPanesBelow(t *testing.T) {
	t.Parallel()
	s := answers(on("^go$", handOut("n1 naps", "n2 naps")), script.Rule{Match: script.Match{User: `Your task:\nn`}, Steps: []script.Step{say("It is quiet."), stall}})
	d := Start(t, Options{Cols: 70, Rows: 20, Scenario: s, Config: family})
	d.Type("go").Press("enter").WaitFor(LineMatches(`^ Agents 2 · ⚡2`))
	d.Press("f7").WaitFor(LineMatches(`^  Agents +2 · ⚡2`), agentRow(signRuns, "n1"), agentRow(signRuns, "n2"), LineMatches(`▸.{1,3}main agent`))
	d.Press("down").WaitFor(markedRow("n1"))
	d.Press("f6").WaitFor(CursorAfter("❯ ")).Press("f7").WaitFor(LineMatches(`^ Agents 2 · ⚡2`))
	toAgents(d)
	mark(d, "n2").Press("esc").WaitFor(LineMatches(`^ Agents 2 · ⚡2`), CursorAfter("❯ "))
	toAgents(d).WaitFor(markedRow("n2")).Press("esc").WaitFor(CursorAfter("❯ ")).Press("esc").WaitIdle()
}
