package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/status"
)

// TestCacheOf reads what the newest call got from a cache, and how long it is warm:
// while a turn runs and at rest.
func TestCacheOf(t *testing.T) {
	sent := time.Date(2026, 3, 4, 14, 27, 0, 0, time.Local)
	hit := event.CacheReport{Outcome: event.CacheHit, Prompt: 1000, Read: 870, Keep: 5 * time.Minute, Sent: sent}
	missed := event.CacheReport{Outcome: event.CacheMiss, Prompt: 40_000, Had: 39_000, Sent: sent}
	filled := event.CacheReport{Outcome: event.CacheNone, Cause: event.CacheFirst, Prompt: 1000, Written: 990, Keep: time.Hour, Sent: sent}
	lost, unpriced := missed, missed
	lost.Lost, unpriced.Unpriced = 1, true
	for _, c := range []struct {
		name string
		r    *event.CacheReport
		turn event.TurnID
		at   time.Duration
		want string
	}{
		{"no call", nil, "", 0, ""},
		{"at rest", &hit, "", time.Minute, "cache 87% · warm until 14:32"},
		{"at work", &hit, "t", 59 * time.Second, "cache 87% · warm 4m"},
		{"nearly over", &hit, "t", 4*time.Minute + 21*time.Second, "cache 87% · warm 30s"},
		{"the last moment", &hit, "t", 4*time.Minute + 59*time.Second, "cache 87% · warm 1s"},
		{"over", &hit, "t", 5 * time.Minute, "cache 87% · cold"},
		{"over, at rest", &hit, "", time.Hour, "cache 87% · cold"},
		{"filled", &filled, "", 0, "cache warm until 15:27"},
		{"filled, at work", &filled, "t", 0, "cache warm 60m"},
		{"missed, and it cost nothing", &missed, "", 0, "cache 0%"},
		{"missed, and it cost more", &lost, "", 0, "⚠ cache 0%"},
		{"missed, and nobody knows what it cost", &unpriced, "", 0, "⚠ cache 0%"},
		{"silent", &event.CacheReport{Outcome: event.CacheSilent, Prompt: 9, Keep: time.Hour, Sent: sent}, "", 0, ""},
		{"too small", &event.CacheReport{Outcome: event.CacheNone, Cause: event.CacheSmall, Prompt: 9, Keep: time.Hour, Sent: sent}, "", 0, ""},
	} {
		a := &event.Agent{Turn: c.turn}
		if c.r != nil {
			a.Cache = []event.CacheReport{*c.r}
		}
		d := status.Status{Cache: status.CacheOf(a, sent.Add(c.at)), Phase: event.PhaseIdle}
		row := strings.TrimSpace(ansi.Strip(status.Row(styles, 90, d, nil)))
		if got := strings.TrimSpace(strings.TrimPrefix(row, "○ ready")); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestStatusYields holds the order in which parts of the status row make room.
func TestStatusYields(t *testing.T) {
	d := status.Status{
		Phase: event.PhaseAnswering, Elapsed: 41 * time.Second, Rate: 118, Input: 61_000, Output: 4_000, Queue: 2, Cost: "~$0.42",
		Cache: status.Cache{Told: true, Percent: 87, Warm: true, Left: 4 * time.Minute},
	}
	order := []string{"warm 4m", "cache 87%", "? keys", "f6 panes", "~$0.42", "61k in", "118 tok/s", "esc interrupt", "2 queued"}
	holds := func(order []string) {
		t.Helper()
		for w := 160; w > 20; w-- {
			row := ansi.Strip(status.Row(styles, w, d, hints))
			gone := 0
			for gone < len(order) && !strings.Contains(row, order[gone]) {
				gone++
			}
			for _, part := range order[gone:] {
				if !strings.Contains(row, part) {
					t.Fatalf("at %d cells %q went before %q: %q", w, part, order[gone], row)
				}
			}
		}
	}
	holds(order)
	d.Cache.Missed = true
	holds([]string{"warm 4m", "? keys", "f6 panes", "~$0.42", "⚠ cache 87%", "61k in", "118 tok/s", "esc interrupt", "2 queued"})
}
