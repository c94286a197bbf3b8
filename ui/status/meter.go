package status

import (
	"math"
	"time"
)

// The constants of a [Meter].
const (
	meterMemory = 3 * time.Second        // after which a piece counts for a third
	meterFirst  = time.Second            // the shortest time a rate is judged by
	meterPause  = 5 * time.Second        // after which the measurement starts afresh
	meterHold   = 250 * time.Millisecond // a figure stands so long that it can be read
	runeTokens  = 0.25                   // tokens per character, about
)

// Meter estimates how many tokens of streamed text arrive per second, as an
// average in which older pieces count less and less. A token is taken for four
// characters. The zero value is ready. A Meter belongs to one goroutine.
type Meter struct {
	begin, last time.Time
	sum         float64 // tokens, faded to the time last
	rate        int     // as it was told at the time told
	told        time.Time
}

// Add counts a piece of text of so many characters that arrived now.
func (m *Meter) Add(now time.Time, characters int) {
	if characters <= 0 {
		return
	}
	if m.last.IsZero() || now.Sub(m.last) > meterPause {
		*m = Meter{begin: now, last: now}
	}
	m.sum = m.faded(now) + float64(characters)*runeTokens
	if now.After(m.last) {
		m.last = now
	}
}

// Rate is the estimate in tokens per second, 0 when nothing arrived lately. It
// changes at most four times a second.
func (m *Meter) Rate(now time.Time) int {
	if m.last.IsZero() || now.Sub(m.last) > meterPause {
		return 0
	}
	if m.rate > 0 && now.Sub(m.told) < meterHold {
		return m.rate
	}
	age := max(now.Sub(m.begin), meterFirst)
	// The sum of a steady rate r grows towards r times the memory; early on it
	// is judged by how far it can have come.
	weight := 1 - math.Exp(-age.Seconds()/meterMemory.Seconds())
	m.rate, m.told = int(m.faded(now)/(meterMemory.Seconds()*weight)+0.5), now
	return m.rate
}

// Reset forgets everything, as suits the start of another model call.
func (m *Meter) Reset() { *m = Meter{} }

// faded is the sum as it counts now.
func (m *Meter) faded(now time.Time) float64 {
	return m.sum * math.Exp(-max(now.Sub(m.last), 0).Seconds()/meterMemory.Seconds())
}
