package agents_test

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/composer"
)

func TestSteer(t *testing.T) {
	s := busy()
	p := pane(s)
	p.SetFocused(true)
	p.Select("a")
	if p.Steering() || p.Edit(composer.Left) {
		t.Fatal("an input nobody opened")
	}
	if p.Insert("x"); !p.BeginSteer() || !p.Steering() {
		t.Fatal("no input")
	}
	p.Insert("look at\nthe 👩\u200d👧 dir")
	p.Edit(composer.DeleteWordLeft)
	p.Edit(composer.Backspace)
	p.Edit(composer.Backspace) // the family is one sign
	if p.Edit(composer.Newline) {
		t.Error("the input has two lines")
	}
	p.Edit(composer.Home)
	p.Insert("please ")
	rows := p.Rows(nil, 40, 12)
	celltest.Check(t, rows, 40, 12)
	x, y, ok := p.Cursor()
	if !ok || y != 4 || x != 12 {
		t.Errorf("cursor at %d,%d,%v", x, y, ok)
	}
	if text := shown(p, 40, 12); !strings.Contains(strings.Split(text, "\n")[y], "❯ please look at the") || !strings.Contains(strings.Split(text, "\n")[y-1], "read the WAL") {
		t.Errorf("the input isn't below its agent:\n%s", text)
	}
	p.Edit(composer.End)
	p.Rows(nil, 20, 12)
	if x2, y2, ok := p.Cursor(); !ok || y2 != y+1 || x2 >= 20 {
		t.Errorf("at the end of a long text the cursor is at %d,%d,%v", x2, y2, ok)
	}
	s.child("new", "root", "another", 0, event.AgentRunning)
	p.Sync(&s.s)
	if id, text := p.Accept(); id != "a" || text != "please look at the" || p.Steering() {
		t.Errorf("%q for %q", text, id)
	}
	if id, text := p.Accept(); id != "" || text != "" {
		t.Errorf("accepted twice: %q for %q", text, id)
	}
	if _, _, ok := p.Cursor(); ok {
		t.Error("a cursor without an input")
	}
}

func TestSteerKeepsWhatWasWritten(t *testing.T) {
	p := pane(busy())
	p.Select("a")
	p.BeginSteer()
	p.Insert("half a thought")
	p.Cancel()
	if p.Steering() {
		t.Error("it goes on")
	}
	p.BeginSteer()
	if _, text := p.Accept(); text != "half a thought" {
		t.Errorf("left is %q", text)
	}
	p.BeginSteer()
	p.Insert("for a")
	p.Cancel()
	p.Select("b")
	p.BeginSteer()
	if id, text := p.Accept(); id != "b" || text != "" {
		t.Errorf("%q gets %q", id, text)
	}
	p.Select("c")
	if p.BeginSteer() {
		t.Error("one that has ended is steered")
	}
	if agents.New(styles).BeginSteer() {
		t.Error("nobody is steered")
	}
}

// TestSteeredStaysInSight holds that the input and its agent are drawn whatever
// the filter, the height and the news are.
func TestSteeredStaysInSight(t *testing.T) {
	s := hundred()
	p := pane(s)
	p.SetFocused(true)
	p.NextFilter()
	p.Select("70")
	p.BeginSteer()
	p.Insert("on your way")
	s.ended("70", event.AgentCompleted)
	p.Sync(&s.s)
	for h := 1; h < 12; h++ {
		text := shown(p, 40, h)
		if !strings.Contains(text, "❯ on your way") {
			t.Fatalf("no input in %d rows:\n%s", h, text)
		}
		if h > 6 && !strings.Contains(text, "part 70") {
			t.Errorf("no agent in %d rows:\n%s", h, text)
		}
		if _, y, ok := p.Cursor(); !ok || !strings.Contains(strings.Split(text, "\n")[y], "❯") {
			t.Errorf("in %d rows the cursor is in row %d", h, y)
		}
	}
	p.Sync(&event.State{Agents: []*event.Agent{{ID: "root"}}})
	if text := shown(p, 40, 4); !strings.Contains(text, "❯ on your way") {
		t.Errorf("its agent is gone, and with it the input:\n%s", text)
	}
	if id, text := p.Accept(); id != "70" || text != "on your way" {
		t.Errorf("%q for %q", text, id)
	}
}

func TestSteersThatWait(t *testing.T) {
	s := busy()
	queue := []event.Queued{
		{Text: "one", Steer: true, Agent: "a"}, {Text: "two", Steer: true, Agent: "a"}, {Text: "root's", Steer: true}, {Text: "next turn"},
	}
	s.add("", "", &event.QueueChanged{Queue: queue})
	text := shown(pane(s), 120, 12)
	for name, want := range map[string]string{"read the WAL": "↪ 2 wait", "◐ main agent": "↪ 1 waits"} {
		if row := rowOf(text, name); !strings.Contains(row, want) {
			t.Errorf("%q says nothing of %q", row, want)
		}
	}
	if n := strings.Count(text, "↪"); n != 2 {
		t.Errorf("%d marks:\n%s", n, text)
	}
}
