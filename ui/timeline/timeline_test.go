package timeline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/timeline"
)

// rowOf is the row that names an agent.
func rowOf(t testing.TB, b overlay.Box, name string) string {
	t.Helper()
	for row := range strings.SplitSeq(text(t, b, 120, 30), "\n") {
		if strings.Contains(row, name) {
			return row
		}
	}
	t.Fatalf("%q has no row:\n%s", name, text(t, b, 120, 30))
	return ""
}

// TestTimeIsShownWhereItWas holds that each kind of time takes its share of a bar.
func TestTimeIsShownWhereItWas(t *testing.T) {
	s := busy()
	l := line(s, "t1")
	for _, c := range []struct {
		name string
		want map[rune]float64 // seconds
	}{
		{"read the WAL docs", map[rune]float64{'█': 18, '▒': 22}},
		{"bisect history", map[rune]float64{'◆': 19, '▒': 21}},
		{"second half", map[rune]float64{'‖': 14, '▒': 6}},
		{"list callers", map[rune]float64{'·': 20, '▒': 6}},
	} {
		row := rowOf(t, l, c.name)
		if i := strings.Index(row, c.name); i >= 0 {
			row = row[i:strings.LastIndex(row, "│")]
		}
		bar := strings.Count(rowOf(t, l, "read the WAL docs"), "█") + strings.Count(rowOf(t, l, "read the WAL docs"), "▒")
		for sign, want := range c.want {
			got := float64(strings.Count(row, string(sign))) * 40 / float64(bar)
			if got < want-1.2 || got > want+1.2 {
				t.Errorf("%s: %c stands for %.1fs, want %.0fs\n%s", c.name, sign, got, want, row)
			}
		}
	}
	if row := rowOf(t, l, "one too many"); !strings.Contains(row, "⊘") || strings.ContainsAny(row, "▒█") || !strings.Contains(row, "refused") {
		t.Errorf("refused: %s", row)
	}
}

// TestCallsSideBySide holds that a call which ended counts though one before it
// still runs, and that two at once do not count twice.
func TestCallsSideBySide(t *testing.T) {
	s := newTalk().ask("t1", "x").spawn("a", "root", "goal").begin("a")
	s.add("a", "turn-a", &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: "c1"}, {Call: "c2"}, {Call: "c3"}}})
	s.after(10*time.Second).add("a", "turn-a", &event.ToolStarted{Call: "c2"})
	s.add("a", "turn-a", &event.ToolStarted{Call: "c3"})
	for _, id := range []event.CallID{"c2", "c3"} {
		s.after(5*time.Second).add("a", "turn-a", &event.ToolFinished{Call: id, Took: s.now.Sub(start) - 10*time.Second})
	}
	s.after(10 * time.Second)
	row := rowOf(t, line(s, "t1"), "goal")
	tools, all := strings.Count(row, "█"), strings.Count(row, "█")+strings.Count(row, "▒")
	if share := float64(tools) / float64(all); share < 0.30 || share > 0.37 {
		t.Errorf("calls take %.2f of the bar, want a third: %s", share, row)
	}
	s.add("a", "turn-a", &event.ToolStarted{Call: "c1"}).after(30 * time.Second)
	row = rowOf(t, line(s, "t1"), "goal")
	tools, all = strings.Count(row, "█"), strings.Count(row, "█")+strings.Count(row, "▒")
	if share := float64(tools) / float64(all); share < 0.62 || share > 0.71 {
		t.Errorf("calls take %.2f of the bar, want two thirds: %s", share, row)
	}
}

// TestAnsweredWithoutTheUserIsWork holds that a question which held no one is
// not drawn as a wait.
func TestAnsweredWithoutTheUserIsWork(t *testing.T) {
	s := newTalk().ask("t1", "x").spawn("a", "root", "goal").begin("a")
	s.add("a", "turn-a", &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: "c"}}})
	view := event.CallView{Kind: event.ViewClarify}
	s.add("a", "turn-a", &event.ToolStarted{Call: "c", View: view})
	s.after(9*time.Second).add("a", "turn-a", &event.ToolFinished{Call: "c", View: view, Took: 9 * time.Second})
	if row := rowOf(t, line(s, "t1"), "goal"); strings.Contains(row, "◆") {
		t.Error(row)
	}
}

func TestLiveTreeGrows(t *testing.T) {
	s := busy()
	l := line(s, "t1")
	if !l.Animating() || !l.Controls() {
		t.Error("a live tree stands still, or cannot be controlled")
	}
	contains(t, text(t, l, 120, 30), "⚡3", " 40s ")
	l.Tick(s.now.Add(20*time.Second), 3)
	contains(t, text(t, l, 120, 30), "1m 00s")
	s.state("b2", event.AgentRunning, "").end("b2", event.AgentCompleted).end("b", event.AgentCompleted).end("a", event.AgentCompleted)
	l.Sync(&s.s)
	if l.Animating() || l.Controls() {
		t.Error("a tree that is over goes on")
	}
}

func TestSelectionBelongsToTheAgent(t *testing.T) {
	s := newTalk().ask("t1", "x").spawn("a", "root", "first").spawn("b", "root", "second")
	l := line(s, "t1")
	l.Move(overlay.Down)
	if id, _ := l.Selected(); id != "b" {
		t.Fatal(id)
	}
	s.spawn("a1", "a", "below the first")
	l.Sync(&s.s)
	if id, _ := l.Selected(); id != "b" {
		t.Errorf("a new row moved the selection to %s", id)
	}
	l.Move(overlay.Up)
	if id, _ := l.Selected(); id != "a1" {
		t.Errorf("above b stands %s", id)
	}
	l.Select("nobody")
	l.Select("a")
	if id, _ := l.Selected(); id != "a" {
		t.Error(id)
	}
	l.Sync(&event.State{})
	if _, ok := l.Selected(); ok || l.Controls() || l.Animating() {
		t.Error("there is something left")
	}
	for i := range 100 {
		s.spawn(event.AgentID(fmt.Sprint("n", i)), "root", fmt.Sprintf("agent %d", i))
	}
	l.Sync(&s.s)
	for _, m := range []overlay.Move{overlay.Bottom, overlay.PageUp, overlay.Up, overlay.Top, overlay.PageDown} {
		l.Move(m)
		if got := text(t, l, 70, 14); !strings.Contains(got, "▸") {
			t.Errorf("after move %d the selected agent is out of sight:\n%s", m, got)
		}
	}
}

// TestReplay walks through a tree and looks at what stood when.
func TestReplay(t *testing.T) {
	l := line(over(), "t1")
	l.Replay()
	if !l.Replaying() || l.Playing() || l.Animating() || l.Controls() || l.Moment() != 0 {
		t.Error("a replay begins wrong")
	}
	for _, c := range []struct {
		at   time.Duration
		want map[string]string // agent to glyph
	}{
		{0, map[string]string{"read the WAL docs": "◐", "first half": "·", "list callers": "○"}},
		{20 * time.Second, map[string]string{"read the WAL docs": "◐", "first half": "◐", "list callers": "◐"}},
		{26 * time.Second, map[string]string{"first half": "✗", "second half": "◐", "list callers": "✓"}},
		{45 * time.Second, map[string]string{"read the WAL docs": "⌛", "second half": "✓", "bisect history": "■"}},
	} {
		if l.Next(); c.at == 0 {
			l.Prev()
		}
		if l.Moment() != c.at {
			t.Fatalf("at %s, want %s", l.Moment(), c.at)
		}
		for name, sign := range c.want {
			if row := rowOf(t, l, name); !strings.Contains(row, sign+"  "+name) && !strings.Contains(row, sign+" "+name) {
				t.Errorf("at %s, want %s: %s", c.at, sign, row)
			}
		}
	}
	contains(t, text(t, l, 120, 30), "Replay: nothing can be ended or steered.", "45s of 45s")
	l.Next()
	if l.Moment() != 45*time.Second {
		t.Error("there is something after the end")
	}
	if !l.Back() {
		t.Error("a replay that came with its window does not close it")
	}
	l = line(over(), "t1")
	press(l, "r")
	if !l.Replaying() || l.Back() || l.Replaying() || !l.Back() {
		t.Error("a replay begun in the window does not go back to it")
	}
}

// TestQuestionsAreSeenInAReplay holds that a known wait is one in a replay too.
func TestQuestionsAreSeenInAReplay(t *testing.T) {
	l := line(over(), "t1")
	l.Replay()
	text(t, l, 120, 30)
	for l.Moment() < 14*time.Second {
		press(l, "l")
	}
	if row := rowOf(t, l, "bisect history"); !strings.Contains(row, "◆  bisect") {
		t.Error(row)
	}
}

func TestPlaying(t *testing.T) {
	s := over()
	l := line(s, "t1")
	l.Play()
	if !l.Playing() || !l.Animating() {
		t.Fatal("it does not play")
	}
	contains(t, text(t, l, 120, 30), "▶ ×2") // 45 s in less than 30
	s.after(time.Hour)                       // nothing has moved for long
	if l.Tick(s.now, 0); l.Moment() != 0 {
		t.Errorf("before it plays, %s have passed", l.Moment())
	}
	l.Tick(s.now.Add(10*time.Second), 1)
	if l.Moment() != 20*time.Second {
		t.Errorf("after 10 s at %s", l.Moment())
	}
	l.Faster()
	l.Tick(s.now.Add(11*time.Second), 2)
	if l.Moment() != 25*time.Second {
		t.Errorf("faster at %s", l.Moment())
	}
	l.Tick(s.now.Add(time.Hour), 3)
	if l.Playing() || l.Animating() || l.Moment() != 45*time.Second {
		t.Errorf("at the end %s, playing %v", l.Moment(), l.Playing())
	}
	if l.Play(); !l.Playing() || l.Moment() != 0 {
		t.Error("played again it does not begin anew")
	}
	if press(l, "h"); l.Playing() {
		t.Error("moving by hand does not pause it")
	}
}

// TestTheMomentIsInSight holds that stepping through a replay never leaves the chart.
func TestTheMomentIsInSight(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	l := line(over(), "t1")
	l.Replay()
	text(t, l, 100, 20)
	for range 150 {
		keys := []string{"h", "l", "l", "l", "n", "N"}
		press(l, keys[rnd.IntN(len(keys))])
		if got := text(t, l, 100, 20); !strings.Contains(got, "▼") {
			t.Fatalf("the moment %s is out of sight:\n%s", l.Moment(), got)
		}
	}
}

func TestNumbersAndMarks(t *testing.T) {
	s := several()
	l := trees(s)
	for n, want := range map[int]event.TurnID{0: "", 1: "t3", 2: "t2", 3: "t1", 4: ""} {
		if id, ok := l.Number(n); id != want || ok != (want != "") {
			t.Errorf("number %d is %q", n, id)
		}
	}
	if id, running, ok := l.Selected(); id != "t3" || !running || !ok || l.Len() != 3 || !l.Animating() {
		t.Errorf("selected %q, running %v", id, running)
	}
	if l.Compare() {
		t.Error("compared with nothing")
	}
	for _, key := range []string{"space", "j", "space", "j", "space"} {
		press(l, key)
	}
	if got := l.Marked(); !slices.Equal(got, []event.TurnID{"t2", "t1"}) {
		t.Errorf("marked %v", got)
	}
	press(l, "space")
	if got := l.Marked(); !slices.Equal(got, []event.TurnID{"t2"}) {
		t.Errorf("marked %v", got)
	}
	if press(l, "c"); !l.Comparing() || l.Back() || l.Comparing() || l.Back() || len(l.Marked()) > 0 || !l.Back() {
		t.Error("going back is wrong")
	}
	// A new tree moves nothing but its number; a rewind takes marks with it.
	l.Select("t2")
	l.Mark()
	l.Select("t3")
	l.Compare()
	s.ask("t4", "more").spawn("q", "root", "new")
	l.Sync(&s.s)
	if id, _, _ := l.Selected(); id != "t3" || !l.Comparing() {
		t.Errorf("a new tree moved the selection to %q", id)
	}
	s.add("root", "", &event.Rewound{ID: "r", From: "t3"})
	l.Sync(&s.s)
	if id, _, _ := l.Selected(); l.Comparing() || l.Len() != 2 || id == "t3" {
		t.Errorf("after a rewind %d trees, %q selected", l.Len(), id)
	}
}

// TestComparisonIsAntisymmetric holds that what B is more than A, A is less than B.
func TestComparisonIsAntisymmetric(t *testing.T) {
	deltas := func(first, second event.TurnID) string {
		l := trees(several())
		for _, id := range []event.TurnID{first, second} {
			l.Select(id)
			l.Mark()
		}
		if !l.Compare() {
			t.Fatal("not compared")
		}
		var out []string
		for row := range strings.SplitSeq(text(t, l, 120, 40), "\n") {
			if f := strings.Fields(strings.Trim(row, "·│ ")); len(f) > 1 && strings.ContainsAny(f[len(f)-1][:1], "+=") || strings.Contains(row, "−") {
				out = append(out, f[0]+f[len(f)-1])
			}
		}
		return strings.Join(out, " ")
	}
	there, back := deltas("t1", "t3"), deltas("t3", "t1")
	if swapped := strings.NewReplacer("+", "−", "−", "+").Replace(back); there != swapped || len(strings.Fields(there)) < 12 {
		t.Errorf("there: %s\nback: %s", there, back)
	}
}

func TestEmptyPast(t *testing.T) {
	l := timeline.New(styles, "t", table)
	l.SetHints(hints)
	for _, key := range keysOf {
		press(l, key)
		draw(t, l, 80, 20)
	}
	if _, ok := l.Selected(); ok || l.Tree() != "t" {
		t.Error("an empty timeline has a selection")
	}
	x := timeline.NewTrees(styles, table, nil)
	for _, key := range keysOf {
		press(x, key)
		draw(t, x, 80, 20)
	}
}
