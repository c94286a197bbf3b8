package event

import (
	"slices"
	"testing"
	"time"
)

// TestCacheReports keeps the newest reports of each agent, and lists that were
// handed out as they were.
func TestCacheReports(t *testing.T) {
	st := &State{}
	st.Apply(&AgentSpawned{Meta: Meta{Agent: "a"}})
	if st.Root().Cached() != nil {
		t.Error("a report without a call")
	}
	var held [][]CacheReport
	for i := range 3 * CacheReports {
		st.Apply(&UsageUpdated{Meta: Meta{Agent: "a"}, Final: true, Cache: &CacheReport{Prompt: int64(i)}})
		st.Apply(&UsageUpdated{Meta: Meta{Agent: "a"}}) // a tick
		held = append(held, slices.Clone(st.Root().Cache), st.Root().Cache)
	}
	a := st.Root()
	if len(a.Cache) != CacheReports || a.Cached().Prompt != 3*CacheReports-1 || a.Cache[0].Prompt != 2*CacheReports {
		t.Errorf("%d reports, from %d to %d", len(a.Cache), a.Cache[0].Prompt, a.Cached().Prompt)
	}
	for i := 0; i < len(held); i += 2 {
		if !slices.Equal(held[i], held[i+1]) {
			t.Fatalf("list %d changed in place", i/2)
		}
	}
}

func TestCacheReport(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name  string
		r     CacheReport
		until time.Time
		rate  float64
		short int64
	}{
		{"nothing", CacheReport{}, time.Time{}, 0, 0},
		{"a hit", CacheReport{Outcome: CacheHit, Prompt: 100, Read: 75, Had: 80, Sent: at, Keep: time.Minute}, at.Add(time.Minute), 0.75, 0},
		{"a miss", CacheReport{Outcome: CacheMiss, Prompt: 100, Had: 80, Sent: at, Keep: time.Minute}, at.Add(time.Minute), 0, 80},
		{"a shorter prompt", CacheReport{Outcome: CachePartial, Prompt: 50, Read: 10, Had: 80, Sent: at}, time.Time{}, 0.2, 40},
		{"a first one", CacheReport{Outcome: CacheNone, Cause: CacheFirst, Prompt: 9, Written: 9, Sent: at, Keep: time.Second}, at.Add(time.Second), 0, 0},
		{"too small", CacheReport{Outcome: CacheNone, Cause: CacheSmall, Prompt: 9, Sent: at, Keep: time.Second}, time.Time{}, 0, 0},
		{"silent", CacheReport{Outcome: CacheSilent, Prompt: 9, Sent: at, Keep: time.Second}, time.Time{}, 0, 0},
		{"more read than sent", CacheReport{Outcome: CacheHit, Prompt: 9, Read: 90}, time.Time{}, 1, 0},
	} {
		if c.r.Until() != c.until || c.r.HitRate() != c.rate || c.r.Short() != c.short {
			t.Errorf("%s: %v, %v, %d", c.name, c.r.Until(), c.r.HitRate(), c.r.Short())
		}
	}
}
