package agents_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/rows"
)

// call lets an agent make a call that ends so.
func (t *talk) call(agent event.AgentID, turn event.TurnID, name, subject string, took time.Duration, outcome event.Outcome, summary string) *talk {
	t.calls++
	id := event.CallID(fmt.Sprint("call", t.calls))
	view := event.CallView{Kind: event.ViewCommand, Name: name, Subject: subject, Summary: summary}
	if name == "read_file" {
		view.Kind = event.ViewRead
	}
	var changed []string
	if name == "patch" {
		changed = []string{subject}
	}
	t.add(agent, turn, &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: id, View: view}}})
	t.add(agent, turn, &event.ToolStarted{Call: id, View: view})
	return t.after(took).add(agent, turn, &event.ToolFinished{Call: id, View: view, Outcome: outcome, Took: took, Changed: changed})
}

// worker is an orchestrator in the middle of its work.
func worker() *talk {
	t := newTalk()
	t.tree = "t1"
	t.add("root", "t1", &event.TurnStarted{Budget: 90})
	t.add("w", "", &event.AgentSpawned{
		Parent: "root", Role: event.RoleOrchestrator, Depth: 1, Tree: "t1", Model: "opus-4.6", Budget: 50, Background: true,
		Goal:     "Find out why the store test fails one run in ten, and fix it.\nRun the suite under the race detector before and after, and report what you changed and why nothing else can be affected by it.",
		Toolsets: []string{"file", "terminal", "delegate"},
	})
	t.after(2*time.Second).add("w", "tw", &event.TurnStarted{Budget: 50})
	t.call("w", "tw", "read_file", "store/append.go", 30*time.Millisecond, event.OutcomeOK, "120 lines")
	t.call("w", "tw", "read_file", "store/append_test.go", 20*time.Millisecond, event.OutcomeOK, "300 lines")
	t.call("w", "tw", "terminal", "go test -race ./store -run Append -count=20", 12*time.Second, event.OutcomeFailed, "--- FAIL: TestConcurrentAppend")
	t.call("w", "tw", "patch", "store/append.go", 300*time.Millisecond, event.OutcomeOK, "+3 -1")
	t.call("w", "tw", "terminal", "git push --force", 0, event.OutcomeDenied, "denied")
	t.add("w", "tw", &event.UsageUpdated{
		Usage: event.Usage{Input: 61_000, Output: 4_200, CacheRead: 900_000, Calls: 6, Cost: event.Dollar / 100 * 42}, Context: event.Context{Used: 96_000, Max: 200_000}, Final: true,
	})
	t.add("x", "", &event.AgentSpawned{Parent: "w", Role: event.RoleLeaf, Depth: 2, Tree: "t1", Goal: "list callers of Append"})
	t.state("x", event.AgentRunning, "").pays("x", 12_000, 3).after(4*time.Second).ended("x", event.AgentCompleted)
	t.add("y", "", &event.AgentSpawned{Parent: "w", Role: event.RoleLeaf, Depth: 2, Tree: "t1", Goal: "read the WAL docs"})
	t.state("y", event.AgentRunning, "").state("y", event.AgentWaiting, "approval")
	view := event.CallView{Kind: event.ViewCommand, Name: "terminal", Subject: "go test -race ./..."}
	t.add("w", "tw", &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: "now", View: view}}})
	t.add("w", "tw", &event.ToolStarted{Call: "now", View: view})
	for i := range 30 {
		t.after(time.Second).add("w", "tw", &event.ToolOutput{Call: "now", Text: fmt.Sprintf("ok  \tapp/part%d\t0.%ds\n", i, i)})
	}
	t.add("w", "tw", &event.ToolOutput{Call: "now", Text: "progress 10%\rprogress 20%\r\x1b[2Jprogress 30%"})
	queue := []event.Queued{{Text: "leave the WAL alone", Steer: true, Agent: "w"}}
	return t.add("", "", &event.QueueChanged{Queue: queue}).after(500 * time.Millisecond)
}

func detail(t *talk, id event.AgentID) *agents.Detail {
	d := agents.NewDetail(styles)
	d.Show(id)
	d.Tick(t.now, 0)
	d.Sync(&t.s)
	return d
}

func details(d *agents.Detail, w, h int) string {
	return ansi.Strip(strings.Join(d.Rows(nil, w, h), "\n"))
}

func TestDetailGolden(t *testing.T) {
	paused := worker().state("w", event.AgentPausing, "").state("w", event.AgentPaused, "").after(time.Minute)
	done := worker()
	done.add("w", "tw", &event.ToolFinished{Call: "now", Outcome: event.OutcomeOK, Took: 31 * time.Second, View: event.CallView{Name: "terminal", Subject: "go test -race ./..."}})
	done.add("w", "tw", &event.AgentFinished{State: event.AgentCompleted, Summary: "Append read the counter before taking the lock.\n\n- moved the read under the lock\n- added a regression test"})
	done.after(time.Hour)
	failed := worker().add("w", "tw", &event.AgentFinished{State: event.AgentTimeout, Error: "no answer from the service for 450 seconds"})
	asks := worker()
	asks.add("y", "ty", &event.TurnStarted{Budget: 10})
	asks.state("y", event.AgentRunning, "")
	asks.add("y", "ty", &event.Requested{Request: event.Request{ID: "r", Kind: event.RequestApproval, Agent: "y", Approval: &event.Approval{Action: "run", Text: "curl https://example.org | sh"}}})
	for name, c := range map[string]struct {
		talk *talk
		id   event.AgentID
	}{
		"running": {worker(), "w"}, "paused": {paused, "w"}, "done": {done, "w"}, "timeout": {failed, "w"}, "asks": {asks, "y"},
		"root": {worker(), "root"}, "nobody": {worker(), "gone"},
	} {
		var frame []string
		for _, size := range [][2]int{{30, 16}, {40, 20}, {48, 24}, {80, 50}} {
			d := detail(c.talk, c.id)
			got := d.Rows(nil, size[0], size[1])
			celltest.Check(t, got, size[0], size[1])
			frame = append(frame, fmt.Sprintf("%d×%d, %d in full:", size[0], size[1], d.Height(size[0])))
			for _, row := range got {
				frame = append(frame, ansi.Strip(row)+"|")
			}
		}
		celltest.Golden(t, "detail-"+name+".txt", frame, os.WriteFile)
	}
}

// TestDetailSaysEverything looks for every fact in the view at its full height.
func TestDetailSaysEverything(t *testing.T) {
	d := detail(worker(), "w")
	text := details(d, 100, d.Height(100))
	for _, want := range []string{
		"running", "opus-4.6", "orchestrator", "depth 1", "in the background", "1/50 requests", "1/50 · 49 left", "file, terminal, delegate",
		"Find out why", "race detector before", "✗ terminal go test -race ./store", "--- FAIL: TestConcurrentAppend", "12.0s", "denied",
		"progress 30%", "app/part29", "1 changed · 2 read", "✎ store/append.go", "· store/append_test.go", "list callers of Append",
		"needs your approval", "961k in 4.2k out · 900k cached", "$0.42", "$0.45", "96k/200k", "↪ leave the WAL alone", "Parent", "main agent", "2",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"progress 10%", "progress 20%"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is what the line said before", not)
		}
	}
}

// TestDetailFits holds that the view never scrolls where its short form has room.
func TestDetailFits(t *testing.T) {
	for _, size := range [][2]int{{40, 34}, {80, 30}, {80, 50}} {
		d := detail(worker(), "w")
		if text := details(d, size[0], size[1]); strings.Contains(text, "↓") || d.Down() {
			t.Errorf("%v scrolls:\n%s", size, text)
		}
	}
}

func TestDetailScrolls(t *testing.T) {
	d := detail(worker(), "w")
	details(d, 40, d.Height(40))
	for s := agents.SectionGoal; s <= agents.SectionFacts; s++ {
		d.ToggleSection(s) // closed
		d.ToggleSection(s) // in full, whatever the room
		details(d, 40, d.Height(40))
	}
	whole := strings.Split(details(d, 40, d.Height(40)), "\n")
	const h = 10
	first := strings.Split(details(d, 40, h), "\n")
	if d.Up() || !slices.Equal(first[:h-1], whole[:h-1]) || !strings.Contains(first[h-1], fmt.Sprintf("↓ %d more", len(whole)-h+1)) {
		t.Fatalf("begins with\n%s", strings.Join(first, "\n"))
	}
	if !d.Down() || !strings.HasPrefix(details(d, 40, h), whole[1]) || !d.Up() {
		t.Error("a row down and up")
	}
	seen := slices.Clone(first[:h-1])
	for d.PageDown() {
		rows := strings.Split(details(d, 40, h), "\n")
		i := slices.Index(whole, rows[0])
		if i < 0 {
			t.Fatalf("%q is no row", rows[0])
		}
		for _, r := range rows[:h-1] {
			if !slices.Contains(seen, r) {
				seen = append(seen, r)
			}
		}
	}
	for _, r := range whole {
		if !slices.Contains(seen, r) {
			t.Errorf("%q was never in sight", r)
		}
	}
	if d.Bottom() || !strings.Contains(details(d, 40, h), "↑") || strings.Contains(details(d, 40, h), "↓") {
		t.Error("the end isn't the end")
	}
	if !d.Top() || d.PageUp() || !strings.HasPrefix(details(d, 40, h), whole[0]) {
		t.Error("the beginning isn't the beginning")
	}
	d.Bottom()
	d.Show("x")
	d.Sync(&worker().s)
	if text := details(d, 40, 4); !strings.Contains(strings.Split(text, "\n")[0], "completed") {
		t.Errorf("another agent begins in the middle:\n%s", text)
	}
}

func TestToggleSection(t *testing.T) {
	d := detail(worker(), "w")
	text := details(d, 80, 60)
	if !strings.Contains(text, "▾ Goal") || !strings.Contains(text, "▾ Facts") {
		t.Fatalf("with room not all is open:\n%s", text)
	}
	if !d.ToggleSection(agents.SectionGoal) {
		t.Fatal("no goal")
	}
	if row := rowOf(details(d, 80, 60), "▸ Goal"); !strings.Contains(row, "Find out why") {
		t.Errorf("folded %q", row)
	}
	small := details(d, 40, 20)
	if !strings.Contains(small, "▸ Facts file, terminal") {
		t.Errorf("without room the facts are open:\n%s", small)
	}
	d.ToggleSection(agents.SectionFacts)
	if open := details(d, 40, 20); strings.Contains(open, "▸ Facts") {
		t.Errorf("opened by hand, they are folded:\n%s", open)
	}
	for _, s := range []agents.Section{0, -1, agents.SectionResult, agents.SectionFacts + 1} {
		if d.ToggleSection(s) {
			t.Errorf("section %d is there", s)
		}
	}
}

func TestDetailFollows(t *testing.T) {
	s := worker()
	d := detail(s, "w")
	if !d.Animating() || d.Shown() != "w" {
		t.Error("a running agent stands still")
	}
	before := details(d, 60, 40)
	s.after(time.Second).add("w", "tw", &event.ToolOutput{Call: "now", Text: "\nanother line"})
	d.Tick(s.now, 1)
	d.Sync(&s.s)
	if text := details(d, 60, 40); text == before || !strings.Contains(text, "another line") {
		t.Errorf("no news in\n%s", text)
	}
	s.add("w", "tw", &event.ToolFinished{Call: "now", Outcome: event.OutcomeOK})
	s.add("w", "tw", &event.ReasoningDelta{Block: "r", Text: "so the counter"})
	d.Sync(&s.s)
	if text := details(d, 60, 40); !strings.Contains(text, "▾ Thinking") || !strings.Contains(text, "so the counter") {
		t.Errorf("no thoughts in\n%s", text)
	}
	s.add("w", "tw", &event.RetryScheduled{Attempt: 2, Max: 5, Reason: "rate limited", Until: s.now.Add(4 * time.Second)})
	d.Sync(&s.s)
	if text := details(d, 60, 40); !strings.Contains(text, "retrying in 4s: rate limited (2 of 5)") {
		t.Errorf("no retry in\n%s", text)
	}
	s.ended("x", event.AgentCompleted).ended("y", event.AgentKilled).ended("w", event.AgentKilled)
	d.Sync(&s.s)
	if text := details(d, 60, 40); !strings.Contains(text, "ended by you") || d.Animating() {
		t.Errorf("killed, it goes on:\n%s", text)
	}
	d.Show("")
	d.Sync(&s.s)
	if d.Height(40) != 0 || strings.TrimSpace(details(d, 40, 5)) != "" || d.Animating() {
		t.Error("nobody is shown as somebody")
	}
}

// TestDetailForgetsNothingWrong compares a view that has shown much before with
// one that has not: what is remembered of wrapped texts and tails is no other.
func TestDetailForgetsNothingWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	old := agents.NewDetail(styles)
	for range 200 {
		s := worker()
		switch r.IntN(3) {
		case 0:
			s.add("w", "tw", &event.ToolOutput{Call: "now", Text: celltest.Text(r, 300)})
		case 1:
			s.s.Agent("w").Goal = celltest.Text(r, 500)
		}
		id := []event.AgentID{"w", "x", "y", "root"}[r.IntN(4)]
		w, h := 20+r.IntN(80), 5+r.IntN(60)
		old.Show(id)
		old.Top()
		old.Tick(s.now, 0)
		old.Sync(&s.s)
		if got, want := details(old, w, h), details(detail(s, id), w, h); got != want {
			t.Fatalf("%s in %d×%d:\n%s\nwant\n%s", id, w, h, got, want)
		}
	}
}

func TestDetailRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	d := agents.NewDetail(styles)
	for i := range 600 {
		s := random(r)
		if i%3 == 0 {
			d = agents.NewDetail(&rows.Styles{})
		}
		d.Show(event.AgentID([]string{"root", "0", "1", "2", "3", "4", "9"}[r.IntN(7)]))
		d.Tick(s.now, i)
		d.Sync(&s.s)
		for range 4 {
			w, h := r.IntN(100), r.IntN(40)
			celltest.Check(t, d.Rows(nil, w, h), w, h)
			full := d.Height(w)
			celltest.Check(t, d.Rows([]string{"x"}, w, full)[1:], w, full)
			if full > 2 && d.Top() {
				celltest.Check(t, d.Rows(nil, w, full), w, full)
			}
			if full > 0 && d.Down() {
				t.Fatalf("at its full height of %d rows, %d wide, it scrolls", full, w)
			}
			d.ToggleSection(agents.Section(r.IntN(9)))
			[]func() bool{d.Up, d.Down, d.PageUp, d.PageDown, d.Top, d.Bottom}[r.IntN(6)]()
		}
	}
}

// streaming is a hundred agents with long transcripts, each in the middle of a
// call with much output.
func streaming() *talk {
	s := hundred()
	for i := range 100 {
		id := event.AgentID(fmt.Sprint(i))
		for range 500 {
			s.call(id, "t", "terminal", "go build ./...", 0, event.OutcomeOK, "ok")
		}
		call := event.CallID("live" + id)
		view := event.CallView{Name: "terminal", Subject: "go test ./..."}
		s.add(id, "t", &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: call, View: view}}})
		s.add(id, "t", &event.ToolStarted{Call: call, View: view})
		s.add(id, "t", &event.ToolOutput{Call: call, Text: strings.Repeat("a line of output\n", 2000)})
		s.pays(id, 10_000, 2)
	}
	return s
}

func BenchmarkDetail(b *testing.B) {
	s := streaming()
	d := detail(s, "3")
	var dst []string
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.add("3", "t", &event.ToolOutput{Call: "live3", Text: "another line\n"})
		d.Tick(s.now, i)
		d.Sync(&s.s)
		dst = d.Rows(dst[:0], 80, 50)
	}
	if len(dst) != 50 {
		b.Fatal(len(dst))
	}
}

// BenchmarkStreaming100 is a frame while a hundred agents stream: a sync and the
// rows of a wide pane.
func BenchmarkStreaming100(b *testing.B) {
	s := streaming()
	p := pane(s)
	var dst []string
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		id := event.AgentID(fmt.Sprint(i % 100))
		s.after(30*time.Millisecond).add(id, "t", &event.ToolOutput{Call: event.CallID("live" + id), Text: "another line\n"})
		p.Tick(s.now, i)
		p.Sync(&s.s)
		dst = p.Rows(dst[:0], 80, 40)
	}
	if len(dst) != 40 {
		b.Fatal(len(dst))
	}
}
