//go:build unix

package ui_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// until is a command that tells that it runs and waits for a file. With the folder of
// the test it ends as well.
func until(file string) string {
	return "echo it runs > " + file + ".runs; while [ -e " + file + ".runs ] && [ ! -e " + file + " ]; do sleep 0.02; done; echo " + file + " is there"
}

// requestsOf are the bodies of the requests that hold a text, oldest first.
func requestsOf(d *Driver, text string) []string {
	var bodies []string
	for _, r := range d.Server().Requests() {
		if strings.Contains(string(r.Body), text) {
			bodies = append(bodies, string(r.Body))
		}
	}
	return bodies
}

// seconds is the number before an s in a row of the screen.
func seconds(t *testing.T, d *Driver, row string) int {
	t.Helper()
	found := regexp.MustCompile(row).FindStringSubmatch(d.Screen().Text())
	if found == nil { // nothing is said of less than a second
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFamilyPauseLosesNothing pauses a subagent in the middle of its work: what has
// begun ends, nothing begins, another one works on, the time does not count, and
// after it was resumed nothing is missing.
func TestFamilyPauseLosesNothing(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", handOut("p1 waits", "p2 works")), after("^go$", 1, say("All is over.")),
		kid("p1 waits", say("The first part."), run(until("p1"))),
		kidAfter("p1 waits", 1, say("The second part."), run("echo more")), kidAfter("p1 waits", 2, say("The third part.")),
		kid("p2 works", run(until("p2"))), kidAfter("p2 works", 1, say("It worked.")),
	)
	d := Start(t, Options{Cols: 160, Rows: 50, Scenario: s, Config: family})
	d.Type("go").Press("enter")
	wait(t, "no command runs", func() bool { return there(d.Dir()+"/p1.runs") && there(d.Dir()+"/p2.runs") })
	toAgents(d)
	mark(d, "p1").Press("enter").WaitFor(Contains("subagent · depth 1"))
	d.Press("p").WaitFor(agentRow(signPausing, "p1"), agentRow(signRuns, "p2"))
	leave(t, d, "p1", "")
	d.WaitFor(agentRow(signPaused, "p1"))
	worked := seconds(t, d, `Time +(\d+)s`)
	if n := len(requestsOf(d, "p1 waits\\n\\nWorkspace")); n != 1 {
		t.Errorf("%d requests before the pause", n)
	}
	leave(t, d, "p2", "")
	d.WaitFor(agentRow(signDone, "p2"), agentRow(signPaused, "p1"), LineMatches(`held up [2-9]s`))
	if now := seconds(t, d, `Time +(\d+)s`); now > worked {
		t.Errorf("%d s of work were counted, and %d s after a pause", worked, now)
	}
	all := len(d.Server().Requests())
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if got, err := d.Server().WaitRequests(short, all+1); err == nil {
		t.Errorf("a paused subagent has sent %s", got[all].Body)
	}
	d.Press("p").WaitFor(agentRow(signDone, "p1"), Contains("All is over."))
	bodies := requestsOf(d, "p1 waits\\n\\nWorkspace")
	if len(bodies) != 3 {
		t.Fatalf("%d requests of the one that was paused", len(bodies))
	}
	for _, text := range []string{"The first part.", "p1 is there", "The second part.", "more"} {
		if !strings.Contains(bodies[2], text) {
			t.Errorf("%q is missing in %s", text, bodies[2])
		}
	}
	d.Press("m").WaitIdle().Expect(Contains("The first part.", "The second part.", "The third part."))
}

// TestFamilyPauseOfAll pauses the root with everything below it: no one asks the
// model until it is resumed.
func TestFamilyPauseOfAll(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", handOut("p1 waits", "p2 waits")), after("^go$", 1, say("All is over.")),
		kid("p1 waits", run(until("p1"))), kidAfter("p1 waits", 1, say("One.")),
		kid("p2 waits", run(until("p2"))), kidAfter("p2 waits", 1, say("Two.")),
	)
	d := Start(t, Options{Cols: 70, Rows: 20, Scenario: s, Config: family})
	d.Type("go").Press("enter")
	wait(t, "no command runs", func() bool { return there(d.Dir()+"/p1.runs") && there(d.Dir()+"/p2.runs") })
	toAgents(d)
	mark(d, "main").Press("p").WaitFor(agentRow(signPausing, "p1"), agentRow(signPausing, "p2"))
	leave(t, d, "p1", "")
	leave(t, d, "p2", "")
	d.WaitFor(agentRow(signPaused, "p1"), agentRow(signPaused, "p2"))
	if n := len(d.Server().Requests()); n != 3 {
		t.Errorf("%d requests while all are paused", n)
	}
	d.Press("p").WaitFor(agentRow(signDone, "p1"), agentRow(signDone, "p2"), Title("✓ hermes"))
	d.Press("esc").WaitIdle().Expect(Contains("All is over."))
}

// TestFamilyFreeze forbids subagents: what is asked for is refused, stands in the
// tree, and the model is told why. Allowed again, it starts.
func TestFamilyFreeze(t *testing.T) {
	t.Parallel()
	s := answers(
		on("^go$", handOut("f1 works", "f2 works")), after("^go$", 1, say("So I do it.")),
		on("^again$", handOut("f3 works")), after("^again$", 1, say("It was done.")),
		kid("f3 works", say("Done.")),
	)
	d := Start(t, Options{Cols: 160, Rows: 50, Scenario: s, Config: family})
	for i, size := range familySizes {
		d.Resize(size[0], size[1]).WaitIdle()
		d.Type("/agents freeze").Press("enter").WaitFor(Contains("No agent may start others"))
		d.Type("go").Press("enter").WaitFor(Contains("So I do it.")).WaitIdle()
		toAgents(d).WaitFor(LineMatches(`Agents +frozen`), agentRow(signRefused, "f1"), agentRow(signRefused, "f2"))
		if n := len(requestsOf(d, "the user has stopped the starting of subagents")); n < 2*i+1 {
			t.Fatalf("the model was told %d times", n)
		}
		if len(requestsOf(d, "f1 works\\n\\nWorkspace")) > 0 {
			t.Fatal("it was started")
		}
		d.Press("P").WaitFor(Contains("Agents may start others again"), Not(LineMatches(`Agents +frozen`)))
		d.Press("esc").WaitFor(CursorAfter("❯ "))
		d.Type("again").Press("enter").WaitFor(Contains("It was done.")).WaitIdle()
		d.Type("/new").Press("enter").WaitIdle().Expect(NotContains("It was done."))
	}
}
