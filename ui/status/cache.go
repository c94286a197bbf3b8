package status

import (
	"strconv"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// Cache is what the status row shows of a prompt cache. It is comparable.
type Cache struct {
	// Told says that the provider has told what the cache gave, Percent is the part
	// of the newest prompt that came from it.
	Told    bool
	Percent int
	// Missed marks a call that cost more than it had to.
	Missed bool
	// Warm says that the time is known for which the prompt is kept. While a turn
	// runs Left is what is left of it; at rest Until names its end, so that nothing
	// has to be drawn as it passes. Without either the time is over.
	Warm  bool
	Left  time.Duration
	Until string
}

// CacheOf reads what is known of the cache of an agent.
func CacheOf(a *event.Agent, now time.Time) Cache {
	r := a.Cached()
	if r == nil {
		return Cache{}
	}
	c := Cache{Missed: CostMore(*r)}
	switch r.Outcome {
	case event.CacheHit, event.CachePartial, event.CacheMiss:
		c.Told, c.Percent = true, format.Percent(r.HitRate())
	}
	until := r.Until()
	if until.IsZero() || !c.Told && r.Written == 0 {
		return c
	}
	c.Warm = true
	switch left := until.Sub(now); {
	case left <= 0:
	case a.Turn != "":
		c.Left = coarse(left)
	default:
		c.Until = until.Local().Format("15:04")
	}
	return c
}

// CostMore reports whether a call cost more than it had to because the cache gave
// less than was in it. Where prices are not known, so much that it is worth a word
// counts.
func CostMore(r event.CacheReport) bool {
	return r.Lost > 0 || r.Unpriced && r.Short() >= muchMissed
}

// muchMissed is how many tokens are worth a warning whatever they cost.
const muchMissed = 10_000

// coarse drops from a countdown what would change every second: below a minute it
// goes in steps of ten.
func coarse(left time.Duration) time.Duration {
	if left < time.Minute {
		return max(left.Truncate(10*time.Second), time.Second)
	}
	return left.Truncate(time.Minute)
}

// words write the hit rate and how long the cache is warm.
func (c Cache) words() (cache, warm string) {
	if c.Told {
		cache = "cache " + strconv.Itoa(c.Percent) + "%"
	}
	if c.Missed {
		cache = "⚠ " + cache
	}
	switch {
	case !c.Warm:
	case c.Left >= time.Minute:
		warm = "warm " + strconv.Itoa(int(c.Left/time.Minute)) + "m"
	case c.Left > 0:
		warm = "warm " + strconv.Itoa(int(c.Left/time.Second)) + "s"
	case c.Until != "":
		warm = "warm until " + c.Until
	default:
		warm = "cold"
	}
	if cache == "" && warm != "" {
		warm = "cache " + warm
	}
	return cache, warm
}
