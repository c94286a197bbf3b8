package pricing

import (
	"time"

	"hermes-tui/providers"
)

// Status says how an amount is known.
type Status string

// The statuses, the best known first.
const (
	Actual    Status = "actual"    // the service said so
	Estimated Status = "estimated" // tokens times a list of prices, or the user's own
	Included  Status = "included"  // nothing: own machine, subscription, free of charge
	Unknown   Status = "unknown"
)

// Rates are prices in trillionths of a dollar per token; [Missing] is one that is
// not known.
type Rates struct {
	Input, Output, CacheRead, CacheWrite int64
}

// tier is the rates of requests whose prompt has more than above tokens.
type tier struct {
	above int64
	rates
}

// rates are [Rates] with both prices for writing into a cache.
type rates struct {
	input, output, read, write, long int64
}

// Price is what a model costs somewhere at some time. The zero value is unknown.
type Price struct {
	// Status is [Estimated], [Included] or [Unknown].
	Status Status
	// Model is the entry of the list that holds, "" without one.
	Model string
	// Source is the address of the price list, or the key of the setting.
	Source string
	// Checked is the day of the price list, zero for a setting.
	Checked time.Time

	tiers []tier // by above, falling; never changed
	long  bool   // cache entries are written for the longer time
}

// Rates gives the prices for a prompt of so many tokens, caches included; they are
// all missing when nothing is known and all 0 when the call is paid for.
func (p Price) Rates(prompt int64) Rates {
	switch p.Status {
	case Included:
		return Rates{}
	case Estimated:
		for _, t := range p.tiers {
			if prompt > t.above {
				r := Rates{t.input, t.output, t.read, t.write}
				if p.long {
					r.CacheWrite = t.long
				}
				return r
			}
		}
	}
	return Rates{Missing, Missing, Missing, Missing}
}

// Dearer is the size that a prompt of so many tokens is beyond, and so costs more than a
// smaller one does; 0 if there is none.
func (p Price) Dearer(prompt int64) int64 {
	for _, t := range p.tiers {
		if prompt > t.above {
			return max(t.above, 0)
		}
	}
	return 0
}

// Cost gives what one call costs. Counts below 0 are taken for 0. It is additive
// for calls at the same rates.
func (p Price) Cost(u providers.Usage) (int64, Status) {
	if p.Status == Included {
		return 0, Included
	}
	u = sane(u)
	r := p.Rates(prompt(u))
	total := int64(0)
	for _, part := range [...]struct{ tokens, price int64 }{
		{u.Input, r.Input}, {u.Output, r.Output}, {u.CacheRead, r.CacheRead}, {u.CacheWrite, r.CacheWrite},
	} {
		switch {
		case part.tokens == 0:
		case part.price == Missing:
			return 0, Unknown
		default:
			total = plus(total, times(part.tokens, part.price))
		}
	}
	if p.Status != Estimated { // no tokens, and nothing known about them
		return 0, Unknown
	}
	return total, Estimated
}

// Saved gives how much less the call cost than without a cache; it is negative
// when what was written was worth more than what was read. It is not known
// without the prices of everything that was sent.
func (p Price) Saved(u providers.Usage) (amount int64, known bool) {
	if p.Status == Included {
		return 0, true
	}
	u = sane(u)
	r := p.Rates(prompt(u))
	if p.Status != Estimated || r.Input == Missing || u.CacheRead > 0 && r.CacheRead == Missing || u.CacheWrite > 0 && r.CacheWrite == Missing {
		return 0, false
	}
	without := times(plus(u.CacheRead, u.CacheWrite), r.Input)
	with := plus(times(u.CacheRead, max(r.CacheRead, 0)), times(u.CacheWrite, max(r.CacheWrite, 0)))
	return without - with, true // both are at least 0: no overflow
}

// prompt is [providers.Usage.Prompt] without overflow.
func prompt(u providers.Usage) int64 { return plus(u.Input, plus(u.CacheRead, u.CacheWrite)) }

func sane(u providers.Usage) providers.Usage {
	u.Input, u.Output = max(u.Input, 0), max(u.Output, 0)
	u.CacheRead, u.CacheWrite = max(u.CacheRead, 0), max(u.CacheWrite, 0)
	return u
}
