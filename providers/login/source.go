package login

import (
	"context"
	"errors"
	"time"
)

// Keeper is where a login is kept. It is safe for concurrent use.
type Keeper interface {
	// Current gives the tokens as they stand, or a [*Error] that says why there are
	// none. It is asked before every request and is quick.
	Current(ctx context.Context) (Tokens, error)
	// Renew gives tokens that hold for longer than old: those that someone else has
	// put there since, or new ones. It sees to it that a refresh token is spent once,
	// and that what came back is stored.
	Renew(ctx context.Context, old Tokens) (Tokens, error)
}

// Source gives the token of a login to a client, before each of its requests. It is
// safe for concurrent use; of those that find the token at its end one renews it, and
// the others wait for that, each until its own context ends.
type Source struct {
	keeper Keeper
	now    func() time.Time
	ahead  time.Duration
	turn   chan struct{} // held while renewing
}

// ahead is how long before its end a token is renewed.
const ahead = 2 * time.Minute

// NewSource makes a source. now is time.Now when nil.
func NewSource(k Keeper, now func() time.Time) *Source {
	if now == nil {
		now = time.Now
	}
	return &Source{keeper: k, now: now, ahead: ahead, turn: make(chan struct{}, 1)}
}

// Token gives the access token and the id of its account, "" if that is not known. A
// token that could not be renewed is given for as long as it holds. The error is the
// cause of ctx, or a sentence with the next step.
func (s *Source) Token(ctx context.Context) (token, account string, err error) {
	t, err := s.tokens(ctx)
	if err != nil {
		return "", "", err
	}
	return t.Access(), t.Account, nil
}

func (s *Source) tokens(ctx context.Context) (Tokens, error) {
	t, err := s.current(ctx)
	if err != nil || !s.ending(t) {
		return t, err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return Tokens{}, context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	if t, err = s.current(ctx); err != nil || !s.ending(t) {
		return t, err // someone renewed it meanwhile
	}
	fresh, err := s.keeper.Renew(ctx, t)
	switch {
	case err == nil && fresh.Access() == "":
		return Tokens{}, errors.New("renewing the login gave no token: log in again")
	case err == nil && fresh.ended(s.now()):
		return Tokens{}, errors.New("renewing the login gave a token that has ended already: check this machine's clock")
	case err == nil:
		return fresh, nil
	case ctx.Err() != nil:
		return Tokens{}, context.Cause(ctx)
	case !t.ended(s.now()) && !over(err):
		return t, nil
	}
	return Tokens{}, err
}

func (s *Source) current(ctx context.Context) (Tokens, error) {
	if ctx.Err() != nil {
		return Tokens{}, context.Cause(ctx)
	}
	t, err := s.keeper.Current(ctx)
	if err == nil && t.Access() == "" {
		err = &Error{Problem: ProblemNone, Message: "there is no login: make one with hermes-tui login"}
	}
	return t, err
}

// ending reports whether a token has to be renewed.
func (s *Source) ending(t Tokens) bool {
	return !t.Expires.IsZero() && !s.now().Add(s.ahead).Before(t.Expires)
}

// over reports whether an error means that the login has ended, whatever its token says.
func over(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Problem == ProblemExpired || e.Problem == ProblemNone)
}
