package usage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/usage"
)

var (
	styles = rows.NewStyles(themes.Dark())
	widths = []int{34, 56, 86, 132}
	start  = time.Date(2026, 3, 4, 14, 20, 0, 0, time.Local)
)

const cent = event.Dollar / 100

// talk is a conversation that something is known of.
type talk struct {
	s   event.State
	now time.Time
	sum map[event.AgentID]event.Usage
}

func newTalk() *talk {
	t := &talk{now: start, sum: map[event.AgentID]event.Usage{}}
	t.spawn("root", "", event.RoleRoot, "")
	return t
}

func (t *talk) spawn(id, parent event.AgentID, role, goal string) {
	depth := 0
	for a := t.s.Agent(parent); a != nil && depth < 9; a = t.s.Agent(a.Parent) {
		depth++
	}
	t.s.Apply(&event.AgentSpawned{Meta: event.Meta{Agent: id, At: t.now}, Parent: parent, Depth: depth, Role: role, Goal: goal})
}

// call adds a model call.
func (t *talk) call(id event.AgentID, u event.Usage, r event.CacheReport) {
	t.now = t.now.Add(40 * time.Second)
	u.Calls = 1
	t.sum[id] = t.sum[id].Plus(u)
	r.Sent, r.Prompt, r.Read, r.Written, r.Saved, r.Model = t.now, u.Prompt(), u.CacheRead, u.CacheWrite, u.Saved, "opus"
	t.s.Apply(&event.UsageUpdated{Meta: event.Meta{Agent: id, At: t.now}, Usage: t.sum[id], Final: true, Cache: &r})
}

const keep = 5 * time.Minute

// busy has hits, misses for several causes and two agents below the root.
func busy() *talk {
	t := newTalk()
	t.call("root", event.Usage{Input: 12, CacheWrite: 61_000, Output: 900, Cost: 38 * cent, Saved: -8 * cent}, event.CacheReport{Outcome: event.CacheNone, Cause: event.CacheFirst, Keep: keep})
	t.call("root", event.Usage{Input: 300, CacheRead: 61_000, CacheWrite: 2000, Output: 400, Reasoning: 120, Cost: 5 * cent, Saved: 27 * cent}, event.CacheReport{Outcome: event.CacheHit, Keep: keep, Had: 61_012})
	t.spawn("a", "root", event.RoleLeaf, "read the WAL docs")
	t.spawn("b", "root", event.RoleOrchestrator, "bisect the history between the last two releases and say which commit it was")
	t.spawn("c", "b", event.RoleLeaf, "build \x1b[31mevery\x1b[m commit 漢字")
	t.call("a", event.Usage{Input: 800, Output: 20, Included: 1}, event.CacheReport{Outcome: event.CacheSilent, Cause: event.CacheUntold})
	t.call("c", event.Usage{Input: 900, Output: 10, Unpriced: 1}, event.CacheReport{Outcome: event.CacheNone, Cause: event.CacheSmall, Keep: keep, Unpriced: true})
	t.call("root", event.Usage{CacheWrite: 64_000, Output: 100, Cost: 40 * cent}, event.CacheReport{
		Outcome: event.CacheMiss, Cause: event.CacheTools, Change: "tool terminal changed its description", Keep: keep, Had: 63_300, Lost: 36 * cent,
	})
	t.call("root", event.Usage{Input: 40_000, CacheRead: 20_000, CacheWrite: 4000, Output: 100, Cost: 20 * cent}, event.CacheReport{
		Outcome: event.CachePartial, Cause: event.CacheHistory, Change: "message 14 (tool result of read_file) was shortened", Keep: keep, Had: 64_000, Lost: 12 * cent,
	})
	t.call("root", event.Usage{CacheWrite: 66_000, Output: 100, Cost: 41 * cent}, event.CacheReport{
		Outcome: event.CacheMiss, Cause: event.CacheExpired, Idle: 12 * time.Minute, Keep: keep, Had: 64_000, Lost: 37 * cent,
	})
	t.call("root", event.Usage{CacheWrite: 66_500, Output: 100, Cost: 41 * cent}, event.CacheReport{Outcome: event.CacheMiss, Cause: event.CacheDropped, Keep: keep, Had: 66_000, Lost: 37 * cent})
	return t
}

// golden draws at every width and checks that no line is too long.
func golden(t *testing.T, name string, draw func(w int) string) {
	t.Helper()
	var out []string
	for _, w := range widths {
		out = append(out, fmt.Sprintf("%d:", w))
		for _, l := range strings.Split(draw(w), "\n") {
			if rows.Width(l) > w {
				t.Errorf("%s: %d cells of %d: %q", name, rows.Width(l), w, l)
			}
			out = append(out, ansi.Strip(l)+"|")
		}
	}
	celltest.Golden(t, name+".txt", out, os.WriteFile)
}

func TestGolden(t *testing.T) {
	one, cold, silent := newTalk(), newTalk(), newTalk()
	one.call("root", event.Usage{CacheRead: 30_000, Input: 500, Output: 60, Actual: 1, Cost: 2 * cent, Saved: 13 * cent}, event.CacheReport{Outcome: event.CacheHit, Keep: time.Hour, Had: 30_000})
	cold.call("root", event.Usage{CacheWrite: 30_000, Output: 60, Cost: 2 * cent, Saved: -cent}, event.CacheReport{Outcome: event.CacheNone, Cause: event.CacheFirst, Keep: keep})
	cold.now = cold.now.Add(time.Hour)
	silent.call("root", event.Usage{Input: 9000, Output: 60, Unpriced: 1}, event.CacheReport{Outcome: event.CacheSilent, Cause: event.CacheUntold})
	for name, k := range map[string]*talk{"busy": busy(), "none": newTalk(), "one": one, "cold": cold, "silent": silent} {
		golden(t, "cache-"+name, func(w int) string { return usage.Cache(&k.s, k.now.Add(5*time.Second), w, styles) })
		golden(t, "usage-"+name, func(w int) string { return usage.Usage(&k.s, w, styles) })
	}
}

// TestRepeatedReason says once of calls that follow each other why a cache gave nothing.
func TestRepeatedReason(t *testing.T) {
	k := newTalk()
	for range 5 {
		k.call("root", event.Usage{Input: 9000, Output: 60, Unpriced: 1}, event.CacheReport{Outcome: event.CacheSilent, Cause: event.CacheUntold})
	}
	if text := ansi.Strip(usage.Cache(&k.s, k.now, 100, styles)); strings.Count(text, "The provider reports nothing about a cache") != 1 || strings.Count(text, "unknown  ") != 5 {
		t.Error(text)
	}
}

// TestWarm reports whether there is a countdown.
func TestWarm(t *testing.T) {
	k := busy()
	if !usage.Warm(&k.s, k.now) || usage.Warm(&k.s, k.now.Add(keep)) || usage.Warm(&newTalk().s, start) {
		t.Error("wrong about a countdown")
	}
}

// TestSums holds that the rows of a table and its last one add up, however agents
// stand below each other, and that each is listed once.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		k := newTalk()
		ids := []event.AgentID{"root"}
		for i := range r.IntN(12) {
			id := event.AgentID(fmt.Sprint("a", i))
			k.spawn(id, ids[r.IntN(len(ids))], event.RoleLeaf, fmt.Sprintf("goal-%d.", i))
			ids = append(ids, id)
			k.call(id, event.Usage{Input: 1000, Cost: cent}, event.CacheReport{Outcome: event.CacheNone})
		}
		k.call("root", event.Usage{Input: 1000, Cost: cent}, event.CacheReport{Outcome: event.CacheNone})
		text := ansi.Strip(usage.Usage(&k.s, 140, styles))
		all := fmt.Sprintf("~$0.%02d", len(ids))
		for _, l := range strings.Split(text, "\n") {
			if strings.HasPrefix(l, "Total") && !strings.Contains(l, all) {
				t.Fatalf("want %s:\n%s", all, text)
			}
			if strings.HasPrefix(l, "  = with") && !strings.Contains(l, all) {
				t.Fatalf("below the root, want %s:\n%s", all, text)
			}
		}
		for i := range ids[1:] {
			if strings.Count(text, fmt.Sprintf("goal-%d.", i)) != 1 {
				t.Fatalf("goal %d is not there once:\n%s", i, text)
			}
		}
	}
}

// TestAnyState draws states that no program makes, at all widths, with text that
// would do harm.
func TestAnyState(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	hostile := "\x1b[2J\x1b]0;x\a\r\nnext\t\u202e漢字👩‍👩‍👧é" + strings.Repeat("x", 500)
	outcomes := []event.CacheOutcome{event.CacheHit, event.CachePartial, event.CacheMiss, event.CacheNone, event.CacheSilent, "new"}
	causes := []event.CacheCause{"", event.CacheFirst, event.CacheTools, event.CacheExpired, event.CacheDropped, "new"}
	for range 400 {
		k := newTalk()
		for i := range r.IntN(5) {
			k.spawn(event.AgentID(fmt.Sprint(i)), event.AgentID(fmt.Sprint(r.IntN(6))), hostile[r.IntN(9):], hostile[r.IntN(9):])
		}
		for range r.IntN(40) {
			n := func() int64 { return r.Int64() >> r.IntN(64) }
			k.call(event.AgentID(fmt.Sprint(r.IntN(6))), event.Usage{Input: n(), Output: n(), CacheRead: n(), Cost: event.Money(n()), Saved: event.Money(n()), Unpriced: n() & 1}, event.CacheReport{
				Outcome: outcomes[r.IntN(len(outcomes))], Cause: causes[r.IntN(len(causes))], Change: hostile[r.IntN(9):],
				Idle: time.Duration(n()), Keep: time.Duration(n()), Had: n(), Lost: event.Money(n()),
			})
		}
		w := 4 + r.IntN(150)
		for _, text := range []string{usage.Cache(&k.s, k.now, w, styles), usage.Usage(&k.s, w, styles)} {
			for _, l := range strings.Split(text, "\n") {
				if rows.Width(l) > w || strings.ContainsAny(ansi.Strip(l), "\x1b\a\r\t\u202e") {
					t.Fatalf("%d cells of %d: %q", rows.Width(l), w, l)
				}
			}
		}
	}
	usage.Cache(&event.State{}, start, 80, styles)
	usage.Usage(&event.State{}, 80, styles)
}

// TestManyAgents bounds what is listed.
func TestManyAgents(t *testing.T) {
	k := newTalk()
	for i := range 300 {
		id := event.AgentID(fmt.Sprint("a", i))
		k.spawn(id, "root", event.RoleLeaf, "look")
		k.call(id, event.Usage{Input: 1000, Cost: cent}, event.CacheReport{Outcome: event.CacheNone})
	}
	for _, text := range []string{usage.Usage(&k.s, 140, styles), usage.Usage(&k.s, 50, styles), usage.Cache(&k.s, k.now, 140, styles)} {
		if n := strings.Count(text, "\n"); n > 700 || !strings.Contains(text, "more rows") {
			t.Errorf("%d lines", n)
		}
	}
}

// BenchmarkCache writes what is known of a hundred agents.
func BenchmarkCache(b *testing.B) {
	k := newTalk()
	for i := range 100 {
		id := event.AgentID(fmt.Sprint("a", i))
		k.spawn(id, "root", event.RoleLeaf, "look")
		for range 20 {
			k.call(id, event.Usage{Input: 1000, CacheRead: 9000, Cost: cent}, event.CacheReport{Outcome: event.CacheHit, Keep: keep})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		usage.Cache(&k.s, k.now, 140, styles)
	}
}

func TestCommands(t *testing.T) {
	k := newTalk()
	k.call("root", event.Usage{Input: 900, Output: 60}, event.CacheReport{})
	if text := usage.Usage(&k.s, 86, styles); strings.Contains(text, "confined") {
		t.Errorf("nothing ran:\n%s", text)
	}
	for i, ran := range []string{event.RanConfined, event.RanConfined, event.RanOutside, ""} {
		id := event.CallID(strconv.Itoa(i))
		k.s.Apply(&event.MessageCommitted{Meta: event.Meta{Agent: "root", Turn: "t", At: k.now}, Role: event.RoleAssistant, Calls: []event.CallHead{{Call: id}}})
		k.s.Apply(&event.ToolStarted{Meta: event.Meta{Agent: "root", Turn: "t", At: k.now}, Call: id, View: event.CallView{Name: "terminal"}})
		if ran == event.RanOutside {
			k.s.Apply(&event.Requested{Meta: event.Meta{Agent: "root", Turn: "t", At: k.now}, Request: event.Request{ID: "r", Agent: "root", Kind: event.RequestApproval, Call: id, Approval: &event.Approval{}}})
			k.s.Apply(&event.RequestResolved{Meta: event.Meta{Agent: "root", Turn: "t", At: k.now}, Request: "r", Answer: event.Answer{Choice: event.ChoiceOnce}})
		}
		k.s.Apply(&event.ToolFinished{Meta: event.Meta{Agent: "root", Turn: "t", At: k.now}, Call: id, Outcome: event.OutcomeOK, View: event.CallView{Name: "terminal", Ran: ran}})
	}
	for _, w := range widths {
		if text := strings.Join(strings.Fields(ansi.Strip(usage.Usage(&k.s, w, styles))), " "); !strings.Contains(text, "2 confined · 1 outside · asked about 1 call") {
			t.Errorf("%d cells:\n%s", w, text)
		}
	}
}

// TestBeside lists calls beside the session, on every width.
func TestBeside(t *testing.T) {
	if got := usage.Beside(nil, 80, styles); got != "" {
		t.Errorf("without any: %q", got)
	}
	var title, judge app.SideUse
	title.Task, title.Calls, title.By, title.Link = "title_generation", 2, "box:8080/small", 2
	title.Err, title.Usage = "main/big: rate limit", event.Usage{Input: 1200, Output: 30, Cost: cent}
	judge.Task, judge.Failed = "approval", 1
	for _, w := range widths {
		text := strings.Join(strings.Fields(ansi.Strip(usage.Beside([]app.SideUse{title, judge}, w, styles))), " ")
		for _, part := range []string{"title_generation · 2 calls · 1.2k in, 30 out · ~$0.01", "box:8080/small, link 2 of auxiliary.title_generation", "failed last: main/big: rate limit", "approval · 0 calls, 1 without an answer"} {
			if !strings.Contains(text, part) {
				t.Errorf("at %d cells %q lacks %q", w, text, part)
			}
		}
	}
}

// TestUncounted marks figures of services that do not say what calls used.
func TestUncounted(t *testing.T) {
	k := newTalk()
	k.call("root", event.Usage{Input: 4000, Output: 20}, event.CacheReport{})
	if text := ansi.Strip(usage.Usage(&k.s, 140, styles)); strings.Contains(text, "~4") || strings.Contains(text, "did not say") {
		t.Errorf("what was counted:\n%s", text)
	}
	k.call("root", event.Usage{Input: 5000, Output: 30, Uncounted: 1}, event.CacheReport{})
	for _, w := range []int{60, 160} {
		text := strings.Join(strings.Fields(ansi.Strip(usage.Usage(&k.s, w, styles))), " ")
		for _, want := range []string{"~9k", "~50", "For 1 call the service did not say how many tokens were used"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: no %q in\n%s", w, want, text)
			}
		}
	}
}
