package cachediff

import (
	"hash/maphash"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

// Tracker follows the requests of one agent.
type Tracker struct {
	// Steers reports whether a change from one effort to another leaves the cache as it is;
	// nil if none does.
	Steers func(from, to string) bool

	hash hasher
	// last is the newest request that was answered.
	last fingerprint
	// next is the one under way.
	next  fingerprint
	begun bool // there is a last one
	sent  bool // there is a next one
	// reporting is where a cache has shown figures.
	reporting Endpoint
}

// Sizes in tokens.
const (
	// leastCached is what no provider caches less of, mostCached what some models
	// want at least.
	leastCached, mostCached = 1024, 4096
	// slack is what a hit may fall short of what there was: caches work in blocks,
	// and the end of a prompt is not always kept.
	slack = 256
)

// Sent takes note of a request that is about to be sent. It is compared with the
// newest one that was answered; a request that is sent once more replaces the
// attempt before it. keep is how long the provider keeps a prompt, 0 if unknown.
func (t *Tracker) Sent(to Endpoint, keep time.Duration, r *providers.Request, at time.Time) {
	if (t.hash == hasher{}) {
		t.hash.seed = maphash.MakeSeed()
	}
	t.next.take(t.hash, r, &t.last)
	at = at.Round(0) // providers count on while this machine sleeps
	t.next.at, t.next.endpoint, t.next.keep = at, to, keep
	t.sent = true
}

// Answered takes note of the usage of the answer to the request that was sent last,
// nil if the provider gave none, and says what the cache gave. Without a request
// there is no report.
func (t *Tracker) Answered(u *providers.Usage) (event.CacheReport, bool) {
	if !t.sent {
		return event.CacheReport{}, false
	}
	now, was := &t.next, &t.last
	r := event.CacheReport{Model: now.endpoint.Model, Sent: now.at, Keep: now.keep}
	var d difference
	if t.begun {
		r.Idle = max(now.at.Sub(was.at), 0)
		r.Had = was.prompt
		d = compare(was, now)
		if d.cause == event.CacheSettings && t.steered(was.settings, now.settings) {
			d = compareMessages(was, now, d.kept)
		}
		r.Change, r.Expected = clip(d.words), expected(was, d)
	}
	if u != nil {
		r.Prompt, r.Read, r.Written = u.Prompt(), u.CacheRead, u.CacheWrite
		now.prompt, now.cached = r.Prompt, r.Read+r.Written > 0
		if now.cached {
			t.reporting = now.endpoint
		}
	}
	r.Outcome, r.Cause = t.judge(r, d, u != nil)
	t.last, t.next = t.next, t.last
	t.next.forget()
	t.begun, t.sent = true, false
	return r, true
}

// steered reports whether nothing but an effort changed that the cache does not mind.
func (t *Tracker) steered(was, now settings) bool {
	from := was.effort
	was.effort = now.effort
	return was == now && t.Steers != nil && t.Steers(from, now.effort)
}

// expected is how much of the request before the next one begins with.
func expected(was *fingerprint, d difference) int64 {
	if d.cause == "" {
		return was.prompt
	}
	all := was.bytes()
	if all == 0 {
		return 0
	}
	return int64(float64(was.prompt) * float64(min(d.kept, all)) / float64(all))
}

// judge says what the cache gave and why.
func (t *Tracker) judge(r event.CacheReport, d difference, counted bool) (event.CacheOutcome, event.CacheCause) {
	now := &t.next
	gone := now.keep > 0 && r.Idle > now.keep
	silent := r.Read+r.Written == 0 && t.reporting != now.endpoint
	switch {
	case !counted || r.Prompt == 0:
		return event.CacheSilent, event.CacheUntold
	case r.Read > 0 && r.Had == 0:
		return event.CacheHit, ""
	case !t.begun:
		return event.CacheNone, event.CacheFirst
	case r.Had == 0:
		return event.CacheNone, event.CacheUntold
	case silent && (now.keep == 0 || d.cause == "" && !gone && r.Had >= mostCached):
		return event.CacheSilent, event.CacheUntold
	}
	there := min(r.Had, r.Prompt)
	switch {
	case r.Read >= there-max(there/10, slack) && r.Read > 0:
		return event.CacheHit, ""
	case r.Read == 0 && t.small(there, d.cause == "" && !gone):
		return event.CacheNone, event.CacheSmall
	}
	outcome := event.CacheMiss
	if r.Read > 0 {
		outcome = event.CachePartial
	}
	return outcome, cause(r, d, gone)
}

// small reports whether what there was to read was too little to be cached. The same
// service that has cached it shows that it was not. Where the request is as it was
// and nothing else explains it, more counts as little.
func (t *Tracker) small(there int64, asItWas bool) bool {
	if t.last.cached && t.last.endpoint == t.next.endpoint {
		return false
	}
	return there < leastCached || there < mostCached && asItWas
}

// cause says why less was read than there was. gone is set when the provider has
// kept it for its time.
func cause(r event.CacheReport, d difference, gone bool) event.CacheCause {
	switch {
	case d.cause == event.CacheModel:
		return d.cause
	case gone && r.Read < r.Expected-max(r.Expected/10, slack):
		return event.CacheExpired
	case d.cause != "":
		return d.cause
	case gone:
		return event.CacheExpired
	}
	return event.CacheDropped
}
