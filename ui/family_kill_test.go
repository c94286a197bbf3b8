//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// processes are those that have a text in one of their arguments.
func processes(t *testing.T, text string) (pids []int) {
	t.Helper()
	lists, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lists) == 0 {
		t.Skip("SKIPPED: there is no list of processes here")
	}
	for _, name := range lists {
		args, err := os.ReadFile(name)
		pid, numbered := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && numbered == nil && strings.Contains(string(args), text) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// napper is a command of several processes that last ten minutes and can be told by
// a text in their arguments. What a failed test leaves of them ends with it.
func napper(t *testing.T, i int) (command, text string) {
	text = fmt.Sprintf("600.%07d%04d", os.Getpid(), i)
	t.Cleanup(func() {
		for _, pid := range processes(t, text) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return "(sleep " + text + "; true) | (sleep " + text + "; cat)", text
}

// TestFamilyKillLands ends subagents that sleep in a command, that listen to a silent
// model, and that have subagents of their own, from the list, the wall and the
// timeline. What they have started is gone, and no one else's.
func TestFamilyKillLands(t *testing.T) {
	t.Parallel()
	for _, size := range familySizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			var texts []string
			rules := []script.Rule{
				on("^go$", handOut("a1 naps", "a2 naps", "a3 naps", "b1 listens", "b2 listens", "b3 listens"),
					call("delegate_task", map[string]any{"goal": "c0 leads", "role": "orchestrator"}), beside("d0 naps")),
				after("^go$", 2, say("All is over.")),
				kid("c0 leads", handOut("c1 naps", "c2 listens")), kidAfter("c0 leads", 1, say("It is led.")),
			}
			for i, goal := range []string{"a1 naps", "a2 naps", "a3 naps", "c1 naps", "d0 naps"} {
				command, text := napper(t, size[0]*10+i)
				texts = append(texts, text)
				rules = append(rules, kid(goal, run(command)), kidAfter(goal, 1, say("Well rested.")))
			}
			for _, goal := range []string{"b1 listens", "b2 listens", "b3 listens", "c2 listens"} {
				rules = append(rules, kid(goal, say("I hear"), script.Stall{}))
			}
			d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: answers(rules...), Config: family})
			alive := func(want ...bool) {
				t.Helper()
				for i, there := range want {
					wait(t, fmt.Sprintf("the command of napper %d: there should be %v", i, there), func() bool { return len(processes(t, texts[i])) > 0 == there })
				}
			}
			d.Type("go").Press("enter").WaitFor(LineMatches(`Agents .*10 · ⚡10`))
			alive(true, true, true, true, true)
			toAgents(d)

			mark(d, "a1")
			timed(t, "kill in a command", func() {
				confirmed(d, "x").WaitFor(agentRow(signKilled, "a1"))
				alive(false)
			})
			mark(d, "b1")
			timed(t, "kill in a silent stream", func() { confirmed(d, "x").WaitFor(agentRow(signKilled, "b1")) })
			mark(d, "a2").Press("w").WaitFor(LineMatches(`┏━ ` + signRuns + ` a2`))
			timed(t, "kill in a command, on the wall", func() {
				confirmed(d, "x").WaitFor(LineMatches(`[┏╭][━─] ` + signKilled + ` a2`))
				alive(false, false)
			})
			d.Press("esc").WaitFor(markedRow("a2"))
			mark(d, "a3").Press("t").WaitFor(LineMatches(`▸` + signRuns + ` a3`))
			timed(t, "kill in a command, in the timeline", func() {
				confirmed(d, "x").WaitFor(LineMatches(`▸` + signKilled + ` a3`))
				alive(false, false, false)
			})
			d.Press("esc").WaitFor(NotContains("Timeline"))
			alive(false, false, false, true, true)

			mark(d, "c0")
			timed(t, "kill with all below", func() {
				confirmed(d, "X").WaitFor(agentRow(signKilled, "c0"))
				alive(false, false, false, false, true)
			})
			mark(d, "c2").Expect(agentRow(signKilled, "c2"))
			mark(d, "b3").WaitFor(agentRow(signRuns, "b3"))
			mark(d, "d0").WaitFor(agentRow(signRuns, "d0"))
			mark(d, "main")
			timed(t, "kill of the root with all below", func() {
				confirmed(d, "X").WaitFor(LineMatches(`Agents .*10 · ⚡0`), Title("✓ hermes"))
				alive(false, false, false, false, false)
			})
		})
	}
}
