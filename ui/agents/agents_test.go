package agents_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells/celltest"
)

var (
	styles = rows.NewStyles(themes.Dark())
	start  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// talk builds a state from events, as a conversation does.
type talk struct {
	s   event.State
	now time.Time
}

func newTalk() *talk {
	t := &talk{now: start}
	t.add("root", "", &event.AgentSpawned{Role: "root"})
	return t
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

// child adds an agent that has finished so many calls and stands so.
func (t *talk) child(id, parent event.AgentID, goal string, calls int, state event.AgentState) *talk {
	t.add(id, "", &event.AgentSpawned{Parent: parent, Role: "leaf", Goal: goal})
	a := t.s.Agent(id)
	a.Tools, a.State = calls, state
	return t
}

func (t *talk) ended(id event.AgentID, state event.AgentState) *talk {
	return t.add(id, "", &event.AgentFinished{State: state})
}

// design is the picture of the design document.
func design() *talk {
	t := newTalk()
	t.add("root", "t1", &event.TurnStarted{Budget: 90})
	t.add("root", "t1", &event.UsageUpdated{Context: event.Context{Used: 96_000, Max: 200_000}})
	t.after(3*time.Second).child("a", "root", "read the WAL docs", 8, event.AgentRunning)
	t.child("b", "root", "bisect history", 21, event.AgentRunning)
	t.child("c", "root", "list callers", 5, event.AgentRunning)
	t.after(9*time.Second).ended("c", event.AgentCompleted)
	t.add("root", "t1", &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: "k"}}})
	t.add("root", "t1", &event.ToolStarted{Call: "k", View: event.CallView{Name: "terminal", Subject: "go test -race ./store"}})
	return t.after(29 * time.Second)
}

// zoo has an agent in every state.
func zoo() *talk {
	t := newTalk()
	for i, s := range []event.AgentState{
		event.AgentQueued, event.AgentRunning, event.AgentWaiting, event.AgentPausing, event.AgentPaused, event.AgentStopping,
	} {
		t.child(event.AgentID(fmt.Sprint("live", i)), "root", string(s)+" agent", i, s)
	}
	t.after(75 * time.Second)
	for i, s := range []event.AgentState{event.AgentCompleted, event.AgentFailed, event.AgentKilled, event.AgentTimeout} {
		id := event.AgentID(fmt.Sprint("done", i))
		t.child(id, "live1", string(s)+" agent", 10*i, event.AgentRunning).ended(id, s)
	}
	return t.after(8 * time.Second)
}

func pane(t *talk) *agents.Pane {
	p := agents.New(styles)
	p.Sync(&t.s)
	p.Tick(t.now, 0)
	return p
}

func TestGolden(t *testing.T) {
	many := newTalk()
	for i := range 30 {
		many.child(event.AgentID(fmt.Sprint(i)), "root", fmt.Sprintf("agent %d", i), i, event.AgentRunning)
		if i < 20 {
			many.after(time.Second).ended(event.AgentID(fmt.Sprint(i)), event.AgentCompleted)
		}
	}
	idle := newTalk().add("root", "", &event.UsageUpdated{Context: event.Context{Used: 1234}})
	deep := newTalk()
	parent := event.AgentID("root")
	for i := range 12 {
		id := event.AgentID(fmt.Sprint("d", i))
		parent, deep = id, deep.child(id, parent, fmt.Sprintf("level %d", i), 0, event.AgentRunning)
	}
	deep.child("side", "d3", "beside level 4", 3, event.AgentRunning)
	for name, c := range map[string]struct {
		talk  *talk
		h     int
		focus bool
	}{
		"design":  {design(), 8, false},
		"focused": {design(), 8, true},
		"tight":   {design(), 5, false},
		"line":    {design(), 1, false},
		"zoo":     {zoo(), 14, false},
		"many":    {many, 12, false},
		"idle":    {idle, 5, false},
		"deep":    {deep, 16, false},
	} {
		var frame []string
		for _, w := range []int{30, 40, 80, 120} {
			p := pane(c.talk)
			if c.focus {
				p.SetFocused(true)
				p.Down()
				p.Down()
			}
			got := p.Rows(nil, w, c.h)
			celltest.Check(t, got, w, c.h)
			line := p.Line(w)
			celltest.Check(t, []string{line}, w, 1)
			frame = append(frame, fmt.Sprintf("%d:", w))
			for _, row := range append(got, line) {
				frame = append(frame, ansi.Strip(row)+"|")
			}
		}
		celltest.Golden(t, name+".txt", frame, os.WriteFile)
	}
}

func TestSelectionStaysWithItsAgent(t *testing.T) {
	s := newTalk().child("a", "root", "first", 0, event.AgentRunning).child("b", "root", "second", 0, event.AgentRunning)
	p := pane(s)
	if p.Selected() != "root" || p.Up() {
		t.Fatalf("selected %q", p.Selected())
	}
	if !p.Down() || !p.Down() || p.Down() || p.Selected() != "b" {
		t.Fatalf("selected %q", p.Selected())
	}
	s.child("c", "a", "below the first", 0, event.AgentRunning)
	p.Sync(&s.s)
	if p.Selected() != "b" {
		t.Errorf("a new row moved the selection to %q", p.Selected())
	}
	if p.Up(); p.Selected() != "c" {
		t.Errorf("above b stands %q", p.Selected())
	}
	p.Select("nobody")
	if p.Selected() != "root" {
		t.Errorf("nobody counts as %q", p.Selected())
	}
	p.Sync(&event.State{})
	if p.Selected() != "" || p.Down() || p.Height(10) != 0 {
		t.Error("an empty pane has a selection")
	}
	celltest.Check(t, p.Rows(nil, 20, 3), 20, 3)
}

func TestSelectedIsAlwaysShown(t *testing.T) {
	s := newTalk()
	for i := range 40 {
		s.child(event.AgentID(fmt.Sprint(i)), "root", fmt.Sprintf("agent %d", i), 0, event.AgentCompleted)
	}
	p := pane(s)
	p.SetFocused(true)
	for i := 0; ; i++ {
		for h := 2; h < 20; h++ {
			text := ansi.Strip(strings.Join(p.Rows(nil, 40, h), "\n"))
			if !strings.Contains(text, "▸") {
				t.Fatalf("agent %d isn't shown in %d rows:\n%s", i, h, text)
			}
		}
		if !p.Down() {
			break
		}
	}
}

func TestWaitingAgentIsShown(t *testing.T) {
	s := newTalk()
	for i := range 40 {
		state := event.AgentRunning
		if i == 33 {
			state = event.AgentWaiting
		}
		s.child(event.AgentID(fmt.Sprint(i)), "root", fmt.Sprintf("agent %d", i), 0, state)
	}
	if text := ansi.Strip(strings.Join(pane(s).Rows(nil, 40, 8), "\n")); !strings.Contains(text, "◆ agent 33") {
		t.Errorf("the agent that waits for the person isn't shown:\n%s", text)
	}
}

func TestAnimating(t *testing.T) {
	for state, want := range map[event.AgentState]bool{
		event.AgentQueued: false, event.AgentRunning: true, event.AgentWaiting: false, event.AgentPausing: true, event.AgentPaused: false,
		event.AgentStopping: true, event.AgentCompleted: false, event.AgentFailed: false, event.AgentKilled: false, event.AgentTimeout: false,
	} {
		if got := pane(newTalk().child("a", "root", "goal", 0, state)).Animating(); got != want {
			t.Errorf("with an agent that is %s: %v", state, got)
		}
	}
	if pane(newTalk()).Animating() {
		t.Error("an idle root animates")
	}
	p := pane(design())
	before := p.Rows(nil, 40, 8)
	p.Tick(start.Add(time.Hour), 1)
	after := p.Rows(nil, 40, 8)
	if strings.Join(before, "") == strings.Join(after, "") {
		t.Error("time passes and nothing changes")
	}
}

func TestContextThresholds(t *testing.T) {
	for _, c := range []struct {
		used  int
		text  string
		style rows.Style
	}{
		{0, "0%", styles.Good},
		{49, "49%", styles.Good},
		{50, "50%", styles.Warn},
		{80, "80%", styles.Warn},
		{81, "81%", styles.Bad},
		{94, "94%", styles.Bad},
		{95, "95%", styles.BadgeBad},
		{120, "120%", styles.BadgeBad},
		{math.MaxInt, "999%", styles.BadgeBad},
		{-5, "0%", styles.Good},
	} {
		s := newTalk().add("root", "", &event.UsageUpdated{Context: event.Context{Used: c.used, Max: 100}})
		got := pane(s).Rows(nil, 60, 4)
		celltest.Check(t, got, 60, 4)
		if !strings.Contains(got[3], c.style.Render(c.text)) {
			t.Errorf("%d of 100: %q", c.used, got[3])
		}
	}
	s := newTalk().add("root", "", &event.UsageUpdated{Context: event.Context{Used: math.MaxInt, Max: math.MaxInt}})
	celltest.Check(t, pane(s).Rows(nil, 40, 4), 40, 4)
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	states := []event.AgentState{
		event.AgentIdle, event.AgentQueued, event.AgentRunning, event.AgentWaiting, event.AgentPausing, event.AgentPaused,
		event.AgentStopping, event.AgentCompleted, event.AgentFailed, event.AgentKilled, event.AgentTimeout, "other",
	}
	for i := range 1_500 {
		s := newTalk()
		if r.IntN(2) == 0 {
			s.add("root", "t", &event.TurnStarted{})
			s.s.Root().Phase, s.s.Root().Detail = event.PhaseDrafting, celltest.Text(r, 20)
		}
		for j := range r.IntN(15) {
			parent := event.AgentID(fmt.Sprint(r.IntN(15)))
			s.child(event.AgentID(fmt.Sprint(j)), parent, celltest.Text(r, 30), r.IntN(200), states[r.IntN(len(states))])
			s.after(time.Duration(r.IntN(1e11)))
		}
		s.add("root", "", &event.UsageUpdated{Context: event.Context{Used: r.IntN(300_000), Max: r.IntN(2) * 200_000}})
		p := pane(s)
		if i%2 == 0 {
			p.SetStyles(&rows.Styles{})
		}
		p.SetFocused(r.IntN(2) == 0)
		for range r.IntN(5) {
			p.Down()
		}
		p.Tick(s.now, r.IntN(9))
		w, h := r.IntN(70), r.IntN(20)
		celltest.Check(t, p.Rows(nil, w, h), w, h)
		celltest.Check(t, []string{p.Line(w)}, w, 1)
	}
}

// TestEveryAgentHasARow holds that odd parents lose nobody.
func TestEveryAgentHasARow(t *testing.T) {
	s := &event.State{Agents: []*event.Agent{
		{ID: "a", Parent: "a", Goal: "own parent"}, {ID: "b", Parent: "c", Goal: "later parent"}, {ID: "c", Parent: "b", Goal: "cycle"},
		{ID: "d", Parent: "nobody", Goal: "no parent"}, {ID: "b", Parent: "a", Goal: "same id"}, {ID: "e"}, {Parent: "b", Role: "no id"},
	}}
	p := agents.New(styles)
	p.Sync(s)
	text := ansi.Strip(strings.Join(p.Rows(nil, 60, 8), "\n"))
	for _, want := range []string{"own parent", "later parent", "cycle", "no parent", "same id", "● e", "no id"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q isn't there once:\n%s", want, text)
		}
	}
}

func TestVeryDeepTree(t *testing.T) {
	s := &event.State{}
	for i := range 20_000 {
		s.Agents = append(s.Agents, &event.Agent{ID: event.AgentID(fmt.Sprint(i)), Parent: event.AgentID(fmt.Sprint(i - 1)), Goal: "deep"})
	}
	s.Agents[0].Parent = ""
	p := agents.New(styles)
	p.Sync(s)
	celltest.Check(t, p.Rows(nil, 40, 20), 40, 20)
}

func hundred() *talk {
	s := newTalk().add("root", "t", &event.TurnStarted{})
	for i := range 100 {
		parent := event.AgentID("root")
		if i%3 > 0 {
			parent = event.AgentID(fmt.Sprint(i - i%3))
		}
		s.child(event.AgentID(fmt.Sprint(i)), parent, fmt.Sprintf("look into part %d of the store", i), i, event.AgentRunning)
	}
	return s.add("root", "t", &event.UsageUpdated{Context: event.Context{Used: 96_000, Max: 200_000}})
}

func BenchmarkRows100(b *testing.B) {
	s := hundred()
	p := pane(s)
	var dst []string
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Tick(s.now.Add(time.Duration(i)*time.Second), i)
		dst = p.Rows(dst[:0], 32, 40)
	}
	if len(dst) != 40 {
		b.Fatal(len(dst))
	}
}

func BenchmarkSync100(b *testing.B) {
	s := hundred()
	p := agents.New(styles)
	b.ReportAllocs()
	for b.Loop() {
		p.Sync(&s.s)
	}
}
