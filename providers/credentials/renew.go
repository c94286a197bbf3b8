package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"hermes-tui/providers"
)

// Refreshed is what renewing a login gave.
type Refreshed struct {
	AccessToken string
	// RefreshToken is the next one; empty keeps the old one.
	RefreshToken string
	// Expires is when the access token ends, zero if the service does not say.
	Expires time.Time
	// AgentKey is a key for inference obtained along with it, "" for none.
	AgentKey string
	// AgentExpires is its end.
	AgentExpires time.Time
	// Extra are further members of the row, as JSON. Those that the package knows
	// are passed over.
	Extra map[string]json.RawMessage
}

// String shows no secret.
func (f Refreshed) String() string { return fmt.Sprintf("renewed login, ends %v", f.Expires) }

// GoString is [Refreshed.String].
func (f Refreshed) GoString() string { return f.String() }

// The time limits of a renewal.
const (
	refreshTime = 20 * time.Second
	// renewWait is how long the lock is waited for: another process may be
	// renewing.
	renewWait = refreshTime + 5*time.Second
)

// flight is a renewal that is under way. c and err are set when done is closed.
type flight struct {
	done chan struct{}
	c    Credential
	err  error
}

// Renew renews the login after the service refused its access token, and changes
// the lease. When another process has renewed it since, its tokens are taken and
// nothing is spent. A credential that has nothing to renew gives
// [ErrNotRenewable]; a service that refuses gives a [*RenewError], and the
// credential is marked: dead if the login has ended. When ctx ends first, Renew
// gives its cause, and the renewal goes on.
func (l *Lease) Renew(ctx context.Context) error {
	c, err := l.pool.renew(ctx, l.Credential)
	if err == nil {
		l.Credential = c
	}
	return err
}

// Renewable reports whether [Lease.Renew] can do anything.
func (l *Lease) Renewable() bool {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	return l.pool.o.Refresh != nil && l.renewable()
}

// renew joins the renewal of a credential, or starts it.
func (p *Pool) renew(ctx context.Context, c Credential) (Credential, error) {
	f, err := p.flight(ctx, c)
	if err != nil {
		return Credential{}, err
	}
	select {
	case <-f.done:
		return f.c, f.err
	case <-ctx.Done():
		return Credential{}, context.Cause(ctx)
	}
}

func (p *Pool) flight(ctx context.Context, c Credential) (*flight, error) {
	s := p.store
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.flights[c.ID]; f != nil {
		return f, nil
	}
	refresh := p.o.Refresh
	if refresh == nil || !c.renewable() {
		return nil, ErrNotRenewable
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	f := &flight{done: make(chan struct{})}
	p.flights[c.ID] = f
	go func() {
		defer func() {
			if r := recover(); r != nil {
				f.err = fmt.Errorf("renew a login of %s: the program failed: %v", p.provider, r)
			}
			p.mu.Lock()
			delete(p.flights, c.ID)
			p.mu.Unlock()
			close(f.done)
		}()
		f.c, f.err = p.renewLocked(context.WithoutCancel(ctx), c, refresh)
	}()
	return f, nil
}

// landed waits until no renewal of the pool is under way, and reports whether that
// was before ctx ended.
func (p *Pool) landed(ctx context.Context) bool {
	p.mu.Lock()
	flights := slices.Collect(maps.Values(p.flights))
	p.mu.Unlock()
	for _, f := range flights {
		select {
		case <-f.done:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// renewLocked renews under the lock of the file: it reads the file again, takes
// what another process put there, and else proves that the file can be written
// before a token is spent.
func (p *Pool) renewLocked(ctx context.Context, c Credential, refresh func(context.Context, Credential) (Refreshed, error)) (Credential, error) {
	t, err := p.begin(ctx, renewWait, false)
	if err != nil {
		return Credential{}, err
	}
	defer func() {
		if err := t.end(); err != nil {
			p.store.report(err)
		}
	}()
	now, cur, err := p.present(t, c)
	if err != nil {
		return Credential{}, err
	}
	if cur.Key() != c.Key() && !p.ending(cur, now) && cur.Status != Dead {
		return cur, nil
	}
	if cur.Status == Dead {
		return Credential{}, &RenewError{Provider: p.provider, Label: c.Label, Dead: true, Err: errors.New("it was refused for good")}
	}
	if err := t.write(true); err != nil {
		return Credential{}, err
	}
	fresh, err := p.call(ctx, cur, refresh)
	if err != nil {
		return Credential{}, p.refused(t, cur, err)
	}
	t.apply(&tokensOp{refOf(cur), cur.RefreshToken(), fresh, p.store.now()})
	if err := t.write(false); err != nil {
		p.store.report(err) // the tokens hold in memory and are written later
	}
	_, cur, err = p.present(t, cur)
	return cur, err
}

// present is the credential as it stands under the lock.
func (p *Pool) present(t *txn, c Credential) (time.Time, Credential, error) {
	now := p.store.now()
	r := t.v.find(refOf(c))
	for _, cur := range t.v.credentials(now) {
		if r != nil && cur.ID == r.id() && cur.renewable() {
			return now, cur, nil
		}
	}
	return now, Credential{}, fmt.Errorf("renew the login %q of %s: %w", c.Label, p.provider, ErrNotRenewable)
}

// call renews within the time limit.
func (p *Pool) call(ctx context.Context, c Credential, refresh func(context.Context, Credential) (Refreshed, error)) (Refreshed, error) {
	ctx, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	fresh, err := refresh(ctx, c)
	if err == nil && fresh.AccessToken == "" {
		err = errors.New("the service gave no access token")
	}
	return fresh, err
}

// refused marks a credential that was not renewed, if that is the service's
// answer: dead when the login has ended, else for a while. A service that was not
// reached, or failed itself, says nothing about the credential.
func (p *Pool) refused(t *txn, c Credential, err error) error {
	e := &RenewError{Provider: p.provider, Label: c.Label, Err: maskedError{err, masked(err.Error(), t.v.secrets()...)}}
	answer, ok := errors.AsType[*providers.Error](err)
	if !ok || answer.Status < 400 || answer.Status >= 500 {
		return e
	}
	f := FailureOf(answer, p.store.now())
	if f.Dead = terminal(f.Reason); !f.Dead && answer.Status != 429 {
		f.Code = 401 // the token is as good as refused
	}
	e.Dead = f.Dead
	t.apply(p.markOf(t.v, c, f))
	if err := t.write(false); err != nil {
		p.store.report(err)
	}
	return e
}

// maskedError is an error whose text shows no secret.
type maskedError struct {
	error
	text string
}

func (e maskedError) Error() string { return e.text }

func (e maskedError) Unwrap() error { return e.error }
