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

// told answers a subagent by what its newest tool result holds.
func told(goal, result string, steps ...script.Step) script.Rule {
	r := kid(goal, steps...)
	r.Match.Results, r.Match.ToolResult = nil, result
	return r
}

// TestFamilySteerArrives says something to subagents, in their row and in the main
// view: the next request of the one that is meant holds it, and no one else's.
func TestFamilySteerArrives(t *testing.T) {
	t.Parallel()
	rules := []script.Rule{on("^go$", handOut("s1 waits", "s2 waits", "s3 waits")), after("^go$", 1, say("All is over."))}
	for i, words := range []string{"hush hush", "quick quick", ""} {
		goal := fmt.Sprintf("s%d waits", i+1)
		rules = append(rules, kid(goal, run(until(goal[:2]))))
		if words != "" {
			rules = append(rules, told(goal, words, say(goal[:2]+" heard it.")))
		}
		rules = append(rules, kidAfter(goal, 1, say(goal[:2]+" heard nothing.")))
	}
	for _, size := range familySizes {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: answers(rules...), Config: family})
		d.Type("go").Press("enter")
		wait(t, "no command runs", func() bool {
			return there(d.Dir()+"/s1.runs") && there(d.Dir()+"/s2.runs") && there(d.Dir()+"/s3.runs")
		})
		toAgents(d)
		mark(d, "s1").Press("s").WaitFor(Contains("what should it know?"))
		d.Type("be quiet: hush hush").Press("ctrl+w", "ctrl+w").Type("hush hush").Press("enter").WaitFor(LineMatches(`↪ → s1 waits · be quiet: hush`))
		mark(d, "s2").Press("m").WaitFor(Contains("main agent › s2 waits"))
		d.Type("quick quick").Press("enter").WaitFor(LineMatches(`↪ → s2 waits · quick quick`), CursorAfter("❯ "))
		d.Type("not this").Press("ctrl+c").WaitFor(Contains("Draft cleared"))
		for _, name := range []string{"s1", "s2", "s3"} {
			leave(t, d, name, "")
		}
		d.WaitFor(Contains("↪ quick quick", "s2 heard it."))
		d.Press("esc").WaitFor(NotContains("main agent › s2 waits"), Contains("All is over."))
		for name, words := range map[string]string{"s1 waits": "be quiet: hush hush", "s2 waits": "quick quick", "s3 waits": ""} {
			bodies := requestsOf(d, name+`\n\nWorkspace`)
			if len(bodies) != 2 || !strings.Contains(bodies[1], words) {
				t.Errorf("%s: %d requests, the last is %s", name, len(bodies), bodies[len(bodies)-1])
			}
			for _, others := range []string{"hush", "quick quick", "not this"} {
				if !strings.Contains(words, others) && strings.Contains(bodies[len(bodies)-1], others) {
					t.Errorf("%s got %q, which was for another", name, others)
				}
			}
		}
		d.WaitIdle().Quit().Wait()
	}
}

// TestFamilySteerGoesOn says something to a subagent that gives its last answer: it
// goes on with that, and its report is the later one. One that has ended hears
// nothing, and the user is told so.
func TestFamilySteerGoesOn(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", handOut("s1 talks")), after("^go$", 1, say("The report: {{last_tool}}")),
		kid("s1 talks", say("It begins"), script.Sleep{For: 1500 * time.Millisecond}, say(" and it ends.")),
		on("^and now this$", say("This was done as well.")),
	)
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: s, Config: family})
	d.Type("go").Press("enter").WaitFor(LineMatches(`s1 talks +answering`))
	toAgents(d)
	mark(d, "s1").Press("s").WaitFor(Contains("what should it know?"))
	d.Type("and now this").Press("enter").WaitFor(LineMatches(`↪ → s1 talks · and now this`))
	d.WaitFor(agentRow(signDone, "s1"), NotContains("↪ →"), Contains("The report:"))
	if n := len(requestsOf(d, `\"summary\":\"This was done as well.\"`)); n != 1 {
		t.Errorf("the report is not the later answer\n%s", d.Screen())
	}
	d.Press("s").WaitFor(Contains("That agent has ended already."))
	d.Press("m").WaitFor(Contains("It begins and it ends.", "❯ and now this", "This was done as well."))
	d.Type("too late").Press("enter").WaitFor(Contains("That agent has ended: esc goes back")).Expect(CursorAfter("❯ too late"))
	d.Press("esc").WaitIdle().Expect(NotContains("❯ and now this"))
	if n := len(requestsOf(d, "too late")); n > 0 {
		t.Errorf("%d requests hold what came too late", n)
	}
}
