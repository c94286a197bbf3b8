package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hermes-tui/providers/catalog"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
)

// Source gives the tokens of a provider's logins to a client, before each request: for
// [login.ProviderOpenAI] those of the pool, for [login.ProviderClaude] what Claude Code
// keeps.
func (l *Logins) Source(provider string) (*login.Source, error) {
	switch provider {
	case login.ProviderClaude:
		return login.NewSource(login.ClaudeKeeper{Env: l.env, Home: l.o.UserHome, Clock: l.o.IDs.Clock}, l.o.IDs.Clock), nil
	case login.ProviderOpenAI:
		pool, err := l.keys.Pool(provider, l.options(provider))
		if err != nil {
			return nil, err
		}
		return login.NewSource(poolKeeper{pool: pool, clock: l.o.IDs.Now}, l.o.IDs.Clock), nil
	}
	return nil, &UnknownLoginError{provider}
}

// poolKeeper keeps logins in a pool; see [login.Keeper].
type poolKeeper struct {
	pool  *credentials.Pool
	clock func() time.Time
}

var _ login.Keeper = poolKeeper{}

// Current implements [login.Keeper].
func (k poolKeeper) Current(context.Context) (login.Tokens, error) {
	for _, c := range k.pool.Available(k.clock()) {
		if c.Type == credentials.OAuth {
			return held(c), nil
		}
	}
	return login.Tokens{}, k.none()
}

// none says why there is no login to use.
func (k poolKeeper) none() error {
	for _, c := range k.pool.List() {
		if c.Type == credentials.OAuth && !c.Absent {
			if c.Status == credentials.Exhausted {
				return k.pool.Unavailable(k.clock())
			}
			return ended(c.Provider, nil)
		}
	}
	return &login.Error{Problem: login.ProblemNone, Message: fmt.Sprintf("there is no login to ChatGPT: make one with hermes-tui login %s", k.pool.Provider())}
}

// Renew implements [login.Keeper]: the pool spends the token under the lock of its
// file, once in all processes.
func (k poolKeeper) Renew(ctx context.Context, old login.Tokens) (login.Tokens, error) {
	for _, c := range k.pool.Available(k.clock()) {
		if c.Type == credentials.OAuth && c.AccessToken() == old.Access() {
			lease, err := k.pool.Pick(ctx, credentials.Want{Keep: c.ID})
			if err != nil {
				return login.Tokens{}, renewFailed(c.Provider, err)
			}
			return held(lease.Credential), nil
		}
	}
	return k.Current(ctx)
}

// ended is a login that has to be made again.
func ended(provider string, err error) error {
	return &login.Error{Problem: login.ProblemExpired, Message: "the login to ChatGPT has ended: log in again with hermes-tui login " + provider, Err: err}
}

// renewFailed words why a login could not be renewed.
func renewFailed(provider string, err error) error {
	failed, ok := errors.AsType[*credentials.RenewError](err)
	switch {
	case ok && failed.Dead:
		return ended(provider, err)
	case ok:
		if own, ours := errors.AsType[*login.Error](failed.Err); ours {
			return &login.Error{Problem: own.Problem, Message: failed.Err.Error(), Err: err}
		}
	}
	return err
}

// openLogins makes the logins of the app, which share its credentials and its
// connections.
func (a *Access) openLogins() {
	a.logins = newLogins(LoginOptions{
		Version: a.o.Version, Home: a.o.Home, Settings: LoginSettingsOf(a.settings().Config), Env: a.o.Env, UserHome: a.env("HOME"), IDs: a.o.IDs,
	}, a.keys, a.transport, func(provider string) credentials.PoolOptions { return a.poolOptions(provider, nil) })
}

// loggedIn tells the services whose login there is, unless a key is set for them.
func (a *Access) loggedIn(ctx context.Context, c *catalog.Config) {
	add := func(provider, whose string) {
		e := c.Providers[provider]
		e.Login = whose
		c.Providers[provider] = e
	}
	if pool, err := a.keys.Pool(login.ProviderOpenAI, a.poolOptions(login.ProviderOpenAI, nil)); err == nil {
		if _, err := (poolKeeper{pool: pool, clock: a.o.IDs.Now}).Current(ctx); err == nil {
			add(login.ProviderOpenAI, "a login")
		}
	}
	if b, err := login.Claude(a.env, a.env("HOME"), a.o.IDs.Now()); err == nil && !b.APIKey && b.Source == login.SourceClaude {
		add(login.ProviderClaude, "the login of Claude Code")
	}
}

// token gives what the login of an endpoint is asked with.
func (a *Access) token(c catalog.Candidate) (*login.Source, error) {
	if c.Auth == catalog.ByLogin {
		return a.logins.Source(login.ProviderOpenAI)
	}
	return a.logins.Source(login.ProviderClaude)
}
