package event

import (
	"slices"
	"time"
)

// CacheReport says what the provider's prompt cache gave for one model call, and
// why it gave no more. Counts are tokens.
type CacheReport struct {
	Outcome CacheOutcome `json:"outcome"`
	// Cause is why it is no hit, empty for a hit.
	Cause CacheCause `json:"cause,omitempty"`
	// Change names the first part of the request that was not as in the request
	// before it, and how it differs; empty when only something was added. It is text
	// from outside, at most [ChangeLimit] bytes.
	Change string `json:"change,omitempty"`
	Model  string `json:"model,omitempty"`
	// Prompt is what was sent.
	Prompt int64 `json:"prompt,omitempty"`
	// Read came from the cache.
	Read int64 `json:"read,omitempty"`
	// Written went into the cache.
	Written int64 `json:"written,omitempty"`
	// Had is what the request before this one had sent: what there was to read.
	Had int64 `json:"had,omitempty"`
	// Expected is how much of that this request begins with unchanged, about.
	Expected int64 `json:"expected,omitempty"`
	// Sent is when the request was sent.
	Sent time.Time `json:"sent,omitzero"`
	// Idle is how long that was after the one before it.
	Idle time.Duration `json:"idle,omitempty"`
	// Keep is how long the provider keeps a prompt, 0 if unknown.
	Keep time.Duration `json:"keep,omitempty"`
	// Saved is how much less the call cost than without a cache; 0 where prices are
	// not known.
	Saved Money `json:"saved,omitempty"`
	// Lost is how much more it cost than with the hit that there could have been; 0
	// where prices are not known.
	Lost Money `json:"lost,omitempty"`
	// Unpriced says that no price is known.
	Unpriced bool `json:"unpriced,omitempty"`
}

// ChangeLimit bounds [CacheReport.Change].
const ChangeLimit = 200

// CacheOutcome is how much of what could be read from a cache was.
type CacheOutcome string

// The outcomes.
const (
	CacheHit     CacheOutcome = "hit"
	CachePartial CacheOutcome = "partial"
	CacheMiss    CacheOutcome = "miss"
	// CacheNone is a call for which nothing could be there yet.
	CacheNone CacheOutcome = "none"
	// CacheSilent is a call of a provider that tells nothing about a cache.
	CacheSilent CacheOutcome = "silent"
)

// CacheCause is why a call was no hit.
type CacheCause string

// The causes.
const (
	CacheFirst    CacheCause = "first"    // of this agent since the program was started
	CacheSmall    CacheCause = "small"    // shorter than what is cached at all
	CacheModel    CacheCause = "model"    // another model, or another service, answers
	CacheTools    CacheCause = "tools"    // a tool came, went or changed
	CacheSystem   CacheCause = "system"   // the system prompt changed
	CacheSettings CacheCause = "settings" // the request is made in another way
	CacheHistory  CacheCause = "history"  // an earlier message changed
	CacheNote     CacheCause = "note"     // the request before had a message that was for it only
	CacheExpired  CacheCause = "expired"  // more time passed than the provider keeps it
	CacheDropped  CacheCause = "dropped"  // nothing changed here: the provider kept it for less long
	CacheUntold   CacheCause = "untold"   // no figures
)

// Until is until when the prompt can be read from the cache again, zero when that
// is not known. It counts from when the request was sent: that is when a provider
// begins to count at the earliest.
func (r CacheReport) Until() time.Time {
	if r.Keep <= 0 || r.Sent.IsZero() || r.Outcome == CacheSilent || r.Read+r.Written == 0 && r.Cause == CacheSmall {
		return time.Time{}
	}
	return r.Sent.Add(r.Keep)
}

// HitRate is the part of the prompt that came from the cache, from 0 to 1.
func (r CacheReport) HitRate() float64 {
	if r.Prompt <= 0 {
		return 0
	}
	return min(float64(r.Read)/float64(r.Prompt), 1)
}

// Short reports whether less was read than there was, and how much less.
func (r CacheReport) Short() int64 {
	if r.Outcome != CachePartial && r.Outcome != CacheMiss {
		return 0
	}
	return max(min(r.Had, r.Prompt)-r.Read, 0)
}

// CacheReports bounds [Agent.Cache].
const CacheReports = 20

// cached takes in what a cache gave.
func (a *Agent) cached(r *CacheReport) {
	if r == nil {
		return
	}
	if n := len(a.Cache) - CacheReports + 1; n > 0 {
		a.Cache = a.Cache[n:]
	}
	a.Cache = append(slices.Clone(a.Cache), *r)
}

// Cached is the newest report, nil when there is none.
func (a *Agent) Cached() *CacheReport {
	if len(a.Cache) == 0 {
		return nil
	}
	return &a.Cache[len(a.Cache)-1]
}
