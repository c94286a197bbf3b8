//go:build unix

package ui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// familySizes are the screens on which subagents are tried: with the panes beside
// the transcript, with them as a drawer, and with them below it.
var familySizes = [][2]int{{160, 50}, {100, 30}, {70, 20}}

// family are settings that allow as many subagents as any of these tests wants.
const family = "delegation:\n  max_concurrent_children: 60\n  max_spawn_depth: 2\n"

// handOut is a call that gives each of several goals to a subagent.
func handOut(goals ...string) script.Call {
	tasks := make([]map[string]any, len(goals))
	for i, g := range goals {
		tasks[i] = map[string]any{"goal": g}
	}
	return call("delegate_task", map[string]any{"tasks": tasks})
}

// beside is a call for a subagent that no one waits for.
func beside(goal string) script.Call {
	return call("delegate_task", map[string]any{"goal": goal, "background": true})
}

// kid answers the subagent with a goal, before any tool result.
func kid(goal string, steps ...script.Step) script.Rule {
	return on("Your task:\n"+regexp.QuoteMeta(goal), steps...)
}

// kidAfter answers the subagent with a goal once so many tool results are there.
func kidAfter(goal string, results int, steps ...script.Step) script.Rule {
	return after("Your task:\n"+regexp.QuoteMeta(goal), results, steps...)
}

// Signs of states, as regular expressions.
const (
	signRuns    = "[◐◓◑◒]"
	signWaits   = "◆"
	signPausing = "‖"
	signPaused  = "⏸"
	signDone    = "✓"
	signKilled  = "■"
	signStopped = "◧"
	signRefused = "⊘"
)

// agentRow holds when the row of an agent in the side panes has a sign.
func agentRow(sign, name string) Matcher {
	return LineMatches(`[├└]─` + sign + `.{1,3}` + regexp.QuoteMeta(name))
}

// markedRow holds when an agent is marked in the side panes.
func markedRow(name string) Matcher {
	return LineMatches(`▸[├└│─ ]*\S.{1,3}` + regexp.QuoteMeta(name))
}

// toAgents goes to the side panes.
func toAgents(d *Driver) *Driver {
	return d.Type("/agents").Press("enter").WaitFor(LineMatches(`▸.*\S`), CursorHidden())
}

// marked finds the name of the agent that is marked in the side panes.
var marked = regexp.MustCompile(`▸[├└│─ ]*[^├└│─ ][^a-z]{1,3}([a-z][a-z0-9]*)`)

// mark moves the mark in the side panes to an agent, down to the end and then up.
func mark(d *Driver, name string) *Driver {
	for _, key := range []string{"down", "up"} {
		for last := ""; ; {
			at := marked.FindStringSubmatch(d.Screen().Text())
			if at == nil || at[1] == name || at[1] == last {
				break
			}
			last = at[1]
			d.Press(key)
		}
	}
	return d.Expect(markedRow(name))
}

// confirmed presses a key that kills a second time, once the screen asks for it.
func confirmed(d *Driver, key string) *Driver {
	return d.Press(key).WaitFor(Contains("Press " + key + " again to ")).Press(key)
}

// timed tells how long something took that should take less than a second.
func timed(t *testing.T, what string, do func()) {
	t.Helper()
	begin := time.Now()
	do()
	took := time.Since(begin)
	t.Logf("%s: %v", what, took.Round(time.Millisecond))
	if took > 10*time.Second {
		t.Errorf("%s took %v", what, took)
	}
}

// kidNames are the goals of n subagents: kid00, kid01 and so on.
func kidNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("kid%02d naps", i)
	}
	return names
}

// TestFamilyControls uses every control on screens of all sizes, with one subagent,
// with some and with many. All of them stream and never end by themselves.
func TestFamilyControls(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 8, 60} {
		t.Run(fmt.Sprintf("%d", n), func(t *testing.T) {
			t.Parallel()
			s := answers(
				on("^first$", handOut("early bird")), after("^first$", 1, say("That was quick.")),
				kid("early bird", say("Caught it.")),
				on("^go$", say("I hand it out."), handOut(kidNames(n)...)), after("^go$", 1, say("All is over.")),
				script.Rule{Match: script.Match{User: `Your task:\nkid`}, Steps: []script.Step{say("It is quiet here."), script.Stall{}}},
			)
			size := familySizes[0]
			d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: family})
			d.Type("first").Press("enter").WaitFor(Contains("That was quick."))
			for i, size := range familySizes {
				d.Resize(size[0], size[1]).WaitIdle()
				begin := time.Now()
				d.Type("go").Press("enter")
				f := &familyRun{t: t, d: d, n: n}
				f.begin()
				t.Logf("%d×%d: %d subagents at work after %v", size[0], size[1], n, time.Since(begin).Round(time.Millisecond))
				f.looks()
				f.holds()
				f.speaks()
				f.elsewhere()
				f.kills()
				f.ends(i)
				f.replays()
			}
			d.Quit()
			if st := d.Wait(); st.Code != 0 {
				t.Errorf("exit %+v", st)
			}
		})
	}
}

// familyRun is a turn with n subagents that is tried on one screen.
type familyRun struct {
	t *testing.T
	d *Driver
	n int
}

// begin waits until all are at work and goes to the first.
func (f *familyRun) begin() {
	f.d.WaitFor(LineMatches(fmt.Sprintf(`Agents .*%d · ⚡%d`, f.n, f.n)))
	toAgents(f.d).WaitFor(LineMatches(`▸.{1,3}main agent`))
	mark(f.d, "kid00")
	f.d.WaitFor(agentRow(signRuns, "kid00"))
}

// looks shows an agent in detail, and orders and filters the list.
func (f *familyRun) looks() {
	d := f.d
	d.Press("enter").WaitFor(Contains("subagent · depth 1"))
	d.Press("enter").WaitFor(NotContains("subagent · depth 1")).Expect(markedRow("kid00"))
	for _, name := range []string{"busiest", "slowest", "status", "spawn order"} {
		d.Press("o").WaitFor(Contains("Agents are ordered by " + name)).Expect(markedRow("kid00"))
	}
	for _, name := range []string{"running", "failed", "leaves", "all"} {
		d.Press("f").WaitFor(Contains("Agents shown: " + name))
		if name != "failed" {
			d.Expect(markedRow("kid00"))
		} else {
			d.Expect(LineMatches(`▸.{1,3}main agent`))
		}
	}
}

// holds pauses an agent, and freezes the spawning of others.
func (f *familyRun) holds() {
	d := f.d
	timed(f.t, "pause", func() { d.Press("p").WaitFor(agentRow(signPausing, "kid00")) })
	d.Press("p").WaitFor(agentRow(signRuns, "kid00"))
	d.Press("P").WaitFor(Contains("No agent may start others")).WaitFor(LineMatches(`Agents +frozen`))
	d.Press("P").WaitFor(Contains("Agents may start others again")).WaitFor(Not(LineMatches(`Agents +frozen`)))
}

// speaks steers an agent in place, and shows it in the main view.
func (f *familyRun) speaks() {
	d := f.d
	d.Press("s").WaitFor(Contains("what should it know?"))
	d.Type("hush p x").Expect(CursorAfter("hush p x")).Press("enter")
	d.WaitFor(LineMatches(`↪ → kid00 naps · hush p x`), LineMatches(`kid00.*↪`)).Expect(markedRow("kid00"))
	d.Press("s").Type("never mind").Press("esc").WaitSync().Expect(NotContains("never mind"), markedRow("kid00"))
	d.Press("m").WaitFor(Contains("main agent › kid00 naps", "It is quiet here.", "enter steers “kid00 naps”"))
	d.Press("esc").WaitFor(NotContains("main agent › kid00 naps"), markedRow("kid00"))
}

// elsewhere goes to the wall and to the timeline and holds agents there.
func (f *familyRun) elsewhere() {
	d := f.d
	d.Press("w").WaitFor(LineMatches(`┏━ ` + signRuns + ` kid00`))
	d.Press("p").WaitFor(LineMatches(`┏━ ` + signPausing + ` kid00`)).Press("p").WaitFor(LineMatches(`┏━ ` + signRuns + ` kid00`))
	d.Press("P").WaitFor(Contains("No agent may start others"))
	if f.n > 1 {
		d.Press("right").WaitFor(LineMatches(`┏━ ` + signRuns + ` kid01`)).Press("left").WaitFor(LineMatches(`┏━ ` + signRuns + ` kid00`))
		if Explain(d.Screen(), Contains("page 1 of")) == "" {
			d.Press("pgdown").WaitFor(Contains("page 2 of"), LineMatches(`┏━ `+signRuns+` kid`)).Press("pgup").WaitFor(LineMatches(`┏━ ` + signRuns + ` kid00`))
		}
	}
	d.Press("m").WaitFor(Contains("main agent › kid00 naps")).Press("esc").WaitFor(NotContains("main agent › kid00 naps"), LineMatches(`┏━ `+signRuns+` kid00`))
	d.Press("esc").WaitFor(markedRow("kid00"), LineMatches(`Agents +frozen`)).Press("P").WaitFor(Contains("Agents may start others again"), Not(LineMatches(`Agents +frozen`)))
	d.Press("w").WaitFor(LineMatches(`┏━ ` + signRuns + ` kid00`))
	d.Press("t").WaitFor(Contains("Timeline", "esc close"), LineMatches(`▸`+signRuns+` kid00`))
	d.Press("p").WaitFor(LineMatches(`▸` + signPausing + ` kid00`)).Press("p").WaitFor(LineMatches(`▸` + signRuns + ` kid00`))
	d.Press("enter").WaitFor(Contains("main agent › kid00 naps"), NotContains("Timeline")).Press("esc").WaitFor(NotContains("main agent › kid00 naps"), Contains("Timeline"))
	d.Press("esc").WaitFor(NotContains("Timeline"), LineMatches(`┏━ `+signRuns+` kid00`)).Press("esc").WaitFor(markedRow("kid00"))
	d.Press("t").WaitFor(Contains("Timeline")).Press("esc").WaitFor(NotContains("Timeline"))
}

// kills ends agents from the list, the wall and the timeline, each alone and with
// all below it.
func (f *familyRun) kills() {
	d := f.d
	timed(f.t, "kill", func() { confirmed(d, "x").WaitFor(agentRow(signKilled, "kid00")) })
	d.Press("x").WaitFor(Contains("That agent has ended already."))
	if f.n == 1 {
		return
	}
	mark(d, "kid01")
	timed(f.t, "kill subtree", func() { confirmed(d, "X").WaitFor(agentRow(signKilled, "kid01")) })
	for i, key := range []string{"x", "X"} {
		name := fmt.Sprintf("kid%02d", 2+i)
		mark(d, name).Press("w").WaitFor(LineMatches(`┏━ ` + signRuns + ` ` + name))
		timed(f.t, "kill on the wall", func() { confirmed(d, key).WaitFor(LineMatches(`[┏╭][━─] ` + signKilled + ` ` + name)) })
		d.Press("esc").WaitFor(markedRow(name))
		name = fmt.Sprintf("kid%02d", 4+i)
		mark(d, name).Press("t").WaitFor(LineMatches(`▸` + signRuns + ` ` + name))
		timed(f.t, "kill in the timeline", func() { confirmed(d, key).WaitFor(LineMatches(`▸` + signKilled + ` ` + name)) })
		d.Press("x").WaitSync().Expect(Contains("Timeline")).Press("esc").WaitFor(NotContains("Timeline"))
		mark(d, name)
	}
}

// ends ends the turn: with escape pressed twice, or with all below the root killed.
func (f *familyRun) ends(how int) {
	d := f.d
	if f.n > 1 { // else the one that was killed was the last
		if how == 1 {
			mark(d, "main")
		} else {
			d.Press("esc").WaitFor(CursorAfter("❯ "))
		}
		timed(f.t, "end of all", func() {
			if how == 1 {
				confirmed(d, "X")
			} else {
				d.Press("esc", "esc")
			}
			d.WaitFor(LineMatches(fmt.Sprintf(`Agents .*%d · ⚡0`, f.n)))
		})
	}
	if d.WaitFor(Title("✓ hermes")); Explain(d.Screen(), CursorHidden()) == "" {
		d.Press("esc").WaitFor(CursorAfter("❯ "))
	}
	d.WaitIdle()
}

// replays opens the tree step by step, and compares it with another one.
func (f *familyRun) replays() {
	d := f.d
	d.Type("/replay 1").Press("enter").WaitFor(Contains("Replay", "kid00"))
	d.Press("x").WaitFor(Contains("That agent has ended"))
	d.Press("n", "n").WaitSync().Expect(Contains("Replay"))
	d.Press("esc").WaitFor(NotContains("Replay"))
	d.Type("/replay").Press("enter").WaitFor(Contains("Subagents of this session", "first"))
	d.Press("enter").WaitFor(Contains("Replay", "back to the list")).Press("esc").WaitFor(Contains("Subagents of this session", "first"))
	d.Press("space", "down", "c").WaitFor(Contains("A  ", "B  "))
	d.Press("esc").WaitFor(Contains("Subagents of this session")).Press("esc", "esc").WaitFor(NotContains("Subagents of this session"))
	if text := d.Screen().Text(); strings.Contains(text, "Go back to before") {
		d.Press("esc").WaitFor(NotContains("Go back to before"))
	}
	d.WaitIdle()
}
