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
	"hermes-tui/internal/celltest"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/rows"
)

func TestGolden(t *testing.T) {
	many, deep := manyAgents(), deepTree()
	idle := newTalk().add("root", "", &event.UsageUpdated{Context: event.Context{Used: 1234}})
	for name, c := range map[string]struct {
		talk *talk
		h    int
		do   func(*agents.Pane)
	}{
		"design":  {design(), 8, nil},
		"focused": {design(), 8, func(p *agents.Pane) { p.SetFocused(true); p.Select("b") }},
		"tight":   {design(), 5, nil},
		"line":    {design(), 1, nil},
		"zoo":     {zoo(), 16, nil},
		"many":    {many, 12, nil},
		"idle":    {idle, 5, nil},
		"deep":    {deep, 16, nil},
		"busy":    {busy(), 14, nil},
		"failed":  {zoo(), 16, func(p *agents.Pane) { p.NextFilter(); p.NextFilter() }},
		"leaves": {zoo(), 16, func(p *agents.Pane) {
			p.NextSort()
			p.NextSort()
			p.NextSort()
			p.NextFilter()
			p.NextFilter()
			p.NextFilter()
		}},
		"steered": {busy(), 14, func(p *agents.Pane) {
			p.SetFocused(true)
			p.Select("b")
			p.BeginSteer()
			p.Insert("look at the commit before the merge first")
		}},
	} {
		var frame []string
		for _, w := range []int{26, 30, 32, 48, 80, 120} {
			p := pane(c.talk)
			if c.do != nil {
				c.do(p)
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
		t.Errorf("the agent that waits for the user isn't shown:\n%s", text)
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
	for i := range 1_500 {
		s := random(r)
		p := pane(s)
		bare := i%2 == 0
		if bare {
			p.SetStyles(&rows.Styles{})
		}
		p.SetFocused(r.IntN(2) == 0)
		for range r.IntN(5) {
			p.Down()
		}
		for range r.IntN(4) {
			p.NextSort()
		}
		for range r.IntN(4) {
			p.NextFilter()
		}
		steering := r.IntN(3) == 0 && p.BeginSteer()
		if !bare { // the editor separates its text from what stands beside it by styles
			p.Insert(celltest.Text(r, 50))
		}
		p.Tick(s.now.Add(time.Duration(r.IntN(1e11))), r.IntN(9))
		if r.IntN(2) == 0 {
			p.Sync(&random(r).s)
		}
		w, h := r.IntN(130), r.IntN(20)
		celltest.Check(t, p.Rows(nil, w, h), w, h)
		celltest.Check(t, []string{p.Line(w)}, w, 1)
		if x, y, ok := p.Cursor(); ok && (!steering || x < 0 || x >= max(w, 4) || y < 0 || y >= h) {
			t.Fatalf("cursor at %d,%d in %d×%d", x, y, w, h)
		}
		for p.Up() {
		}
		seen := 1
		for p.Down() {
			seen++
		}
		if seen > 1+len(s.s.Agents)+15 {
			t.Fatalf("%d rows", seen)
		}
	}
}

// TestEveryAgentHasARow holds that odd parents lose no one.
func TestEveryAgentHasARow(t *testing.T) {
	s := &event.State{Agents: []*event.Agent{
		{ID: "a", Parent: "a", Goal: "own parent"}, {ID: "b", Parent: "c", Goal: "later parent"}, {ID: "c", Parent: "b", Goal: "cycle"},
		{ID: "d", Parent: "nobody", Goal: "no parent"}, {ID: "b", Parent: "a", Goal: "same id"}, {ID: "e"}, {Parent: "b", Role: "no id"},
	}}
	p := agents.New(styles)
	p.Sync(s)
	text := ansi.Strip(strings.Join(p.Rows(nil, 60, 8), "\n"))
	for _, want := range []string{"own parent", "later parent", "cycle", "no parent", "same id", "● main agent", "subagent"} {
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
		dst = p.Rows(dst[:0], 32, 104)
	}
	if len(dst) != 104 {
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
