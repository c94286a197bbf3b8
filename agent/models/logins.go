package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
	"hermes-tui/providers/transport"
	"hermes-tui/store"
	"hermes-tui/store/config"
)

// LoginSettings are the settings that logins follow.
type LoginSettings struct {
	OpenAI login.OpenAI
}

// LoginOptions are what the logins of one HERMES_HOME are made of.
type LoginOptions struct {
	Version  string
	Home     store.Home
	Settings LoginSettings
	// Env looks up a variable of the environment.
	Env func(name string) (string, bool)
	// UserHome is the user's home directory.
	UserHome string
	IDs      event.Source
	// Sleep waits between two questions to an issuer; nil waits in real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Logins makes, lists, renews and ends logins. It is safe for concurrent use.
type Logins struct {
	o    LoginOptions
	keys *credentials.Store
	http *transport.Transport
	pool func(provider string) credentials.PoolOptions
	own  bool // the store and the transport are closed with it
}

// OpenLogins opens the logins of a HERMES_HOME by themselves, for commands that need
// nothing else. A file of credentials that cannot be understood is an error.
func OpenLogins(o LoginOptions) (*Logins, error) {
	if err := o.Home.Ensure(); err != nil {
		return nil, err
	}
	c := credentials.Options{File: o.Home.Auth(), Clock: o.IDs.Clock, Random: o.IDs.Random}
	if o.Home.Dir() != o.Home.Root() {
		c.Root = filepath.Join(o.Home.Root(), "auth.json")
	}
	keys, err := credentials.Open(c)
	if err != nil {
		return nil, err
	}
	env := func(name string) string { v, _ := o.Env(name); return v }
	l := newLogins(o, keys, transport.New(transport.Options{Version: o.Version, Env: env}), nil)
	l.own = true
	return l, nil
}

// newLogins makes logins over a store and a transport that someone else closes. pool
// gives the options under which a pool is used otherwise; nil for none.
func newLogins(o LoginOptions, keys *credentials.Store, http *transport.Transport, pool func(string) credentials.PoolOptions) *Logins {
	if pool == nil {
		pool = func(string) credentials.PoolOptions { return credentials.PoolOptions{} }
	}
	return &Logins{o: o, keys: keys, http: http, pool: pool}
}

// closeLoginsTime is how long a renewal that is under way may take to end.
const closeLoginsTime = 5 * time.Second

// Close waits for renewals and writes what is not written yet.
func (l *Logins) Close() error {
	if !l.own {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLoginsTime)
	defer cancel()
	err := l.keys.Close(ctx)
	l.http.CloseIdle()
	return err
}

// UnknownLoginError names something that cannot be logged in to.
type UnknownLoginError struct{ Name string }

// Error is one sentence with the next step.
func (e *UnknownLoginError) Error() string {
	if e.Name == login.ProviderClaude {
		return "logging in to Anthropic is up to Claude Code, whose login is used where it is found: run claude, or set ANTHROPIC_API_KEY"
	}
	return fmt.Sprintf("there is no login for %q, only for %s: other services take keys (see hermes-tui --help)", e.Name, login.ProviderOpenAI)
}

// loginName is the id of what a user calls by another name; nothing is the only one
// there is.
func loginName(name string) string {
	switch name {
	case "", "chatgpt", "codex", "openai":
		return login.ProviderOpenAI
	case "claude", "claude-code":
		return login.ProviderClaude
	}
	return name
}

// flow is how to log in to a provider.
func (l *Logins) flow(provider string) (*login.Flow, error) {
	if provider != login.ProviderOpenAI {
		return nil, &UnknownLoginError{provider}
	}
	issuer, err := l.o.Settings.OpenAI.Service()
	if err != nil {
		return nil, err
	}
	return &login.Flow{Issuer: issuer, HTTP: l.http, Clock: l.o.IDs.Clock, Random: l.o.IDs.Random, Sleep: l.o.Sleep}, nil
}

// Ready reports whether logging in is possible: it needs a client id.
func (l *Logins) Ready() bool { return l.o.Settings.OpenAI.ClientID != "" }

// LoginWay is how a user logs in. Exactly one is not nil.
type LoginWay struct {
	// Browser is told the address to open on this machine.
	Browser func(address string)
	// Device is what to enter elsewhere.
	Device func(p login.Prompt)
}

// Login logs in and keeps the login. An empty provider is the only one there is. The
// file is proved to be writable first, so that no one logs in for nothing.
func (l *Logins) Login(ctx context.Context, provider string, way LoginWay) (LoginInfo, error) {
	provider = loginName(provider)
	f, err := l.flow(provider)
	if err != nil {
		return LoginInfo{}, err
	}
	pool, err := l.keys.Pool(provider, l.options(provider))
	if err != nil {
		return LoginInfo{}, err
	}
	if err := pool.Prove(ctx); err != nil {
		return LoginInfo{}, err
	}
	var t login.Tokens
	if way.Device != nil {
		t, err = f.Device(ctx, way.Device)
	} else {
		t, err = f.Browser(ctx, way.Browser)
	}
	if err != nil {
		return LoginInfo{}, err
	}
	c, err := pool.LogIn(ctx, f.Issuer.Name, refreshed(t))
	if err != nil {
		return LoginInfo{}, fmt.Errorf("the login worked and could not be kept: %w", err)
	}
	return l.info(c), nil
}

// refreshed is what a pool keeps of a login.
func refreshed(t login.Tokens) credentials.Refreshed {
	out := credentials.Refreshed{AccessToken: t.Access(), RefreshToken: t.Refresh(), Expires: t.Expires}
	if raw, err := json.Marshal(t.Account); err == nil && t.Account != "" {
		out.Extra = map[string]json.RawMessage{"account_id": raw}
	}
	return out
}

// held are the tokens of a credential.
func held(c credentials.Credential) login.Tokens {
	return login.NewTokens(c.AccessToken(), c.RefreshToken(), c.Account, c.Expires)
}

// options are those of a provider's pool, with what renews its logins.
func (l *Logins) options(provider string) credentials.PoolOptions {
	o := l.pool(provider)
	o.Refresh = l.Refresher(provider)
	return o
}

// Refresher renews the logins of a provider for its pool, nil if nothing can. It never
// spends a refresh token that another program was given.
func (l *Logins) Refresher(provider string) func(context.Context, credentials.Credential) (credentials.Refreshed, error) {
	if provider != login.ProviderOpenAI {
		return nil
	}
	return func(ctx context.Context, c credentials.Credential) (credentials.Refreshed, error) {
		f, err := l.flow(provider)
		if err != nil {
			return credentials.Refreshed{}, err
		}
		t, err := f.Renew(ctx, held(c))
		if err != nil {
			return credentials.Refreshed{}, err
		}
		return refreshed(t), nil
	}
}

// LoginInfo describes a login without its secrets.
type LoginInfo struct {
	Provider string
	Name     string // for people
	// Account is the id of the account as it may be shown, "" if it is not known.
	Account string
	// From says where it is kept: auth.json, a variable, or the program it belongs to.
	From string
	// Expires is when its token ends, zero if no one knows.
	Expires time.Time
	// Renews reports whether it is then renewed without being asked.
	Renews bool
	// Problem says why it cannot be used, nil if it can.
	Problem error
}

// info describes a credential of a pool.
func (l *Logins) info(c credentials.Credential) LoginInfo {
	t := held(c)
	i := LoginInfo{Provider: c.Provider, Name: "ChatGPT", Account: login.MaskAccount(t.Account), From: c.From(), Expires: t.Expires}
	client := l.o.Settings.OpenAI.ClientID
	i.Renews = c.RefreshToken() != "" && client != "" && (t.Client == "" || t.Client == client)
	now := l.o.IDs.Now()
	switch {
	case c.Status == credentials.Dead:
		i.Problem = ended(c.Provider, nil)
	case c.Status == credentials.Exhausted:
		i.Problem = fmt.Errorf("it was refused, and is tried again from %s on", c.Until.In(now.Location()).Format("15:04"))
	case !t.Expires.IsZero() && !now.Before(t.Expires) && !i.Renews:
		i.Problem = ended(c.Provider, nil)
	}
	return i
}

// List is every login: those of our own, and the one of Claude Code if there is one or
// should be.
func (l *Logins) List() ([]LoginInfo, error) {
	pool, err := l.keys.Pool(login.ProviderOpenAI, l.options(login.ProviderOpenAI))
	if err != nil {
		return nil, err
	}
	var list []LoginInfo
	for _, c := range pool.List() {
		if c.Type == credentials.OAuth && !c.Absent {
			list = append(list, l.info(c))
		}
	}
	if i, ok := l.claude(); ok {
		list = append(list, i)
	}
	return list, nil
}

// claude describes the login of Claude Code.
func (l *Logins) claude() (LoginInfo, bool) {
	i := LoginInfo{Provider: login.ProviderClaude, Name: "Claude Code", From: "Claude Code"}
	b, err := login.Claude(l.env, l.o.UserHome, l.o.IDs.Now())
	if err == nil && b.APIKey {
		err = b.Passed
		if err == nil {
			return i, false
		}
	}
	if own, ok := errors.AsType[*login.Error](err); ok && own.Problem == login.ProblemNone {
		return i, false
	}
	if i.Problem = err; err == nil {
		i.Expires = b.Expires
		if b.Source != login.SourceClaude {
			i.From = b.Source[len("env:"):]
		}
	}
	return i, true
}

func (l *Logins) env(name string) string {
	v, _ := l.o.Env(name)
	return v
}

// LoggedOut is how logging out went.
type LoggedOut struct {
	Name string // of the service
	// Removed is how many logins are gone.
	Removed int
	// Shared: the login is the default profile's and stays there; this profile does not
	// use it any more.
	Shared bool
	// Unrevoked says why the service could not be told, nil if it was. The login is
	// gone from here all the same.
	Unrevoked error
}

// revokeTime is how long telling a service that a login is over may take.
const revokeTime = 10 * time.Second

// Logout removes the logins of a provider, first from the file and then at the
// service.
func (l *Logins) Logout(ctx context.Context, provider string) (LoggedOut, error) {
	provider = loginName(provider)
	if provider == login.ProviderClaude {
		return LoggedOut{}, &login.Error{Problem: login.ProblemForeign, Message: "the login of Claude Code is not this program's to end: run claude and log out there"}
	}
	f, err := l.flow(provider)
	if f == nil && provider != login.ProviderOpenAI {
		return LoggedOut{}, err
	}
	pool, badPool := l.keys.Pool(provider, l.options(provider))
	if badPool != nil {
		return LoggedOut{}, badPool
	}
	gone, shared, bad := pool.LogOut(ctx)
	if bad != nil {
		return LoggedOut{}, bad
	}
	out := LoggedOut{Name: "ChatGPT", Removed: len(gone), Shared: shared, Unrevoked: err}
	ctx, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	for _, c := range gone {
		if f != nil {
			out.Unrevoked = errors.Join(out.Unrevoked, f.Revoke(ctx, held(c)))
		}
	}
	return out, nil
}

// LoginSettingsOf are the settings that logins follow.
func LoginSettingsOf(c config.Config) LoginSettings {
	o := c.Login.OpenAI
	return LoginSettings{OpenAI: login.OpenAI{Issuer: o.Issuer, ClientID: o.ClientID, Redirects: o.Redirects}}
}
