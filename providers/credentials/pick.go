package credentials

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"
)

// Want selects a credential. The zero value leaves it to the
// strategy.
type Want struct {
	// Keep is the id of the credential to stay with as long as it can be used: a
	// conversation that changes its key loses the provider's prompt cache.
	Keep string
	// Avoid are ids not to give, such as those that failed for this request.
	Avoid []string
}

// Lease is the use of a credential. It belongs to one goroutine.
type Lease struct {
	Credential
	pool *Pool
	at   time.Time // when it was given
}

// Pick chooses a credential: the one to keep, and else by strategy. A login that ends
// soon is renewed first. Nothing available is an [*UnavailableError]. When ctx ends,
// Pick gives its cause; a renewal that is under way goes on.
func (p *Pool) Pick(ctx context.Context, w Want) (*Lease, error) {
	var failed error
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		now := p.store.now()
		c, err := p.choose(w, now, failed)
		if err != nil {
			return nil, err
		}
		if p.unwritten() {
			if err := p.catchUp(ctx, countWait); err != nil {
				p.store.report(err)
			}
		}
		l := &Lease{Credential: c, pool: p, at: now}
		if !p.ending(c, now) {
			return l, nil
		}
		fresh, err := p.renew(ctx, c)
		switch {
		case err == nil:
			l.Credential = fresh
			return l, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !c.expired(p.store.now()):
			p.store.report(err) // it will do for a while
			return l, nil
		}
		failed = err
		w.Avoid = append(slices.Clone(w.Avoid), c.ID)
	}
}

// ending reports whether a login has to be renewed before it is used.
func (p *Pool) ending(c Credential, now time.Time) bool {
	return p.o.Refresh != nil && c.renewable() && !c.Expires.IsZero() && !now.Add(renewAhead(p.provider)).Before(c.Expires)
}

// choose chooses, and remembers what the strategy needs.
func (p *Pool) choose(w Want, now time.Time, failed error) (Credential, error) {
	p.choosing.Lock()
	defer p.choosing.Unlock()
	all := p.all(now)
	list := slices.DeleteFunc(p.usable(all, now), func(c Credential) bool { return slices.Contains(w.Avoid, c.ID) })
	if len(list) == 0 {
		e := p.unavailable(all, now)
		e.Failed = failed
		return Credential{}, e
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c, o, err := p.prefer(list, w)
	if o != nil {
		p.ops = queued(p.ops, o)
	}
	return c, err
}

// prefer chooses from a list that is not empty.
func (p *Pool) prefer(list []Credential, w Want) (Credential, op, error) {
	if i := slices.IndexFunc(list, func(c Credential) bool { return w.Keep != "" && c.ID == w.Keep }); i >= 0 {
		return list[i], nil, nil
	}
	if len(list) == 1 {
		return list[0], nil, nil
	}
	switch p.o.Strategy {
	case RoundRobin:
		return list[0], &moveOp{refOf(list[0])}, nil
	case LeastUsed:
		c := slices.MinFunc(list, func(a, b Credential) int { return cmp.Compare(a.Requests, b.Requests) })
		return c, &usedOp{refOf(c)}, nil
	case Random:
		i, err := p.store.random(len(list))
		return list[i], nil, err
	}
	return list[0], nil, nil
}

// random draws a number below n, each with the same probability.
func (s *Store) random(n int) (int, error) {
	limit := ^uint64(0) - ^uint64(0)%uint64(n)
	var b [8]byte
	for {
		if _, err := io.ReadFull(s.o.Random, b[:]); err != nil {
			return 0, fmt.Errorf("choose a credential: %w", err)
		}
		if v := binary.LittleEndian.Uint64(b[:]); v < limit {
			return int(v % uint64(n)), nil
		}
	}
}

// Succeeded records that the service took the credential. That clears a cool-down
// that is over; otherwise there is nothing to write.
func (l *Lease) Succeeded(ctx context.Context) error {
	if !l.recovered && l.Status == OK {
		return nil
	}
	return l.pool.keep(ctx, markWait, &clearOp{refOf(l.Credential), l.secret.fingerprint(), l.at})
}

// Failed takes the credential out of use, and every other one with the same
// secret: for good when the failure ends it, else until the reset time of the
// failure or for the time that is usual for its code. It holds in this process
// even if it could not be written, which is the error.
func (l *Lease) Failed(ctx context.Context, f Failure) error {
	return l.pool.keep(ctx, markWait, l.pool.markOf(l.pool.view(), l.Credential, f))
}

// markOf returns the operation for a failure, without any secret of the pool.
func (p *Pool) markOf(v *view, c Credential, f Failure) op {
	o := &markOp{
		ref: refOf(c), fingerprint: c.secret.fingerprint(), status: Exhausted, at: p.store.now(),
		failure: f.clean(append(v.secrets(), c.secret.all()...)...),
	}
	if f.ends() {
		o.status, o.failure.ResetAt = Dead, time.Time{}
	}
	return o
}
