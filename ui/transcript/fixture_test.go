package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// noon is when the fixtures happen.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func still() time.Time { return noon }

func dark() *rows.Styles { return rows.NewStyles(themes.Dark()) }

func newView() *View { return New(dark(), Options{Clock: still, OutputLines: 4}) }

func block(kind event.BlockKind, id, text string) *event.Block {
	return &event.Block{ID: event.BlockID(id), Kind: kind, Turn: "t1", At: noon, Text: event.NewText(text)}
}

// call makes the block of a call that ended well; change makes it another.
func call(id, name, subject string, kind event.ViewKind, change func(*event.Block, *event.Call)) *event.Block {
	c := &event.Call{
		ID: event.CallID(id), Stage: event.CallEnded, Outcome: event.OutcomeOK, Started: noon, Took: 300 * time.Millisecond,
		View: event.CallView{Kind: kind, Name: name, Subject: subject},
	}
	b := &event.Block{ID: event.BlockID(id), Kind: event.BlockTool, Turn: "t1", At: noon, Call: c}
	if change != nil {
		change(b, c)
	}
	return b
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the output\n", i+1)
	}
	return b.String()
}

func checkFrame(t *testing.T, frame []string, w, h int) {
	t.Helper()
	if len(frame) != h {
		t.Fatalf("%d rows, want %d", len(frame), h)
	}
	for i, r := range frame {
		if n := rows.Width(r); n != w {
			t.Fatalf("row %d takes %d of %d cells: %q", i, n, w, r)
		}
		if strings.ContainsAny(r, "\n\t\r") {
			t.Fatalf("row %d holds a control character: %q", i, r)
		}
		if i := strings.LastIndex(r, "\x1b["); i >= 0 && !strings.HasPrefix(r[i:], "\x1b[m") {
			t.Fatalf("row leaves a style on: %q", r)
		}
	}
}

// script is a conversation with a block of every kind.
func script() []*event.Block {
	exit := 1
	return []*event.Block{
		block(event.BlockUser, "u1", "The store test fails one run in ten. Find out why and fix it."),
		{ID: "r1", Kind: event.BlockReasoning, Turn: "t1", At: noon, Took: 4200 * time.Millisecond,
			Text: event.NewText("The failure is in TestConcurrentAppend, so two writers may race.\nI should look at the lock first.")},
		call("c1", "terminal", "go test -race ./store -run Append -count=20", event.ViewCommand, func(_ *event.Block, c *event.Call) {
			c.Took, c.View.Body = 12400*time.Millisecond, lines(38)
		}),
		call("c2", "read_file", "store/append.go", event.ViewRead, func(_ *event.Block, c *event.Call) {
			c.View.Summary, c.View.Lang, c.View.Body = "120 lines", "go", "package store\n\nfunc Append(v int) error {\n\treturn nil // later\n}\n"
		}),
		call("c3", "read_file", "store/append_test.go", event.ViewRead, nil),
		call("c4", "search", "lock order", event.ViewSearch, nil),
		call("c5", "patch", "store/append.go", event.ViewWrite, func(_ *event.Block, c *event.Call) {
			c.View.Summary, c.View.Body = "+2 −1", "@@ -1,3 +1,4 @@\n func Append() {\n-\ts.n++\n+\ts.mu.Lock()\n+\ts.n++\n"
		}),
		call("c6", "terminal", "go vet ./...\ngo build", event.ViewCommand, func(_ *event.Block, c *event.Call) {
			c.Outcome, c.View.Exit, c.View.Body = event.OutcomeFailed, &exit, "checking\nstore/append.go:12: unreachable code\n"
		}),
		call("c7", "terminal", "git push --force", event.ViewCommand, func(_ *event.Block, c *event.Call) {
			c.Outcome, c.Decision = event.OutcomeDenied, &event.Answer{Choice: event.ChoiceDeny, Text: "not on this branch"}
		}),
		call("c8", "terminal", "sleep 100", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.Outcome = event.OutcomeCancelled }),
		call("c9", "terminal", "make install", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.Outcome = event.OutcomeUnknown }),
		call("c10", "terminal", "make clean", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.Outcome = event.OutcomeSkipped }),
		block(event.BlockSteer, "s1", "and keep the old test"),
		{ID: "n1", Kind: event.BlockNotice, Turn: "t1", At: noon, Level: event.LevelWarn, Text: event.NewText("The provider is slow; trying again in 4 s.")},
		{ID: "n2", Kind: event.BlockNotice, Turn: "t1", At: noon, Level: event.LevelInfo, Text: event.NewText("Instructions were read from AGENTS.md.")},
		{ID: "n3", Kind: event.BlockNotice, Turn: "t1", At: noon, Level: event.LevelError, Text: event.NewText("The key was refused; set it with hermes-tui auth.")},
		{ID: "k1", Kind: event.BlockCompact, Turn: "t1", At: noon, Compact: &event.Compaction{Before: 128_400, After: 59_600, Results: 41, Turns: 3, Messages: 12},
			Text: event.NewText("The model now gets about 59,600 tokens of this conversation in place of 128,400: 41 tool results shortened, 3 turns (12 messages) left out. Nothing was deleted, and you still see everything.")},
		block(event.BlockAnswer, "a1", "I found it: `Append` reads the counter **before** taking the lock.\nTwo things follow:\n\n1. first\n2. second\n\n```go\nfunc f() {}\n```\n"),
		{ID: "a2", Kind: event.BlockAnswer, Turn: "t1", At: noon, Partial: true, Text: event.NewText("And then the")},
		{ID: "r2", Kind: event.BlockReasoning, Turn: "t2", At: noon, Open: true, Text: event.NewText("One.\nTwo.\nThree.\nFour goes on and")},
	}
}

// looks are reads and searches at every stage: a group that is over, one that is at
// work, one that waits, and what stands alone between them.
func looks() []*event.Block {
	look := func(turn, id, subject string, kind event.ViewKind, stage event.CallStage) *event.Block {
		return call(id, "look", subject, kind, func(b *event.Block, c *event.Call) {
			b.Turn = event.TurnID(turn)
			if c.Stage = stage; stage != event.CallEnded {
				b.Open, c.Outcome, c.Took = true, "", 0
			}
		})
	}
	failed := look("t1", "l4", "store/gone.go", event.ViewRead, event.CallEnded)
	failed.Call.Outcome, failed.Call.View.Summary = event.OutcomeFailed, "no such file\nstack of it"
	return []*event.Block{
		look("t1", "l1", "store/append.go", event.ViewRead, event.CallEnded),
		look("t1", "l2", "store/append.go", event.ViewRead, event.CallEnded),
		look("t1", "l3", "store/lock.go", event.ViewRead, event.CallEnded),
		failed,
		look("t1", "l5", "lock", event.ViewSearch, event.CallEnded),
		look("t1", "l6", "a.go", event.ViewRead, event.CallRunning),
		look("t1", "l7", "b.go", event.ViewRead, event.CallPlanned),
		look("t2", "l8", "c.go", event.ViewRead, event.CallPlanned),
		look("t2", "l9", "d.go", event.ViewRead, event.CallPlanned),
		look("t3", "l10", "e.go", event.ViewRead, event.CallRunning),
	}
}

// delegation is a call that has asked for n subagents, in every state there is
// while it is live.
func delegation(n int, live bool) *event.Block {
	states := []event.Spawned{
		{State: event.AgentCompleted, Tools: 5, Ended: noon.Add(-8 * time.Second)},
		{State: event.AgentRunning, Tools: 8, Doing: "terminal go test ./store -run Append"},
		{State: event.AgentRunning, Doing: string(event.PhaseReasoning)},
		{State: event.AgentWaiting, On: string(event.RequestApproval), Tools: 21, HeldFrom: noon.Add(-time.Second)},
		{State: event.AgentQueued, HeldFrom: noon.Add(-17 * time.Second)},
		{State: event.AgentPaused, HeldFrom: noon},
		{State: event.AgentStopping, On: "killed by you"},
		{State: event.AgentFailed, Ended: noon},
		{State: event.AgentKilled, Ended: noon},
		{State: event.AgentTimeout, Ended: noon},
		{State: event.AgentInterrupted, Ended: noon},
		{State: event.AgentRefused, Ended: noon.Add(-17 * time.Second)},
	}
	id := fmt.Sprint("d", n)
	return call(id, "delegate", "three ways into the store", event.ViewAgent, func(b *event.Block, c *event.Call) {
		c.Started = noon.Add(-17 * time.Second)
		goals := []string{"read the WAL docs", "bisect the history of the store for the commit that began it", "list callers"}
		for i := range n {
			a := states[i%len(states)]
			if !live {
				a = event.Spawned{State: event.AgentCompleted, Tools: i, Ended: noon}
			}
			a.Agent, a.Goal, a.Started = event.AgentID(fmt.Sprint(id, i)), goals[i%len(goals)], noon.Add(-17*time.Second)
			c.Agents = append(c.Agents, &a)
		}
		if live {
			b.Open, c.Stage, c.Outcome = true, event.CallRunning, ""
			return
		}
		c.View.Summary, c.View.Body, c.Took = "3 of 3 done", "all of it\nis here", 21*time.Second
	})
}

// shortParts has answers drawn in parts of a line or two.
const shortParts = 60
