package credentials

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Strategy is how a credential is chosen among those available.
type Strategy string

// The strategies.
const (
	// FillFirst takes the one with the smallest priority until it is exhausted.
	FillFirst Strategy = "fill_first"
	// RoundRobin takes the first and makes it the last; the order is in the file.
	RoundRobin Strategy = "round_robin"
	// Random takes any.
	Random Strategy = "random"
	// LeastUsed takes the one with the fewest requests, counted in the file.
	LeastUsed Strategy = "least_used"
)

// PoolOptions say how a pool is used.
type PoolOptions struct {
	// Strategy is FillFirst when empty.
	Strategy Strategy
	// Seeds returns the borrowed secrets as they are now. It is called often and
	// from several goroutines: it must be quick. nil for none.
	Seeds func() []Seed
	// Refresh renews a login, nil if nothing can. It runs under the lock of the
	// file for at most 20 seconds, and is not cancelled with a request. When the
	// service refuses, its error should wrap a providers.Error.
	Refresh func(ctx context.Context, c Credential) (Refreshed, error)
	// Fits reports whether a credential may be used; nil is for all. One that does
	// not is as if it were not there. It must be quick.
	Fits func(c Credential) bool
}

func (o PoolOptions) withDefaults() PoolOptions {
	if o.Strategy == "" {
		o.Strategy = FillFirst
	}
	return o
}

func (o PoolOptions) seeds() []Seed {
	if o.Seeds == nil {
		return nil
	}
	return o.Seeds()
}

// Pool is the credentials of one provider, as one user of them has them: with its own
// options. It is safe for concurrent use.
type Pool struct {
	*shared
	o PoolOptions
}

// shared holds the state that all pools of a provider in a store have in common.
type shared struct {
	store    *Store
	provider string
	// last is the latest that had borrowed secrets, or else the first; it writes in the
	// end what is not written yet.
	last *Pool

	// choosing is held from looking at the pool to having chosen.
	choosing sync.Mutex

	mu sync.Mutex
	// ops are not written yet; kept are about rows that stay out of the file. The lists
	// are replaced, never changed.
	ops, kept []op
	flights   map[string]*flight
}

// Provider returns the provider's id.
func (p *Pool) Provider() string { return p.provider }

// view puts the pool together without a lock. It never fails: a pool that became
// unreadable has only its borrowed credentials.
func (p *Pool) view() *view {
	p.mu.Lock() // before the file is read: what is being written is in the one or the other
	ops, o := slices.Concat(p.kept, p.ops), p.o
	p.mu.Unlock()
	docs := p.store.read()
	v, err := assemble(docs, p.provider, o.seeds(), ops, false)
	if err != nil {
		p.store.report(err)
		empty := documents{own: emptyDocument(docs.own.file)}
		v, _ = assemble(empty, p.provider, o.seeds(), ops, true) // an empty document has every form
	}
	return v
}

// List is every credential, by priority, those included that cannot be used.
func (p *Pool) List() []Credential { return p.all(p.store.now()) }

// all is every credential that fits, as they stand at a time.
func (p *Pool) all(now time.Time) []Credential {
	list := p.view().credentials(now)
	if p.o.Fits == nil {
		return list
	}
	return slices.DeleteFunc(list, func(c Credential) bool { return !p.o.Fits(c) })
}

// Available returns the credentials that can be used at a time, by priority. One whose
// login has to be renewed first is among them. Of those with the same secret
// there is one.
func (p *Pool) Available(now time.Time) []Credential {
	return p.usable(p.all(now), now)
}

// usable filters credentials as they stand at a time.
func (p *Pool) usable(all []Credential, now time.Time) []Credential {
	renews := p.o.Refresh != nil
	var out []Credential
	seen := map[string]bool{}
	for _, c := range all {
		if c.Absent || c.Status != OK || seen[c.Key()] || c.expired(now) && !(renews && c.renewable()) {
			continue
		}
		seen[c.Key()] = true
		out = append(out, c)
	}
	return out
}

// renewable reports whether the pool may spend the refresh token.
func (c Credential) renewable() bool {
	return c.Type == OAuth && !c.Borrowed && c.RefreshToken() != ""
}

// Next is when the first credential is back that is cooling down, false if none
// is.
func (p *Pool) Next(now time.Time) (time.Time, bool) {
	next := time.Time{}
	for _, c := range p.all(now) {
		if c.Status == Exhausted && !c.Absent && (next.IsZero() || c.Until.Before(next)) {
			next = c.Until
		}
	}
	return next, !next.IsZero()
}

// Unavailable returns why nothing can be used at a time, nil if something can.
func (p *Pool) Unavailable(now time.Time) error {
	all := p.all(now)
	if len(p.usable(all, now)) > 0 {
		return nil
	}
	return p.unavailable(all, now)
}

// unavailable counts what cannot be used.
func (p *Pool) unavailable(all []Credential, now time.Time) *UnavailableError {
	e := &UnavailableError{Provider: p.provider, now: now}
	seen := map[string]bool{}
	for _, c := range all {
		if c.Absent && c.Borrowed {
			e.Absent = append(e.Absent, c.Source)
		}
		if c.Absent || seen[c.Key()] {
			continue
		}
		seen[c.Key()] = true
		switch {
		case c.Status == Dead:
			e.Dead++
		case c.Status == Exhausted:
			if e.Cooling++; e.Next.IsZero() || c.Until.Before(e.Next) {
				e.Next = c.Until.In(now.Location())
			}
		case c.expired(now):
			e.Expired++
		}
	}
	return e
}

// Find resolves what a user calls a credential: its id, its label (whatever the
// case), or its number in [Pool.List], from 1. The error is a [*TargetError].
func (p *Pool) Find(target string) (Credential, error) {
	return find(p.List(), p.provider, target)
}

func find(list []Credential, provider, target string) (Credential, error) {
	target = strings.TrimSpace(target)
	for _, c := range list {
		if c.ID == target {
			return c, nil
		}
	}
	var named []Credential
	for _, c := range list {
		if strings.EqualFold(strings.TrimSpace(c.Label), target) {
			named = append(named, c)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if n, err := strconv.Atoi(target); err == nil && len(named) == 0 && n >= 1 && n <= len(list) {
		return list[n-1], nil
	}
	return Credential{}, &TargetError{Provider: provider, Target: target, Ambiguous: len(named) > 1}
}
