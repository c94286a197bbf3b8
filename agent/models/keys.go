package models

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/failure"
)

// openKeys opens auth.json. A file that cannot be understood is left alone, and
// the user is told; the keys of the environment and the settings remain.
func (a *Access) openKeys() error {
	o := credentials.Options{
		File: a.o.Home.Auth(), Clock: a.o.IDs.Clock,
		Report: func(err error) { a.log.Warn("credentials", "err", err) },
	}
	if a.o.Home.Dir() != a.o.Home.Root() {
		o.Root = filepath.Join(a.o.Home.Root(), "auth.json")
	}
	var err error
	if a.keys, err = credentials.Open(o); err == nil {
		return nil
	}
	a.unread = err
	a.notices = append(a.notices, err.Error())
	o.File, o.Root = "", ""
	a.keys, err = credentials.Open(o)
	return err
}

// poolName is the name under which the credentials of an endpoint are kept.
func poolName(c catalog.Candidate) string {
	if _, known := catalog.Find(c.Provider); known {
		return c.Provider
	}
	return credentials.CustomProvider(c.Provider)
}

// stored are the keys that auth.json has for a service of the catalogue; logins are
// used otherwise.
func (a *Access) stored(provider string) []catalog.StoredKey {
	if p, _ := catalog.Find(provider); p.Auth == catalog.ByLogin {
		return nil
	}
	pool, err := a.keys.Pool(provider, a.poolOptions(provider, nil))
	if err != nil {
		a.log.Warn("credentials", "provider", provider, "err", err)
		return nil
	}
	var out []catalog.StoredKey
	for _, k := range pool.Available(a.o.IDs.Now()) {
		out = append(out, catalog.StoredKey{Key: k.Key(), From: k.From(), BaseURL: k.BaseURL})
	}
	return out
}

// borrowedKey is how auth.json keeps a key of the environment, in the pool for it.
func (a *Access) borrowedKey(provider, variable, key string) (*credentials.Pool, credentials.Credential, bool) {
	pool, err := a.keys.Pool(provider, a.poolOptions(provider, []credentials.Seed{{Source: "env:" + variable, Key: key}}))
	if err != nil {
		a.log.Warn("credentials", "provider", provider, "err", err)
		return nil, credentials.Credential{}, false
	}
	for _, c := range pool.List() {
		if c.Key() == key {
			return pool, c, true
		}
	}
	return nil, credentials.Credential{}, false
}

// retired reports whether another key has taken the place of one of the environment.
func (a *Access) retired(provider, variable, key string) bool {
	_, c, ok := a.borrowedKey(provider, variable, key)
	return ok && c.Status == credentials.Dead
}

func (a *Access) poolOptions(provider string, seeds []credentials.Seed) credentials.PoolOptions {
	o := credentials.PoolOptions{
		Strategy: credentials.Strategy(a.settings().PoolStrategies.For(provider)),
		Seeds:    func() []credentials.Seed { return seeds },
	}
	if a.logins != nil {
		o.Refresh = a.logins.Refresher(provider)
	}
	return o
}

// pool is the pool of an endpoint: the keys that may be sent there.
func (a *Access) pool(c catalog.Candidate, seeds []credentials.Seed) (*credentials.Pool, error) {
	o := a.poolOptions(c.Provider, seeds)
	o.Fits = func(k credentials.Credential) bool { return c.Takes(k.BaseURL) }
	return a.keys.Pool(poolName(c), o)
}

// seed is the key that the environment or the settings give for an endpoint.
func seed(c catalog.Candidate) []credentials.Seed {
	if c.Key == "" {
		return nil
	}
	source := "config:" + c.Provider
	if name, env := strings.CutPrefix(c.KeyFrom, "env "); env {
		source = "env:" + name
	}
	return []credentials.Seed{{Source: source, Key: c.Key, BaseURL: c.BaseURL}}
}

// keyring hands out the credentials of one endpoint; see [agent.Keys].
type keyring struct {
	app  *Access
	at   catalog.Candidate
	name string // of the model
	pool *credentials.Pool

	mu    sync.Mutex
	lease *credentials.Lease
	made  map[string]providers.Client // by key, so that a connection is kept
}

var _ agent.Keys = (*keyring)(nil)

// keyringOf makes the keyring of a model of an endpoint, nil when it needs no key.
func (a *Access) keyringOf(c catalog.Candidate, model string) *keyring {
	seeds := seed(c)
	for _, k := range a.storedKeys(c) {
		seeds = slices.DeleteFunc(seeds, func(s credentials.Seed) bool { return s.Key == k })
	}
	pool, err := a.pool(c, seeds)
	if err != nil {
		a.log.Warn("credentials", "provider", c.Provider, "err", err)
		return nil
	}
	if len(pool.List()) == 0 {
		return nil
	}
	return &keyring{app: a, at: c, name: model, pool: pool, made: map[string]providers.Client{}}
}

// storedKeys are the keys that auth.json has for an endpoint.
func (a *Access) storedKeys(c catalog.Candidate) []string {
	pool, err := a.pool(c, nil)
	if err != nil {
		return nil
	}
	var out []string
	for _, k := range pool.List() {
		out = append(out, k.Key())
	}
	return out
}

// storedKey is a key that auth.json has for an endpoint and that may be sent there.
func (a *Access) storedKey(c catalog.Candidate) string {
	pool, err := a.pool(c, nil)
	if err != nil {
		return ""
	}
	for _, k := range pool.Available(a.o.IDs.Now()) {
		return k.Key()
	}
	return ""
}

// from says where the credential is that is used first.
func (k *keyring) from() string {
	for _, c := range k.pool.Available(k.app.o.IDs.Now()) {
		return c.From()
	}
	return ""
}

// Client implements [agent.Keys].
func (k *keyring) Client(ctx context.Context) (providers.Client, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	want := credentials.Want{}
	if k.lease != nil {
		want.Keep = k.lease.ID
	}
	return k.take(ctx, want)
}

// take picks a credential and gives its client. The caller holds the lock.
func (k *keyring) take(ctx context.Context, w credentials.Want) (providers.Client, error) {
	lease, err := k.pool.Pick(ctx, w)
	if err != nil {
		return nil, err
	}
	k.lease = lease
	key := lease.Key()
	if c := k.made[key]; c != nil {
		return c, nil
	}
	at := k.at
	at.Key = key
	c, err := k.app.client(at, k.name)
	if err != nil {
		return nil, err
	}
	k.made[key] = c
	return c, nil
}

// Spare implements [agent.Keys].
func (k *keyring) Spare() int { return max(len(k.pool.Available(k.app.o.IDs.Now()))-1, 0) }

// Renewable implements [agent.Keys].
func (k *keyring) Renewable() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lease != nil && k.lease.Renewable()
}

// Good implements [agent.Keys].
func (k *keyring) Good(ctx context.Context) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lease == nil {
		return
	}
	if err := k.lease.Succeeded(ctx); err != nil {
		k.app.log.Warn("credentials", "err", err)
	}
}

// Rotate implements [agent.Keys].
func (k *keyring) Rotate(ctx context.Context, f recovery.Fault) (providers.Client, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lease == nil {
		return nil, nil
	}
	failed := k.lease.ID
	if err := k.lease.Failed(ctx, k.failure(f)); err != nil {
		k.app.log.Warn("credentials", "err", err)
	}
	return k.take(ctx, credentials.Want{Avoid: []string{failed}})
}

// failure is a failed call as the pool notes it.
func (k *keyring) failure(f recovery.Fault) credentials.Failure {
	now := k.app.o.IDs.Now()
	out := credentials.Failure{Code: f.Status, Message: f.Message}
	if e := f.Err; e != nil {
		out = credentials.FailureOf(e, now)
	}
	if out.ResetAt.IsZero() && f.Asked > 0 {
		out.ResetAt = now.Add(f.Asked)
	}
	out.Billing = f.Reason == failure.Billing
	return out
}

// Renew implements [agent.Keys].
func (k *keyring) Renew(ctx context.Context) (providers.Client, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lease == nil {
		return nil, nil
	}
	if err := k.lease.Renew(ctx); err != nil {
		return nil, err
	}
	return k.take(ctx, credentials.Want{Keep: k.lease.ID})
}
