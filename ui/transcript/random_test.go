package transcript

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// actor makes up what an agent does, as the events a real one publishes.
type actor struct {
	rnd   *rand.Rand
	state *event.State
	n     int
	at    time.Time
	block event.BlockID // being streamed
	kind  event.BlockKind
	text  string
	calls []event.CallID
	subs  []event.AgentID
}

func newActor(seed uint64) *actor {
	a := &actor{rnd: rand.New(rand.NewPCG(seed, 9)), state: &event.State{}, at: noon}
	a.apply(&event.AgentSpawned{Role: "root"})
	return a
}

func (a *actor) id(prefix string) string { a.n++; return fmt.Sprint(prefix, a.n) }

func (a *actor) apply(e event.Event) { a.applyTo("root", e) }

func (a *actor) applyTo(id event.AgentID, e event.Event) {
	h := e.Head()
	h.Agent, h.Turn, h.At = id, event.TurnID(fmt.Sprint("t", a.n/40)), a.at
	a.state.Apply(e)
}

var words = []string{"plain", "words", "**bold**", "`code`", "\n", "\n\n", "- item\n", "1. one\n", "```go\nx := 1\n```\n", "```\n", "雛形と蛭", "| a | b |\n|---|---|\n| c | d |\n", "# Title\n", "> quote\n", " ", ". ", "\x1b[31mred\x1b[m", "é👨‍👩‍👧"}

func (a *actor) words(n int) string {
	var b strings.Builder
	for range 1 + a.rnd.IntN(n) {
		b.WriteString(words[a.rnd.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}

var origins = []event.Origin{"", "", "", event.OriginJob, event.OriginAgent, "elsewhere"}

// delegate lets a call ask for a subagent, or a subagent do something.
func (a *actor) delegate() {
	if len(a.subs) == 0 || a.rnd.IntN(4) == 0 {
		if len(a.calls) == 0 {
			return
		}
		id := event.AgentID(a.id("g"))
		a.subs = append(a.subs, id)
		a.applyTo(id, &event.AgentSpawned{Parent: "root", Call: a.calls[a.rnd.IntN(len(a.calls))], Index: a.rnd.IntN(5), Goal: a.words(6), Role: event.RoleLeaf})
		return
	}
	i := a.rnd.IntN(len(a.subs))
	id := a.subs[i]
	switch a.rnd.IntN(6) {
	case 0:
		a.applyTo(id, &event.TurnStarted{})
	case 1:
		states := []event.AgentState{event.AgentWaiting, event.AgentPausing, event.AgentPaused, event.AgentStopping, event.AgentRunning}
		a.applyTo(id, &event.AgentStateChanged{State: states[a.rnd.IntN(len(states))], On: []string{"", "approval", "lock"}[a.rnd.IntN(3)]})
	case 2:
		a.applyTo(id, &event.PhaseChanged{Phase: event.PhaseReasoning})
	case 3:
		call := event.CallID(a.id("gc"))
		a.applyTo(id, &event.MessageCommitted{Role: event.RoleAssistant, Calls: []event.CallHead{{Call: call, View: event.CallView{Name: "look", Subject: a.words(4)}}}})
		a.applyTo(id, &event.ToolStarted{Call: call, View: event.CallView{Name: "look", Subject: a.words(4)}})
		a.applyTo(id, &event.ToolFinished{Call: call, Outcome: event.OutcomeOK})
	case 4:
		ends := []event.AgentState{event.AgentCompleted, event.AgentFailed, event.AgentKilled, event.AgentTimeout, event.AgentInterrupted, event.AgentRefused}
		a.applyTo(id, &event.AgentFinished{State: ends[a.rnd.IntN(len(ends))]})
		a.subs = append(a.subs[:i:i], a.subs[i+1:]...)
	}
}

// step does one thing.
func (a *actor) step() {
	a.at = a.at.Add(time.Duration(a.rnd.IntN(900)) * time.Millisecond)
	if a.rnd.IntN(4) == 0 {
		a.delegate()
	}
	switch n := a.rnd.IntN(20); {
	case n < 8:
		a.stream()
	case n < 10:
		a.commit()
	case n < 14:
		a.advance()
	case n == 14:
		a.apply(&event.NoticeRaised{Block: event.BlockID(a.id("n")), Level: event.LevelWarn, Text: a.words(9)})
	case n == 15:
		a.apply(&event.StreamReset{})
		a.block = ""
	case n == 16:
		a.apply(&event.MessageCommitted{Role: event.RoleUser, Block: event.BlockID(a.id("u")), Text: a.words(60), Steer: a.rnd.IntN(3) == 0, Origin: origins[a.rnd.IntN(len(origins))]})
	case n == 17 && a.rnd.IntN(4) == 0:
		a.apply(&event.ContextCompressed{Summary: a.words(20)})
	case n == 18:
		a.apply(&event.ToolDrafting{Call: event.CallID(a.id("draft")), Name: "patch", Bytes: a.rnd.IntN(9999)})
	}
}

func (a *actor) stream() {
	if a.block == "" {
		a.block, a.kind, a.text = event.BlockID(a.id("s")), event.BlockAnswer, ""
		if a.rnd.IntN(2) == 0 {
			a.kind = event.BlockReasoning
		}
	}
	piece := a.words(12)
	a.text += piece
	if a.kind == event.BlockAnswer {
		a.apply(&event.TextDelta{Block: a.block, Text: piece})
	} else {
		a.apply(&event.ReasoningDelta{Block: a.block, Text: piece})
	}
}

func (a *actor) commit() {
	e := &event.MessageCommitted{Role: event.RoleAssistant}
	switch {
	case a.block == "":
	case a.kind == event.BlockAnswer:
		e.Block, e.Text, e.Partial = a.block, a.text, a.rnd.IntN(5) == 0
	default:
		e.Reasoning = &event.Reasoning{Block: a.block, Text: a.text, Took: 3 * time.Second}
	}
	a.block = ""
	for range a.rnd.IntN(4) {
		id := event.CallID(a.id("c"))
		kinds := []event.ViewKind{event.ViewCommand, event.ViewRead, event.ViewRead, event.ViewSearch, event.ViewWrite, event.ViewAgent, event.ViewRead}
		e.Calls = append(e.Calls, event.CallHead{Call: id, View: event.CallView{Kind: kinds[a.rnd.IntN(len(kinds))], Name: "tool", Subject: a.words(5)}})
		a.calls = append(a.calls, id)
	}
	a.apply(e)
}

// advance brings a call on by one stage.
func (a *actor) advance() {
	if len(a.calls) == 0 {
		return
	}
	i := a.rnd.IntN(len(a.calls))
	id := a.calls[i]
	b := a.state.Root().Call(id)
	if b == nil {
		return
	}
	view := b.Call.View
	switch n := a.rnd.IntN(6); {
	case b.Call.Stage == event.CallPlanned && n == 0:
		kinds := []event.RequestKind{event.RequestApproval, event.RequestClarify, event.RequestSecret, ""}
		a.apply(&event.Requested{Request: event.Request{ID: event.RequestID(a.id("q")), Agent: "root", Call: id, Kind: kinds[a.rnd.IntN(len(kinds))]}})
	case b.Call.Asked != "" && n == 1:
		a.apply(&event.RequestResolved{Request: b.Call.Asked, Answer: event.Answer{Choice: event.ChoiceOnce}})
	case b.Call.Stage == event.CallPlanned:
		a.apply(&event.ToolStarted{Call: id, View: view})
	case b.Call.Stage == event.CallRunning && n < 3:
		a.apply(&event.ToolOutput{Call: id, Text: a.words(20) + "\r"})
	case b.Call.Stage == event.CallRunning:
		outcomes := []event.Outcome{event.OutcomeOK, event.OutcomeOK, event.OutcomeOK, event.OutcomeFailed, event.OutcomeDenied}
		view.Body, view.Summary = a.words(40), "done"
		a.apply(&event.ToolFinished{Call: id, View: view, Took: time.Second, Outcome: outcomes[a.rnd.IntN(len(outcomes))]})
		a.calls = append(a.calls[:i:i], a.calls[i+1:]...)
	}
}

// gesture is something the user does.
func gesture(v *View, rnd *rand.Rand) {
	switch rnd.IntN(16) {
	case 13:
		v.SetTimes(rnd.IntN(2) == 0)
	case 14:
		v.StartSelection(rnd.IntN(100), rnd.IntN(40), Unit(rnd.IntN(3)))
		v.ExtendSelection(rnd.IntN(100), rnd.IntN(40))
		v.SelectionText()
	case 15:
		if rnd.IntN(2) == 0 {
			v.EndSelection()
			break
		}
		v.SelectByKeys()
		v.MoveSelection(Step(rnd.IntN(int(StepBottom + 1))))
	case 11:
		v.SetReasoning(rnd.IntN(2) == 0)
	case 0, 1:
		v.ScrollBy(rnd.IntN(60) - 40)
	case 2:
		v.Bottom()
	case 3:
		v.Select(Move(rnd.IntN(3)))
	case 4:
		v.ToggleFold()
	case 5:
		v.TurnPrev()
	case 6:
		v.TurnNext()
	case 7:
		v.SetSize(10+rnd.IntN(100), 3+rnd.IntN(40))
	case 8:
		if rnd.IntN(5) == 0 {
			v.FoldAll(rnd.IntN(2) == 0)
		}
	case 9:
		v.PageUp()
	case 10:
		v.PageDown()
	}
}

// fresh is a view in the same state with nothing drawn yet.
func fresh(v *View) *View {
	f := New(dark(), Options{Clock: still, HideReasoning: v.hidden, Times: v.times, OutputLines: v.lines})
	f.Sync(v.every())
	f.SetSize(v.w, v.h)
	f.least, f.long = v.least, v.long
	f.follow, f.top, f.seg, f.off, f.tall = v.follow, v.top, v.seg, v.off, 0
	f.sel, f.selAt, f.allFolded = v.sel, v.selAt, v.allFolded
	f.folds, f.groups = maps.Clone(v.folds), maps.Clone(v.groups)
	f.now, f.frame = v.now, v.frame
	f.selection, f.selection.version = v.selection, 0
	f.heard, f.asked = maps.Clone(v.heard), maps.Clone(v.asked)
	return f
}

// every are the blocks, the hidden ones among them.
func (v *View) every() []*event.Block {
	if v.hidden {
		return v.all
	}
	return v.blocks
}

// colour draws until no code in view waits for its colours.
func colour(v *View) []string {
	for {
		frame := v.Rows(nil, v.w, v.h)
		waiting := false
		for _, p := range v.parts {
			waiting = waiting || p.entry.stream != nil && p.entry.stream.Pending()
		}
		if !waiting {
			return frame
		}
		v.Tick(v.now, v.frame)
	}
}

// TestCachedEqualsFresh lets an agent and a user do things and compares every
// frame with one that is drawn from nothing.
func TestCachedEqualsFresh(t *testing.T) {
	for seed := range uint64(6) {
		for _, limit := range []int{1, 1 << 30} {
			a, v := newActor(seed), New(dark(), Options{Clock: still, CacheBytes: limit})
			if v.SetSize(60, 20); seed%2 == 0 {
				v.least = shortParts
			}
			for i := range 250 {
				a.step()
				v.Sync(a.state.Root().Blocks)
				v.SetRequests(a.state.Requests)
				gesture(v, a.rnd)
				checkItems(t, v)
				if i%3 == 0 {
					v.Tick(a.at, i)
				}
				got := colour(v)
				checkFrame(t, got, v.w, v.h)
				want := colour(fresh(v))
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					for k := range got {
						if got[k] != want[k] {
							t.Errorf("row %d\n%q\n%q", k, got[k], want[k])
						}
					}
					t.Fatalf("seed %d, limit %d, step %d:\n%s\nfresh:\n%s", seed, limit, i, plain(got), plain(want))
				}
			}
		}
	}
}

// checkItems holds that the items are all the blocks in their order, that only
// what may be drawn together is, and that the cursor is where it was put.
func checkItems(t *testing.T, v *View) {
	t.Helper()
	shown := 0
	for _, b := range v.every() {
		if v.hidden && b.Kind == event.BlockReasoning {
			continue
		}
		if shown >= len(v.blocks) || v.blocks[shown] != b {
			t.Fatalf("block %s is not at %d", b.ID, shown)
		}
		shown++
	}
	if shown != len(v.blocks) {
		t.Fatalf("%d blocks are shown, want %d", len(v.blocks), shown)
	}
	at, seg := 0, 0
	var last item
	for ok := len(v.blocks) > 0; ok; {
		it := v.segAt(at, seg)
		if it.from != at || it.to <= at {
			t.Fatalf("the item at %d is %+v", at, it)
		}
		if back, ok := v.prev(it); ok && (back.to != it.from && !it.same(item{from: last.from, seg: last.seg + 1}) || back != last) {
			t.Fatalf("before %+v is %+v, not %+v", it, back, last)
		}
		for i := it.from; i < it.to; i++ {
			if !it.same(v.itemAt(i)) && it.segs == 0 {
				t.Fatalf("block %d is in %+v and in %+v", i, v.itemAt(i), it)
			}
			if it.closed() && (!quiet(v.blocks[i]) || v.blocks[i].Turn != v.blocks[it.from].Turn) {
				t.Fatalf("block %d is in the group %+v", i, it)
			}
		}
		at, last, seg = it.to, it, 0
		if !it.last() {
			at, seg = it.from, it.seg+1
		}
		_, ok = v.next(it)
	}
	if at != len(v.blocks) {
		t.Fatalf("the items end at %d of %d", at, len(v.blocks))
	}
	if s := v.Selected(); s != nil {
		i, _ := v.selected()
		if text := v.CopyText(); !strings.Contains(text, strings.TrimSpace(rawText(v.blocks[i]))) {
			t.Fatalf("the copy of %s does not hold %s", s.ID, v.blocks[i].ID)
		}
	}
}

// TestCacheIsBounded walks through a long transcript.
func TestCacheIsBounded(t *testing.T) {
	const limit = 100_000
	v := New(dark(), Options{Clock: still, CacheBytes: limit})
	v.SetSize(80, 40)
	var blocks []*event.Block
	for i := range 3000 {
		blocks = append(blocks, block(event.BlockAnswer, fmt.Sprint("b", i), strings.Repeat(fmt.Sprint("words ", i, " "), 30)))
	}
	v.Sync(blocks)
	for range 300 {
		v.PageUp()
		v.Rows(nil, 80, 40)
		if v.cache.size > limit {
			t.Fatalf("the cache holds %d bytes", v.cache.size)
		}
	}
	listed, sum := 0, 0
	for e := v.cache.newest; e != nil; e = e.old {
		listed, sum = listed+1, sum+e.size
	}
	if listed != len(v.cache.entries) || sum != v.cache.size {
		t.Errorf("%d entries in the list, %d in the map; %d and %d bytes", listed, len(v.cache.entries), sum, v.cache.size)
	}
	// A block that changes often leaves nothing behind.
	b := block(event.BlockAnswer, "open", "")
	b.Open = true
	for range 500 {
		c := *b
		c.Text, c.Rev = b.Text.Append("more words "), b.Rev+1
		b = &c
		v.Sync(append(blocks[:100:100], b))
		v.Bottom()
		v.Rows(nil, 80, 40)
	}
	if n := len(v.cache.entries); n > listed+100 {
		t.Errorf("%d entries after 500 revisions", n)
	}
	if len(v.cache.live) != 1 {
		t.Errorf("%d live entries", len(v.cache.live))
	}
}

// TestFlowEqualsWrap feeds text in pieces and compares with breaking all of it.
func TestFlowEqualsWrap(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		a := &actor{rnd: rnd}
		text, w := "", 1+rnd.IntN(50)
		var f flow
		for range 30 {
			text += a.words(10)
			f.set([]byte(text), w)
			var whole flow
			whole.set([]byte(text), w)
			got, gotBefore := f.newest(25)
			want, wantBefore := whole.newest(25)
			if strings.Join(got, "\n") != strings.Join(want, "\n") || gotBefore != wantBefore {
				t.Fatalf("seed %d at width %d:\n%q %d\nwant\n%q %d", seed, w, got, gotBefore, want, wantBefore)
			}
		}
	}
}
