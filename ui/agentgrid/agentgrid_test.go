package agentgrid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/ui/rows"
)

// places is which agent stands where, for the tiles in sight.
func places(g *Grid) map[event.AgentID]int {
	list := map[event.AgentID]int{}
	per := max(g.shown.per(), 1)
	for i := g.at / per * per; i < min((g.at/per+1)*per, len(g.order)); i++ {
		list[g.order[i].id] = i
	}
	return list
}

func TestSixtyChildren(t *testing.T) {
	w := gridOf(many(60, 3))
	contains(t, frame(t, w, 160, 50), "1–12 of 60", "page 1 of 5")
	seen := map[event.AgentID]bool{}
	for {
		for id := range places(w) {
			seen[id] = true
		}
		if !w.PageDown() {
			break
		}
		contains(t, frame(t, w, 160, 50), "of 60", "3 running elsewhere")
	}
	if len(seen) != 60 {
		t.Errorf("%d agents were seen", len(seen))
	}
	contains(t, frame(t, w, 160, 50), "49–60 of 60")
	for range 4 {
		if !w.PageUp() {
			t.Error("no page before")
		}
	}
	if w.PageUp() {
		t.Error("a page before the first")
	}
	w.move(len(w.order) - 1)
	if w.Focused() != "a59" || w.Right() || w.Down() || w.PageDown() || !w.Up() {
		t.Errorf("at the end %s", w.Focused())
	}
	w.move(0)
	if w.Focused() != "a0" || w.Left() || w.Up() {
		t.Errorf("at the start %s", w.Focused())
	}
	w.Focus("a33")
	contains(t, frame(t, w, 160, 50), "part 33 ", "25–36 of 60")
	w.Focus("nobody")
	if w.Focused() != "a33" {
		t.Errorf("nobody has the focus of %s", w.Focused())
	}
}

func TestMovingInTheGrid(t *testing.T) {
	w := gridOf(many(11, 11))
	frame(t, w, 160, 50) // four rows of three, the last of two
	if w.shown.cols != 3 || w.shown.rows != 4 {
		t.Fatalf("%+v", w.shown)
	}
	for _, c := range []struct {
		verb func() bool
		ok   bool
		at   event.AgentID
	}{
		{w.Right, true, "a1"}, {w.Right, true, "a2"}, {w.Down, true, "a5"}, {w.Down, true, "a8"}, {w.Down, true, "a10"}, {w.Down, false, "a10"},
		{w.Up, true, "a7"}, {w.Left, true, "a6"}, {w.Left, true, "a5"}, {w.Up, true, "a2"}, {w.Up, false, "a2"},
	} {
		if ok := c.verb(); ok != c.ok || w.Focused() != c.at {
			t.Fatalf("%v at %s, want %v at %s", ok, w.Focused(), c.ok, c.at)
		}
	}
}

// TestTheFocusBelongsToAnAgent holds that agents that come, go and end leave the
// focus where it is.
func TestTheFocusBelongsToAnAgent(t *testing.T) {
	s := many(30, 3)
	w := gridOf(s)
	frame(t, w, 160, 50)
	w.Focus("a7")
	s.spawn("late", "root", "one more").begin("late").end("a0", event.AgentCompleted, "")
	w.Sync(&s.s, "t1")
	frame(t, w, 160, 50)
	if w.Focused() != "a7" || !strings.Contains(frame(t, w, 160, 50), "┏━ ○ look into part 7 ") {
		t.Errorf("the focus is on %s", w.Focused())
	}
	w.Sync(&s.s, "other")
	if w.Focused() != "" || w.Len() != 0 || w.Animating() {
		t.Error("another turn has the tiles of this one")
	}
	contains(t, frame(t, w, 60, 9), "No subagents to watch.")
}

// TestNoOneWaitsUnseen holds that wherever the user looks, a waiting agent is
// announced in words.
func TestNoOneWaitsUnseen(t *testing.T) {
	for _, who := range []event.AgentID{"a0", "a17", "a39"} {
		for _, size := range [][2]int{{200, 60}, {100, 30}, {70, 20}, {40, 10}, {34, 8}} {
			s := many(40, 40)
			s.plan(who, "k", "terminal", "git push").approve(who, "k", "git push")
			w := gridOf(s)
			for {
				got := frame(t, w, size[0], size[1])
				if _, in := places(w)[who]; in {
					contains(t, got, "◆ WAITS FOR YOU", "run git push")
				} else {
					contains(t, got, "◆ 1 waits ", "elsewhere")
				}
				if !w.PageDown() {
					break
				}
			}
			if w.move(0); !w.NextWaiting() || w.Focused() != who {
				t.Errorf("the next one that waits is %s", w.Focused())
			}
		}
	}
	s := zoo()
	w := gridOf(s)
	w.Focus("b1") // below another one
	if w.Focused() != "boss" {
		t.Errorf("the tile of b1 is that of %s", w.Focused())
	}
	w.NextWaiting()
	w.NextWaiting()
	got := frame(t, w, 160, 50)
	contains(t, got, "WAITS FOR YOU  below: review the store", "run rm -rf build", "WAITS FOR YOU  for 9s")
	contains(t, frame(t, w, 30, 1), "◆ WAITS FOR YOU")
	for _, r := range s.s.Requests {
		s.add(r.Agent, &event.RequestResolved{Request: r.ID, Answer: event.Answer{Choice: event.ChoiceOnce}})
	}
	w.Sync(&s.s, "t1")
	if got := frame(t, w, 160, 50); strings.Contains(got, "WAITS") || w.NextWaiting() {
		t.Errorf("answered, it still waits:\n%s", got)
	}
}

// TestAgentsAtWorkComeForward ends agents one after the other, as a limit on how
// many work at once makes it: those at work are on the first page, and no tile that
// is at work moves while it is in sight.
func TestAgentsAtWorkComeForward(t *testing.T) {
	s := many(60, 3)
	w := gridOf(s)
	frame(t, w, 160, 50)
	for next := 3; next < 60; next++ {
		s.after(time.Second).end(event.AgentID(fmt.Sprint("a", next-3)), event.AgentCompleted, "")
		s.begin(event.AgentID(fmt.Sprint("a", next)))
		before := places(w)
		w.Tick(s.now, next)
		w.Sync(&s.s, "t1")
		frame(t, w, 160, 50)
		after := places(w)
		for i := next - 2; i < next; i++ {
			id := event.AgentID(fmt.Sprint("a", i))
			was, in := before[id]
			now, still := after[id]
			if in && (!still || was != now) {
				t.Fatalf("%s moved from %d to %d", id, was, now)
			}
		}
		s.after(linger + time.Second)
		w.Tick(s.now, next)
		w.Sync(&s.s, "t1")
		if after := places(w); len(after) != 12 {
			t.Fatalf("%d tiles", len(after))
		} else if _, in := after[event.AgentID(fmt.Sprint("a", next))]; !in {
			t.Fatalf("a%d is at work and not on the first page: %v", next, after)
		}
	}
	w.Arrange()
	for i, tile := range w.order[:3] {
		if want := event.AgentID(fmt.Sprint("a", 57+i)); tile.id != want {
			t.Errorf("arranged, %s is at %d", tile.id, i)
		}
	}
}

// TestNothingLeavesTheSight holds that what a later page shows stays there while
// the user looks at it.
func TestNothingLeavesTheSight(t *testing.T) {
	s := many(60, 20)
	w := gridOf(s)
	frame(t, w, 160, 50)
	w.Focus("a15")
	frame(t, w, 160, 50)
	before := places(w)
	for i := range 12 {
		s.end(event.AgentID(fmt.Sprint("a", i)), event.AgentCompleted, "")
	}
	w.Tick(s.after(time.Minute).now, 1)
	for range 3 {
		w.Sync(&s.s, "t1")
		frame(t, w, 160, 50)
	}
	after := places(w)
	for id, at := range before {
		if after[id] != at && s.s.Agent(id).State == event.AgentRunning {
			t.Errorf("%s moved from %d to %d", id, at, after[id])
		}
	}
}

func TestAnimating(t *testing.T) {
	w := gridOf(many(30, 0))
	if w.Animating() {
		t.Error("what waits for a free slot animates")
	}
	s := many(30, 1)
	w = gridOf(s)
	if !w.Animating() {
		t.Error("an agent at work does not animate")
	}
	frame(t, w, 160, 50)
	if w.PageDown(); w.Animating() {
		t.Error("an agent out of sight animates")
	}
}

// TestCachedEqualsFresh lets agents do random things at random sizes and compares
// every frame with one that is drawn from nothing. Texts are hostile.
func TestCachedEqualsFresh(t *testing.T) {
	kinds := []event.AgentState{
		event.AgentRunning, event.AgentWaiting, event.AgentPausing, event.AgentPaused, event.AgentStopping, event.AgentCompleted,
		event.AgentFailed, event.AgentInterrupted, event.AgentRefused, "other", event.AgentQueued,
	}
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		s := newTalk()
		w := New(styles)
		width, h := 100, 40
		for i := range 150 {
			step(s, rnd, kinds)
			if rnd.IntN(4) > 0 {
				w.Tick(s.now, i)
			}
			w.Sync(&s.s, "t1")
			gesture(w, rnd)
			if rnd.IntN(6) == 0 {
				width, h = rnd.IntN(180), rnd.IntN(60)
			}
			if rnd.IntN(20) == 0 {
				w.SetStyles(&rows.Styles{})
			} else {
				w.SetStyles(styles)
			}
			got := w.Rows(nil, width, h)
			celltest.Check(t, got, width, h)
			for _, tile := range w.order {
				tile.forget()
			}
			if want := w.Rows(nil, width, h); !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d:\n%s\nfresh:\n%s", seed, i, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			w.Rows(nil, width, h)
			kept := 0
			for _, tile := range w.order {
				kept += len(tile.drawn)
			}
			if most := max(w.shown.per(), 1) * (h + 1) * 3; kept > most {
				t.Fatalf("%d blocks are kept, %d rows are in sight", kept, most)
			}
		}
	}
}

func gesture(w *Grid, rnd *rand.Rand) {
	verbs := []func() bool{w.Left, w.Right, w.Up, w.Down, w.PageUp, w.PageDown, w.NextWaiting,
		func() bool { return w.move(0) }, func() bool { return w.move(len(w.order) - 1) }}
	if n := rnd.IntN(len(verbs) + 3); n < len(verbs) {
		verbs[n]()
	} else if n == len(verbs) {
		w.Arrange()
	}
}

func step(s *talk, rnd *rand.Rand, kinds []event.AgentState) {
	s.after(time.Duration(rnd.IntN(3000)) * time.Millisecond)
	id := s.s.Agents[rnd.IntN(len(s.s.Agents))].ID
	text := celltest.Text(rnd, 120)
	switch n := rnd.IntN(14); {
	case n < 2:
		s.spawn(event.AgentID(s.id("a")), id, text)
	case id == "root":
	case n == 2:
		s.begin(id)
	case n < 5:
		s.say(id, text)
	case n == 5:
		s.think(id, text)
	case n == 6:
		s.commit(id, text)
	case n == 7:
		s.start(id, event.CallID(s.id("c")), text, text)
	case n == 8 && len(s.s.Agent(id).Running) > 0:
		s.add(id, &event.ToolOutput{Call: s.s.Agent(id).Running[0], Text: text + "\r" + text})
	case n == 9 && len(s.s.Agent(id).Running) > 0:
		call := s.s.Agent(id).Running[0]
		if rnd.IntN(2) == 0 {
			s.approve(id, call, text)
		} else {
			outcomes := []event.Outcome{event.OutcomeOK, event.OutcomeFailed, event.OutcomeDenied, event.OutcomeCancelled, event.OutcomeSkipped, ""}
			s.finish(id, call, text, text, time.Second, outcomes[rnd.IntN(len(outcomes))])
		}
	case n == 10:
		s.add(id, &event.AgentStateChanged{State: kinds[rnd.IntN(len(kinds))], On: text})
	case n == 11 && rnd.IntN(4) == 0:
		s.end(id, kinds[5+rnd.IntN(4)], text)
	case n == 12:
		levels := []event.Level{event.LevelInfo, event.LevelWarn, event.LevelError}
		s.add(id, &event.NoticeRaised{Block: event.BlockID(s.id("n")), Level: levels[rnd.IntN(3)], Text: text})
	case n == 13:
		s.add(id, &event.ContextCompressed{Block: event.BlockID(s.id("k"))})
	}
}

// TestEveryAgentHasATile holds that odd parents lose no one.
func TestEveryAgentHasATile(t *testing.T) {
	s := &event.State{Agents: []*event.Agent{
		{ID: "root"}, {ID: "a", Parent: "a", Goal: "own parent"}, {ID: "b", Parent: "c", Goal: "later parent"},
		{ID: "c", Parent: "b", Goal: "cycle"}, {ID: "d", Parent: "nobody", Goal: "no parent"}, {ID: "b", Parent: "root", Goal: "same id"},
	}}
	for _, a := range s.Agents[1:] {
		a.Tree = "t1"
	}
	s.Requests = []event.Request{{ID: "r", Agent: "c"}, {ID: "q", Agent: "nobody"}}
	w := New(styles)
	w.Sync(s, "t1")
	got := frame(t, w, 160, 50)
	contains(t, got, "own parent", "later parent", "no parent", "below: cycle")
	if w.Len() != 3 {
		t.Errorf("%d tiles:\n%s", w.Len(), got)
	}
}

// TestGrowingTextDoesNotDance holds that a piece of text that arrives changes the
// last rows only, unless all of them move up.
func TestGrowingTextDoesNotDance(t *testing.T) {
	s := newTalk().spawn("a", "root", "goal").begin("a")
	w := New(styles)
	danced := 0
	var before []string
	for i := range 3000 {
		s.say("a", fmt.Sprint("word", i%7, " "))
		w.Sync(&s.s, "t1")
		now := w.Rows(nil, 60, 12)[2:11]
		if i > 300 && !slices.Equal(now[:len(now)-2], before[:len(now)-2]) && !slices.Equal(now[:len(now)-2], before[1:len(now)-1]) {
			danced++
		}
		before = now
	}
	if danced > 30 { // each time the text has grown by what is looked at of it
		t.Errorf("of 3000 pieces, %d broke all rows anew", danced)
	}
}

// TestLongBlocksCostTheirEnd holds that of a long text only its end is looked at,
// and that nothing older is shown as if it stood next to it.
func TestLongBlocksCostTheirEnd(t *testing.T) {
	s := newTalk().spawn("a", "root", "goal").begin("a")
	s.commit("a", "the end").think("a", "x"+strings.Repeat("\n", 100_000))
	got := frame(t, gridOf(s), 60, 12)
	if strings.Contains(got, "the end") || strings.Contains(got, "❯ Do it well.") {
		t.Errorf("what is shown does not belong together:\n%s", got)
	}
}

// TestAnswersAreMarkdown draws what an agent says as the transcript does, also
// while it is streamed.
func TestAnswersAreMarkdown(t *testing.T) {
	s := newTalk().spawn("a", "root", "goal").begin("a")
	w := New(styles)
	for _, piece := range []string{"## Find", "ings\n\n- **bold** and `code`\n- [a link](https://example.com)\n\n```go\nfunc f()", " {}\n```\n"} {
		s.say("a", piece)
		w.Sync(&s.s, "t1")
		w.Rows(nil, 70, 20)
	}
	got := frame(t, w, 70, 20)
	contains(t, got, "Findings", "bold and code", "func f() {}")
	for _, raw := range []string{"##", "**", "`"} {
		if strings.Contains(got, raw) {
			t.Errorf("%q is shown raw in\n%s", raw, got)
		}
	}
}
