package agent_test

import (
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

// counted is usage that an answer reports.
func counted(input, read, written int64) script.Usage {
	return script.Usage{Usage: providers.Usage{Input: input, CacheRead: read, CacheWrite: written, Output: 50}}
}

// cents prices calls: a cent for a thousand tokens sent, a tenth of that for those
// read from a cache, and a quarter more for those written into it.
func cents(u providers.Usage) event.Bill {
	const each = event.Dollar / 100 / 1000
	cost := each*event.Money(u.Input) + each/10*event.Money(u.CacheRead) + each*5/4*event.Money(u.CacheWrite)
	return event.Bill{Cost: cost, Status: event.CostEstimated, Saved: each * 9 / 10 * event.Money(u.CacheRead)}
}

// cachedFor has prompts kept so long, and calls priced.
func cachedFor(d time.Duration) option {
	return func(c *agent.Config) {
		c.Runtime.Model.CacheSeconds = int(d / time.Second)
		c.Runtime.Price = cents
	}
}

// reports are what was said about the cache, by the journal as well.
func (r *rig) reports(want int) []event.CacheReport {
	r.t.Helper()
	list := r.state.Root().Cache
	if len(list) != want {
		r.t.Fatalf("%d reports, want %d: %+v", len(list), want, list)
	}
	stored := r.revive().State.Root().Cache
	for i := range list {
		if a, b := list[i], stored[i]; !a.Sent.Equal(b.Sent) || a.Outcome != b.Outcome || a.Change != b.Change || a.Lost != b.Lost {
			r.t.Errorf("live %+v, stored %+v", a, b)
		}
	}
	return list
}

// TestDearerIsSaidBefore says once for each size that a request is so large that it costs
// more, before it is made.
func TestDearerIsSaidBefore(t *testing.T) {
	sizes := []int{0, 200_000, 200_000, 0, 272_000}
	r := newRig(t, rounds(
		steps(script.Text{Text: "One."}), steps(script.Text{Text: "Two."}), steps(script.Text{Text: "Three."}), steps(script.Text{Text: "Four."}), steps(script.Text{Text: "Five."}),
	), func(cfg *agent.Config) {
		n := -1
		cfg.Runtime.Dearer = func(int) int { n++; return sizes[n] }
	})
	for n := range sizes {
		r.submit("go")
		r.idle(n + 1)
	}
	var got []string
	for _, b := range r.state.Root().Blocks {
		switch text := b.Text.String(); {
		case strings.Contains(text, "cost more"):
			got = append(got, text[strings.Index(text, "more than"):strings.Index(text, " cost more")])
		case strings.HasSuffix(text, "."):
			got = append(got, text)
		}
	}
	if want := "One. more than 200,000 Two. Three. Four. more than 272,000 Five."; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
}

// TestCacheIsExplained follows a conversation whose provider tells of its cache:
// what it gave, what a miss cost more, and that nothing had changed.
func TestCacheIsExplained(t *testing.T) {
	r := newRig(t, rounds(
		steps(counted(10, 0, 20_000), call("todo", map[string]any{})),
		steps(counted(100, 20_000, 1000), call("todo", map[string]any{})),
		steps(counted(0, 0, 22_000), script.Text{Text: "Done."}),
	), cachedFor(5*time.Minute))
	r.submit("go")
	r.idle(1)
	list := r.reports(3)
	for i, want := range []struct {
		outcome event.CacheOutcome
		cause   event.CacheCause
		lost    bool
	}{{event.CacheNone, event.CacheFirst, false}, {event.CacheHit, "", false}, {event.CacheMiss, event.CacheDropped, true}} {
		if c := list[i]; c.Outcome != want.outcome || c.Cause != want.cause || c.Change != "" || (c.Lost > 0) != want.lost || c.Keep != 5*time.Minute {
			t.Errorf("call %d: %+v", i, c)
		}
	}
	// 21,100 tokens were there and were written instead of read: 1.15 cents a thousand.
	if got, want := list[2].Lost, event.Dollar/100/1000*115/100*21_100; got != want {
		t.Errorf("the miss cost %d more, want %d", got, want)
	}
	if u := r.state.Root().Usage; u.Saved == 0 || u.HitRate() < 0.3 {
		t.Errorf("%+v", u)
	}
	for _, e := range r.log {
		if u, ok := e.(*event.UsageUpdated); ok && u.Final && u.CostStatus != event.CostEstimated {
			t.Errorf("cost is %q", u.CostStatus)
		}
	}
}

// TestCacheNamesWhatChanged switches the model between turns and shortens the
// history before another.
func TestCacheNamesWhatChanged(t *testing.T) {
	r := newRig(t, say(counted(100, 0, 30_000), script.Text{Text: strings.Repeat("An answer of some length. ", 400)}), cachedFor(time.Hour))
	r.submit("one")
	r.idle(1)
	rt := r.conv.Runtime()
	rt.Model.Name = "other"
	if err := r.conv.SetRuntime(rt); err != nil {
		t.Fatal(err)
	}
	r.submit("two")
	r.idle(2)
	if _, err := r.conv.SetEffort("high"); err != nil {
		t.Fatal(err)
	}
	r.submit("three")
	r.idle(3)
	list := r.reports(3)
	if c := list[1]; c.Cause != event.CacheModel || c.Change != "other answers instead of model" || c.Model != "other" {
		t.Errorf("%+v", c)
	}
	if c := list[2]; c.Cause != event.CacheSettings || !strings.Contains(c.Change, "reasoning effort changed from the usual to high") {
		t.Errorf("%+v", c)
	}
}

// TestCacheNamesTheFirstToolThatWent sends the last call of a turn without tools.
func TestCacheNamesTheFirstToolThatWent(t *testing.T) {
	r := newRig(t, rounds(
		steps(counted(10, 0, 20_000), call("todo", map[string]any{})),
		steps(counted(21_000, 0, 0), script.Text{Text: "That is all."}),
	), cachedFor(time.Hour), withBudget(1))
	r.submit("go")
	r.idle(1)
	if c := r.reports(2)[1]; c.Cause != event.CacheTools || c.Change != "it was sent without tools" || c.Expected != 0 {
		t.Errorf("%+v", c)
	}
}

// TestCacheOfARetry counts a request that was sent again as one.
func TestCacheOfARetry(t *testing.T) {
	r := newRig(t, rounds(
		steps(script.Failure{Status: 500, Message: "oops"}),
		steps(counted(10, 0, 20_000), script.Text{Text: "Done."}),
	), cachedFor(time.Hour), patient(3))
	r.submit("go")
	r.idle(1)
	if c := r.reports(1)[0]; c.Outcome != event.CacheNone || c.Cause != event.CacheFirst || c.Written != 20_000 {
		t.Errorf("%+v", c)
	}
}
