package login

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

// memory keeps a login in memory and counts how often it is renewed.
type memory struct {
	clock *clock
	mu    sync.Mutex
	t     Tokens
	none  error
	bad   error         // of renewing
	begun chan struct{} // told when renewing begins, if not nil
	free  chan struct{} // waited for while renewing, if not nil
	n     int
	asked chan struct{} // told each time the tokens were looked at, if not nil
}

func (m *memory) Current(context.Context) (Tokens, error) {
	if m.asked != nil {
		defer func() { m.asked <- struct{}{} }()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.t, m.none
}

func (m *memory) Renew(ctx context.Context, _ Tokens) (Tokens, error) {
	if m.begun != nil {
		m.begun <- struct{}{}
		select {
		case <-m.free:
		case <-ctx.Done():
			return Tokens{}, context.Cause(ctx)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n++; m.bad != nil {
		return Tokens{}, m.bad
	}
	m.t = NewTokens(fmt.Sprintf("at-%d", m.n), "rt", "acc", m.clock.now().Add(time.Hour))
	return m.t, nil
}

func TestSource(t *testing.T) {
	c := &clock{at: noon}
	m := &memory{clock: c, t: NewTokens("at-0", "rt", "acc", noon.Add(time.Hour))}
	s := NewSource(m, c.now)
	want := func(after time.Duration, token string, renewed int) {
		t.Helper()
		c.at = noon.Add(after)
		got, account, err := s.Token(t.Context())
		if err != nil || got != token || account != "acc" || m.n != renewed {
			t.Errorf("after %v: %s %s %v, renewed %d times", after, got, account, err, m.n)
		}
	}
	want(0, "at-0", 0)
	want(57*time.Minute, "at-0", 0)
	want(58*time.Minute, "at-1", 1)
	m.bad = errors.New("the service is away")
	want(58*time.Minute+59*time.Minute, "at-1", 2) // it holds for another minute
	c.at = noon.Add(58*time.Minute + time.Hour)
	if _, _, err := s.Token(t.Context()); !errors.Is(err, m.bad) {
		t.Errorf("got %v", err)
	}
	m.t, m.bad = NewTokens("at-9", "rt", "acc", c.at.Add(time.Minute)), &Error{Problem: ProblemExpired, Message: "log in again"}
	if _, _, err := s.Token(t.Context()); !errors.Is(err, m.bad) {
		t.Errorf("a login that is over: %v", err)
	}
	m.none = &Error{Problem: ProblemNone, Message: "none"}
	if _, err := keyOf(t.Context(), s); !errors.Is(err, m.none) {
		t.Errorf("got %v", err)
	}
	m.none, m.t = nil, Tokens{}
	_, err := keyOf(t.Context(), s)
	fails(t, err, ProblemNone)
	m.t = NewTokens("at-for-ever", "", "", time.Time{})
	if got, err := keyOf(t.Context(), s); err != nil || got != "at-for-ever" {
		t.Errorf("got %s %v", got, err)
	}
}

// Of many that find the token at its end, one renews it; whoever gives up does not
// stop the others.
func TestSourceIsShared(t *testing.T) {
	c := &clock{at: noon}
	m := &memory{clock: c, t: NewTokens("at-0", "rt", "acc", noon), begun: make(chan struct{}, 30), free: make(chan struct{}), asked: make(chan struct{}, 100)}
	s := NewSource(m, c.now)
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := make(chan error, 2)
	go func() { _, err := keyOf(ctx, s); gone <- err }()
	<-m.begun // it renews, and holds the turn
	go func() { _, err := keyOf(ctx, s); gone <- err }()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got, err := keyOf(t.Context(), s); err != nil || got != "at-1" {
				t.Errorf("got %s %v", got, err)
			}
		})
	}
	cancel(stop)
	for range 2 {
		if err := <-gone; !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
	}
	<-m.begun          // another one took over
	for range 2 + 20 { // all have seen that the token is at its end
		<-m.asked
	}
	close(m.free)
	wg.Wait()
	if m.n != 1 {
		t.Errorf("renewed %d times", m.n)
	}
}

// keyOf is the token of a source without the account.
func keyOf(ctx context.Context, s *Source) (string, error) {
	token, _, err := s.Token(ctx)
	return token, err
}
