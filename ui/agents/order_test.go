package agents_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
)

// shown is the pane as text.
func shown(p *agents.Pane, w, h int) string {
	return ansi.Strip(strings.Join(p.Rows(nil, w, h), "\n"))
}

// listed are the agents in the order of their rows.
func listed(p *agents.Pane) string {
	was := p.Selected()
	defer p.Select(was)
	for p.Up() {
	}
	var list []string
	for {
		list = append(list, string(p.Selected()))
		if !p.Down() {
			return strings.Join(list, " ")
		}
	}
}

// turns runs a root through turns; each of them ends before the next begins.
func (t *talk) turn(id event.TurnID) *talk {
	t.tree = id
	return t.after(time.Second).add("root", id, &event.TurnStarted{Budget: 90})
}

func (t *talk) over(id event.TurnID) *talk {
	return t.after(time.Second).add("root", id, &event.TurnFinished{Outcome: event.TurnCompleted})
}

// TestWhichTreeIsShown follows a conversation: a turn with subagents, one without,
// one with others while a background agent of the first still lives.
func TestWhichTreeIsShown(t *testing.T) {
	s := newTalk()
	p := agents.New(styles)
	want := func(when, rows, label string) {
		t.Helper()
		p.Tick(s.now, 0)
		p.Sync(&s.s)
		text := shown(p, 60, 12)
		if got := listed(p); got != rows {
			t.Errorf("%s: %q, want %q", when, got, rows)
		}
		head, _, _ := strings.Cut(text, "\n")
		got := ""
		for _, l := range []string{"last turn", "earlier turn"} {
			if strings.Contains(head, l) {
				got = l
			}
		}
		if got != label {
			t.Errorf("%s: labelled %q, want %q", when, got, label)
		}
	}
	want("before anything", "root", "")
	s.turn("t1")
	s.child("a", "root", "first", 0, event.AgentRunning).child("bg", "a", "behind", 0, event.AgentRunning)
	want("in the first turn", "root a bg", "")
	s.ended("a", event.AgentCompleted).over("t1")
	want("the first turn over, an agent alive", "root a bg", "")
	s.turn("t2")
	want("in a turn without agents", "root a bg", "")
	s.child("c", "root", "second", 0, event.AgentRunning)
	want("in a turn with agents", "root bg c", "")
	s.after(time.Second).ended("bg", event.AgentCompleted)
	want("the background agent has ended", "root bg c", "")
	s.ended("c", event.AgentFailed)
	want("all have ended, the turn goes on", "root bg c", "")
	s.over("t2")
	want("the turn is over", "root bg c", "last turn")
	s.turn("t3")
	want("the next turn began", "root c", "earlier turn")
	s.over("t3")
	want("the next turn is over", "root c", "earlier turn")
	s.turn("t4")
	s.child("d", "root", "third", 0, event.AgentRefused)
	want("in a turn whose agent was refused", "root d", "")
}

func TestSorts(t *testing.T) {
	s := newTalk()
	s.child("a", "root", "old and done", 0, event.AgentRunning)
	s.after(time.Second).child("b", "root", "with a child", 0, event.AgentRunning)
	s.after(30*time.Second).ended("a", event.AgentCompleted)
	s.child("c", "root", "young and busy", 0, event.AgentRunning)
	s.child("b1", "b", "below b", 0, event.AgentRunning)
	s.child("b2", "b", "asks", 0, event.AgentRunning)
	p := pane(s)
	s.add("c", "", &event.TextDelta{Block: "x", Text: strings.Repeat("x", 5000)})
	s.add("b2", "", &event.TextDelta{Block: "y", Text: strings.Repeat("x", 500)})
	s.after(3*time.Second).state("b2", event.AgentWaiting, "approval")
	p.Tick(s.now, 0)
	p.Sync(&s.s)
	for _, c := range []struct {
		sort agents.Sort
		name string
		want string
	}{
		{agents.SortSpawn, "spawn order", "root a b b1 b2 c"},
		{agents.SortBusiest, "busiest", "root c b b2 b1 a"},
		{agents.SortSlowest, "slowest", "root b b1 b2 a c"},
		{agents.SortStatus, "status", "root b b2 b1 c a"},
	} {
		if p.Sort() != c.sort || c.sort.String() != c.name {
			t.Fatalf("sorted by %v, want %v", p.Sort(), c.name)
		}
		if got := listed(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if head := strings.Split(shown(p, 60, 10), "\n")[0]; strings.Contains(head, c.name) != (c.sort != agents.SortSpawn) {
			t.Errorf("%s: header %q", c.name, head)
		}
		p.Select("b1")
		p.NextSort()
		if p.Selected() != "b1" {
			t.Errorf("sorting moved the selection to %q", p.Selected())
		}
	}
	if p.Sort() != agents.SortSpawn {
		t.Errorf("after the last comes %v", p.Sort())
	}
}

func TestFilters(t *testing.T) {
	s := newTalk()
	s.child("a", "root", "done", 0, event.AgentCompleted)
	s.child("b", "root", "failed, with a child", 0, event.AgentRunning)
	s.child("b1", "b", "below b", 0, event.AgentRunning)
	s.child("b2", "b1", "deep", 0, event.AgentKilled)
	s.ended("b", event.AgentFailed)
	s.child("c", "root", "waits", 0, event.AgentPaused)
	p := pane(s)
	for _, c := range []struct {
		filter agents.Filter
		name   string
		want   string
		hidden string
	}{
		{agents.FilterAll, "all", "root a b b1 b2 c", ""},
		{agents.FilterRunning, "running", "root b1 c", "↓2"},
		{agents.FilterFailed, "failed", "root b b2", "↓2"},
		{agents.FilterLeaves, "leaves", "root a b2 c", "↓2"},
	} {
		if p.Filter() != c.filter || c.filter.String() != c.name {
			t.Fatalf("filter %v, want %v", p.Filter(), c.name)
		}
		if got := listed(p); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if text := shown(p, 60, 10); c.hidden != "" && !strings.Contains(strings.Split(text, "\n")[1], c.hidden) {
			t.Errorf("%s: the root says nothing of %s:\n%s", c.name, c.hidden, text)
		}
		p.NextFilter()
	}
	if p.Filter() != agents.FilterAll {
		t.Errorf("after the last comes %v", p.Filter())
	}
	p = pane(newTalk().child("a", "root", "done", 0, event.AgentCompleted))
	p.NextFilter()
	if text := shown(p, 40, 6); !strings.Contains(text, "none: running") {
		t.Errorf("an empty filter is silent:\n%s", text)
	}
}

// TestFilterRemembersTheSelection hides the selected agent and brings it back.
func TestFilterRemembersTheSelection(t *testing.T) {
	s := newTalk()
	for i := range 6 {
		s.child(event.AgentID(fmt.Sprint(i)), "root", "goal", 0, event.AgentRunning)
	}
	p := pane(s)
	p.NextFilter() // running
	p.Select("3")
	s.ended("3", event.AgentCompleted)
	p.Sync(&s.s)
	if p.Selected() != "4" {
		t.Errorf("beside the hidden one %q is selected", p.Selected())
	}
	p.Select("0")
	s.ended("0", event.AgentCompleted).ended("1", event.AgentCompleted)
	p.Sync(&s.s)
	if p.Selected() != "2" {
		t.Errorf("beside the first, hidden one %q is selected", p.Selected())
	}
	p.Select("3")
	for _, id := range []event.AgentID{"4", "5", "2"} {
		s.ended(id, event.AgentCompleted)
	}
	p.Sync(&s.s)
	if p.Selected() != "root" {
		t.Errorf("with nobody left %q is selected", p.Selected())
	}
	for range 3 {
		p.NextFilter()
	}
	if p.Selected() != "3" {
		t.Errorf("shown again, %q is selected", p.Selected())
	}
}

func TestGlyphsDiffer(t *testing.T) {
	seen := map[string]event.AgentState{}
	for _, s := range states[:13] {
		g, _ := agents.Glyph(styles, s, 0)
		if was, twice := seen[g]; twice {
			t.Errorf("%s and %s are both %s", was, s, g)
		}
		seen[g] = s
	}
}
