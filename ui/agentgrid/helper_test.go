package agentgrid

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

var (
	styles = rows.NewStyles(themes.Dark())
	start  = time.Date(2026, 1, 2, 13, 4, 5, 0, time.UTC)
)

// talk builds a state from events, as a conversation does.
type talk struct {
	s   event.State
	now time.Time
	n   int
}

func newTalk() *talk {
	t := &talk{now: start}
	return t.add("root", &event.AgentSpawned{Role: event.RoleRoot})
}

func (t *talk) after(d time.Duration) *talk {
	t.now = t.now.Add(d)
	return t
}

func (t *talk) add(agent event.AgentID, e event.Event) *talk {
	h := e.Head()
	h.At, h.Agent, h.Turn = t.now, agent, "turn-"+event.TurnID(agent)
	t.s.Apply(e)
	return t
}

func (t *talk) id(prefix string) string {
	t.n++
	return fmt.Sprint(prefix, t.n)
}

func (t *talk) spawn(id, parent event.AgentID, goal string) *talk {
	return t.add(id, &event.AgentSpawned{Parent: parent, Role: event.RoleLeaf, Goal: goal, Tree: "t1", Depth: 1})
}

func (t *talk) begin(id event.AgentID) *talk {
	t.add(id, &event.TurnStarted{Budget: 50})
	return t.add(id, &event.MessageCommitted{Role: event.RoleUser, Block: event.BlockID(t.id("u")), Text: "Do it well."})
}

func (t *talk) think(id event.AgentID, text string) *talk {
	return t.add(id, &event.ReasoningDelta{Block: event.BlockID("think-" + id), Text: text})
}

func (t *talk) say(id event.AgentID, text string) *talk {
	return t.add(id, &event.TextDelta{Block: event.BlockID("say-" + id), Text: text})
}

func (t *talk) commit(id event.AgentID, text string) *talk {
	return t.add(id, &event.MessageCommitted{Role: event.RoleAssistant, Block: event.BlockID(t.id("m")), Text: text})
}

// plan announces a call, start begins it.
func (t *talk) plan(id event.AgentID, call event.CallID, name, subject string) *talk {
	view := event.CallView{Kind: event.ViewCommand, Name: name, Subject: subject}
	return t.add(id, &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: call, View: view}}})
}

func (t *talk) start(id event.AgentID, call event.CallID, name, subject string) *talk {
	t.plan(id, call, name, subject)
	return t.add(id, &event.ToolStarted{Call: call, View: event.CallView{Kind: event.ViewCommand, Name: name, Subject: subject}})
}

func (t *talk) finish(id event.AgentID, call event.CallID, name, subject string, took time.Duration, o event.Outcome) *talk {
	t.after(took)
	return t.add(id, &event.ToolFinished{Call: call, Outcome: o, Took: took, View: event.CallView{Kind: event.ViewCommand, Name: name, Subject: subject}})
}

func (t *talk) approve(id event.AgentID, call event.CallID, text string) *talk {
	return t.add(id, &event.Requested{Request: event.Request{
		ID: event.RequestID(t.id("q")), Kind: event.RequestApproval, Agent: id, Call: call, Approval: &event.Approval{Action: "run", Text: text},
	}})
}

func (t *talk) end(id event.AgentID, s event.AgentState, problem string) *talk {
	return t.add(id, &event.AgentFinished{State: s, Error: problem})
}

// zoo has agents that do all there is to do.
func zoo() *talk {
	t := newTalk().after(time.Second)
	t.spawn("done", "root", "list the callers of Append").begin("done")
	t.start("done", "d1", "grep", "Append\\(").finish("done", "d1", "grep", "Append\\(", 300*time.Millisecond, event.OutcomeOK)
	t.start("done", "d2", "terminal", "go vet ./...").finish("done", "d2", "terminal", "go vet ./...", 4*time.Second, event.OutcomeFailed)
	t.commit("done", "There are three callers:\n\n1. `store/sessions`\n2. `agent/committer`\n3. the test itself")
	t.end("done", event.AgentCompleted, "")

	t.spawn("fail", "root", "ask the other service").begin("fail").end("fail", event.AgentFailed, "the service refused the key\nsecond line")
	t.spawn("answer", "root", "read the WAL docs").begin("answer")
	t.add("answer", &event.UsageUpdated{Usage: event.Usage{Input: 48_000, Output: 900, Cost: 7 * event.Dollar / 100, Calls: 2}, Final: true})
	t.think("answer", "The docs say that checkpoints are taken when the log has a thousand pages, ").think("answer", "so the writer can stall.")
	t.say("answer", "A checkpoint blocks the writer only **while** it resets the log. That happens when no reader is left")

	t.spawn("tool", "root", "bisect the history of the store").begin("tool")
	t.start("tool", "t1", "terminal", "git bisect run go test ./store -run Append -count=20")
	t.add("tool", &event.ToolOutput{Call: "t1", Text: "Bisecting: 12 revisions left\nok  \x1b[32mstore\x1b[m\n10%\r20%\r30%\n"})
	t.spawn("asks", "root", "push the branch").begin("asks").plan("asks", "k1", "terminal", "git push --force-with-lease origin fix")
	t.approve("asks", "k1", "git push --force-with-lease origin fix/append")
	t.spawn("boss", "root", "review all packages").begin("boss").start("boss", "b1", "delegate_task", "2 tasks")
	t.spawn("b1", "boss", "review the store").begin("b1").plan("b1", "x1", "terminal", "rm -rf build").approve("b1", "x1", "rm -rf build")
	t.spawn("b2", "boss", "review the screen").begin("b2")
	t.spawn("paused", "root", "漢字 in \x1b]0;titles\a and paths").begin("paused").say("paused", "漢字漢字 and 👩‍👩‍👧 wide")
	t.add("paused", &event.AgentStateChanged{State: event.AgentPaused})
	t.spawn("queued", "root", "look into what is left")
	return t.after(9 * time.Second)
}

// many has n agents, the first k of which are at work.
func many(n, k int) *talk {
	t := newTalk()
	for i := range n {
		id := event.AgentID(fmt.Sprint("a", i))
		t.spawn(id, "root", fmt.Sprintf("look into part %d of the store", i))
		if i < k {
			t.begin(id).say(id, "So far nothing was found. ")
		}
	}
	return t.after(7 * time.Second)
}

func gridOf(t *talk) *Grid {
	w := New(styles)
	w.Tick(t.now, 0)
	w.Sync(&t.s, "t1")
	return w
}

// frame draws a grid, checks it and takes the colours away.
func frame(t testing.TB, w *Grid, width, h int) string {
	t.Helper()
	got := w.Rows(nil, width, h)
	celltest.Check(t, got, width, h)
	return ansi.Strip(strings.Join(got, "\n"))
}

func contains(t testing.TB, got string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(got, s) {
			t.Fatalf("%q isn't shown:\n%s", s, got)
		}
	}
}
