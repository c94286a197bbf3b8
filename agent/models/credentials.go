package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
	"hermes-tui/providers/redact"
	"hermes-tui/store/config"
)

// Credential describes a key or login of a service, without its secret.
type Credential struct {
	Provider string `json:"provider"`
	// ID and Name are what it is called in auth.json, both empty for one that is kept
	// elsewhere.
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	Kind string `json:"kind"` // "key" or "login"
	// Shown is the masked key, or the masked account of a login.
	Shown string `json:"shown,omitempty"`
	// From says where it comes from: "env NAME", "config.yaml", "auth.json", or whose login
	// it is.
	From string `json:"from"`
	// Address is the only one that it is sent to, empty for the usual one of the service.
	Address string `json:"address,omitempty"`
	// Problem says why it cannot be used, empty if it can.
	Problem string `json:"problem,omitempty"`
}

// Held are the keys and logins that there are, by service. The first of a service is the
// one that its requests begin with.
func (a *Access) Held() ([]Credential, error) {
	var list []Credential
	found, _ := a.Candidates() // what is configured and has no key is not listed
	for _, c := range found {
		if c.Key != "" && (c.KeyFrom == "config.yaml" || strings.HasPrefix(c.KeyFrom, "env ")) {
			list = append(list, Credential{Provider: c.Provider, Kind: "key", Shown: masked(c.Key), From: c.KeyFrom})
		}
	}
	for _, provider := range a.keys.Providers() {
		pool, err := a.keys.Pool(provider, a.poolOptions(provider, nil))
		if err != nil {
			return nil, err
		}
		for _, c := range pool.List() {
			if !c.Absent && (provider != login.ProviderOpenAI || c.Type != credentials.OAuth) {
				list = append(list, a.held(c))
			}
		}
	}
	logins, err := a.logins.List()
	for _, i := range logins {
		one := Credential{Provider: i.Provider, Kind: "login", Shown: i.Account, From: i.From}
		if i.Problem != nil {
			one.Problem = i.Problem.Error()
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b Credential) int { return strings.Compare(a.Provider, b.Provider) })
	return list, err
}

// held describes a credential of auth.json.
func (a *Access) held(c credentials.Credential) Credential {
	out := Credential{
		Provider: strings.TrimPrefix(c.Provider, credentials.CustomProvider("")), ID: c.ID, Name: c.Label, Kind: "key",
		Shown: masked(c.Key()), From: c.From(), Address: c.BaseURL,
	}
	if c.Type == credentials.OAuth {
		out.Kind, out.Shown = "login", ""
	}
	switch c.Status {
	case credentials.Dead:
		out.Problem = "it was refused for good"
	case credentials.Exhausted:
		out.Problem = "it was refused, and is tried again from " + c.Until.In(a.o.IDs.Now().Location()).Format("2 Jan 15:04") + " on"
	}
	return out
}

// masked is a key as it may be shown.
func masked(key string) string {
	if shown := redact.NewSecrets(key).Text(key); shown != key {
		return shown
	}
	return "***"
}

// KeepKey puts a key of a service into auth.json, which only the user can read, under a
// name of the user's and beside the address that it was given for.
func (a *Access) KeepKey(ctx context.Context, s api.Service, name, key string) (Credential, error) {
	if a.unread != nil { // it would be lost with this process
		return Credential{}, a.unread
	}
	c, err := a.candidate(s, key)
	if err != nil {
		return Credential{}, err
	}
	switch {
	case c.Protocol == catalog.Demo:
		return Credential{}, fmt.Errorf("%s needs no key", c.Provider)
	case c.Auth == catalog.ByLogin:
		return Credential{}, fmt.Errorf("%s takes a login and no key: hermes-tui auth login %s", c.Label, c.Provider)
	}
	if err := c.Sendable(); err != nil {
		return Credential{}, err
	}
	fresh := credentials.New{Label: name, Key: key}
	if p, _ := catalog.Find(c.Provider); p.BaseURL != c.BaseURL {
		fresh.BaseURL = c.BaseURL
	}
	pool, err := a.keys.Pool(poolName(c), a.poolOptions(c.Provider, nil))
	if err != nil {
		return Credential{}, err
	}
	kept, err := pool.Add(ctx, fresh)
	return a.held(kept), err
}

// RetireVariables has a key of auth.json take the place of those that the environment has
// for the service, until a variable holds another one.
func (a *Access) RetireVariables(ctx context.Context, s api.Service, key string) error {
	p, _ := catalog.Find(s.ID)
	for _, variable := range p.KeyEnv {
		old := a.env(variable)
		if old == "" || old == key {
			continue
		}
		if pool, one, ok := a.borrowedKey(p.ID, variable, old); ok {
			if err := pool.Retire(ctx, one.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// NoKeyError says that auth.json has no such key.
type NoKeyError struct{ Text string }

// Error is one sentence with the next step.
func (e *NoKeyError) Error() string { return e.Text }

// ForgetKey takes a key out of auth.json: the one that which names by its id, name or
// number, or the only one of the service when it is empty.
func (a *Access) ForgetKey(ctx context.Context, provider, which string) (Credential, error) {
	if a.unread != nil {
		return Credential{}, a.unread
	}
	name := credentials.CustomProvider(provider)
	if p, known := catalog.Find(provider); known {
		name = p.ID
	}
	pool, err := a.keys.Pool(name, a.poolOptions(name, nil))
	if err != nil {
		return Credential{}, err
	}
	var own []credentials.Credential
	for _, c := range pool.List() {
		if !c.Borrowed && c.Type == credentials.APIKey {
			own = append(own, c)
		}
	}
	switch {
	case len(own) == 0:
		return Credential{}, a.notKept(provider)
	case which == "" && len(own) > 1:
		return Credential{}, &NoKeyError{fmt.Sprintf("auth.json has %d keys of %s: say which by its id or name (hermes-tui auth list)", len(own), provider)}
	case which == "":
		which = own[0].ID
	}
	c, err := pool.Find(which)
	if err == nil && !slices.ContainsFunc(own, func(o credentials.Credential) bool { return o.ID == c.ID }) {
		err = &NoKeyError{fmt.Sprintf("%s of %s is no key in auth.json", which, provider)}
	}
	if err != nil {
		return Credential{}, err
	}
	gone, err := pool.Remove(ctx, c.ID)
	return a.held(gone), err
}

// notKept says why there is no key of a service in auth.json to take away.
func (a *Access) notKept(provider string) error {
	list, err := a.Held()
	if err != nil {
		return err
	}
	for _, c := range list {
		switch {
		case c.Provider != provider:
		case c.Kind == "login":
			return &NoKeyError{fmt.Sprintf("%s has a login and no key: hermes-tui auth logout %s ends it", provider, provider)}
		case c.ID == "":
			return &NoKeyError{fmt.Sprintf("the key of %s is not in auth.json but comes from %s: take it away there", provider, c.From)}
		}
	}
	return &NoKeyError{fmt.Sprintf("auth.json has no key of %s (hermes-tui auth list)", provider)}
}

// Endpoints are the services that can be used, in the order in which they are tried,
// without asking any.
func (a *Access) Endpoints() ([]api.ModelGroup, error) {
	list, err := a.Candidates()
	var out []api.ModelGroup
	for i, c := range list {
		c.KeyFrom = a.keyFrom(c)
		g := groupOf(c)
		g.At, g.Asking = i, false
		out = append(out, g)
	}
	return out, err
}

// keyFrom says where the credential of an endpoint comes from, empty for none.
func (a *Access) keyFrom(c catalog.Candidate) string {
	if c.KeyFrom != "" {
		return c.KeyFrom
	}
	if keys := a.keyringOf(c, ""); keys != nil {
		return keys.from()
	}
	return ""
}

// Keyless are the endpoints of the settings whose key is to come from a variable that is
// not set, with that variable, where no other key is kept for them.
func (a *Access) Keyless() map[string]string {
	out := map[string]string{}
	for name, p := range a.settings().Providers {
		key, variable := p.APIKey.Reveal(), p.KeyEnv
		if reference, missing := config.Unresolved(key); missing {
			key, variable = "", reference
		}
		if key == "" && variable != "" && a.env(variable) == "" && len(a.stored(name)) == 0 {
			out[name] = variable
		}
	}
	return out
}
