package sessions

import (
	"fmt"
	"testing"
	"time"
)

// TestSpentByDay sums up sessions of two days, one before, and one without a call.
func TestSpentByDay(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	zone := time.FixedZone("east", 2*60*60)
	at := func(day, hour int) float64 { return float64(time.Date(2026, 3, day, hour, 0, 0, 0, zone).Unix()) }
	add := func(id string, began float64, calls, in, read, out int, cost float64) {
		raw(t, path, fmt.Sprintf("INSERT INTO sessions (id, source, started_at, api_call_count, input_tokens, cache_read_tokens, output_tokens, estimated_cost_usd) "+
			"VALUES ('%s', 'cli', %f, %d, %d, %d, %d, %f)", id, began, calls, in, read, out, cost))
	}
	add("a", at(1, 12), 9, 9, 9, 9, 9)
	add("b", at(2, 0), 1, 10, 5, 2, 0.25)
	add("c", at(2, 23), 2, 100, 0, 20, 0.5)
	add("d", at(3, 1), 0, 0, 0, 0, 0)
	add("e", at(4, 1), 1, 7, 0, 1, 0)
	add("f", at(4, 2), 1, 3, 0, 1, 0)
	raw(t, path, "INSERT INTO tui_links (session, conv, why) VALUES ('f', 'c', 'subagent')")
	days, err := d.SpentByDay(t.Context(), time.Date(2026, 3, 2, 0, 0, 0, 0, zone))
	if err != nil || len(days) != 2 {
		t.Fatalf("%+v, %v", days, err)
	}
	want := []Spent{
		{Sessions: 2, Calls: 3, Input: 115, Output: 22, CostUSD: 0.75, Day: time.Date(2026, 3, 2, 0, 0, 0, 0, zone)},
		{Sessions: 1, Calls: 2, Input: 10, Output: 2, Day: time.Date(2026, 3, 4, 0, 0, 0, 0, zone)},
	}
	for i, w := range want {
		if got := days[i]; !got.Day.Equal(w.Day) || got.Sessions != w.Sessions || got.Calls != w.Calls || got.Input != w.Input || got.Output != w.Output || got.CostUSD != w.CostUSD {
			t.Errorf("%+v, want %+v", got, w)
		}
	}
}
