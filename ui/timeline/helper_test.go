package timeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

var (
	styles   = rows.NewStyles(themes.Dark())
	start    = time.Date(2026, 1, 2, 13, 4, 5, 0, time.UTC)
	table, _ = keys.New(nil)
	hints    = []status.Hint{{Key: "enter", Text: "open"}, {Key: "esc", Text: "close"}}
)

// talk builds a state from events, as a conversation does.
type talk struct {
	s    event.State
	now  time.Time
	tree event.TurnID
	n    int
}

func newTalk() *talk {
	t := &talk{now: start}
	return t.add("root", "", &event.AgentSpawned{Role: event.RoleRoot})
}

func (t *talk) after(d time.Duration) *talk {
	t.now = t.now.Add(d)
	return t
}

func (t *talk) add(agent event.AgentID, turn event.TurnID, e event.Event) *talk {
	h := e.Head()
	h.At, h.Agent, h.Turn = t.now, agent, turn
	t.s.Apply(e)
	return t
}

func (t *talk) id(prefix string) string {
	t.n++
	return fmt.Sprint(prefix, t.n)
}

// ask begins a turn of the root.
func (t *talk) ask(turn event.TurnID, text string) *talk {
	t.tree = turn
	t.add("root", turn, &event.TurnStarted{Budget: 90})
	return t.add("root", turn, &event.MessageCommitted{Role: event.RoleUser, Block: event.BlockID(t.id("u")), Text: text})
}

// spawn asks for a subagent.
func (t *talk) spawn(id, parent event.AgentID, goal string) *talk {
	depth := 1
	if p := t.s.Agent(parent); p != nil {
		depth = p.Depth + 1
	}
	return t.add(id, "", &event.AgentSpawned{Parent: parent, Role: event.RoleLeaf, Goal: goal, Tree: t.tree, Depth: depth, Model: "opus-4.6"})
}

// begin lets a subagent leave the queue.
func (t *talk) begin(id event.AgentID) *talk {
	turn := event.TurnID("turn-" + id)
	t.add(id, turn, &event.TurnStarted{Budget: 50})
	return t.add(id, turn, &event.MessageCommitted{Role: event.RoleUser, Block: event.BlockID(t.id("u")), Text: "do it"})
}

// call runs a call that takes so long; without a time it goes on.
func (t *talk) call(id event.AgentID, kind event.ViewKind, took time.Duration) *talk {
	turn := event.TurnID("turn-" + id)
	c := event.CallID(t.id("c"))
	view := event.CallView{Kind: kind, Name: "terminal", Subject: "go test ./..."}
	t.add(id, turn, &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: c, View: view}}})
	t.add(id, turn, &event.ToolStarted{Call: c, View: view})
	if kind == event.ViewClarify {
		r := event.RequestID(t.id("r"))
		t.add(id, turn, &event.Requested{Request: event.Request{ID: r, Kind: event.RequestClarify, Agent: id, Call: c}})
		if took > 0 {
			t.after(took).add(id, turn, &event.RequestResolved{Request: r})
			t.add(id, turn, &event.ToolFinished{Call: c, Outcome: event.OutcomeOK, Took: took, View: view})
		}
		return t
	}
	if took > 0 {
		t.after(took).add(id, turn, &event.ToolFinished{Call: c, Outcome: event.OutcomeOK, Took: took, View: view})
	}
	return t
}

func (t *talk) state(id event.AgentID, s event.AgentState, on string) *talk {
	return t.add(id, "", &event.AgentStateChanged{State: s, On: on})
}

func (t *talk) end(id event.AgentID, s event.AgentState) *talk {
	e := &event.AgentFinished{State: s}
	if s == event.AgentFailed {
		e.Error = "the provider refused the key\nand more"
	}
	return t.add(id, "", e)
}

func (t *talk) spend(id event.AgentID, in, out int64, cents int64) *talk {
	return t.add(id, "", &event.UsageUpdated{Usage: event.Usage{Input: in, Output: out, Calls: 3, Cost: event.Money(cents) * event.Dollar / 100}, Final: true})
}

// busy is a turn whose subagents do all there is to do.
func busy() *talk {
	t := newTalk().ask("t1", "The store test fails one run in ten. Find out why and fix it.")
	t.after(2*time.Second).spawn("a", "root", "read the WAL docs").spawn("b", "root", "bisect history").spawn("c", "root", "list callers")
	t.spawn("d", "root", "one too many").end("d", event.AgentRefused)
	t.begin("a").begin("b")
	t.spend("a", 48_000, 2_000, 7)
	t.after(3*time.Second).call("a", event.ViewCommand, 8*time.Second)
	t.call("b", event.ViewClarify, 9*time.Second)
	t.begin("c").spawn("b1", "b", "first half").spawn("b2", "b", "second half").begin("b1").begin("b2")
	t.after(6*time.Second).end("c", event.AgentCompleted).end("b1", event.AgentFailed)
	t.state("b2", event.AgentPaused, "")
	t.after(4*time.Second).call("a", event.ViewCommand, 0)
	t.state("b", event.AgentWaiting, string(event.RequestApproval))
	return t.after(10 * time.Second)
}

// over is [busy] after all of it has ended.
func over() *talk {
	t := busy()
	t.state("b2", event.AgentRunning, "").after(5*time.Second).end("b2", event.AgentCompleted)
	t.end("b", event.AgentKilled).end("a", event.AgentTimeout)
	return t.after(time.Hour)
}

// draw lays a window over a frame of dots and checks it.
func draw(t testing.TB, b overlay.Box, w, h int) []string {
	t.Helper()
	frame := make([]string, h)
	for i := range frame {
		frame[i] = strings.Repeat("·", w)
	}
	overlay.Draw(frame, b, w, h)
	celltest.Check(t, frame, w, h)
	return frame
}

func text(t testing.TB, b overlay.Box, w, h int) string {
	t.Helper()
	return ansi.Strip(strings.Join(draw(t, b, w, h), "\n"))
}

func contains(t testing.TB, got string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(got, s) {
			t.Fatalf("%q isn't shown:\n%s", s, got)
		}
	}
}

// sizes are those of the goldens.
var sizes = [][2]int{{160, 30}, {100, 24}, {70, 20}, {40, 12}}

// press presses a key of the table in a window, as the root does.
func press(b overlay.Box, key string) {
	if own, ok := b.(interface{ Contexts() []keys.Context }); ok {
		if a, ok := table.Find(key, own.Contexts()...); ok {
			overlay.Do(b, a)
			return
		}
	}
	b.Type(key)
}
