package models

import (
	"context"
	"errors"
	"net/url"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// stale is how long an answer of an endpoint may bring nothing new; 0 is for
// ever. A server nearby may load a model first.
func (a *Access) stale(base string) time.Duration {
	n := a.settings().Network
	if local(base) && !a.settings().IsSet("network.stream_stale_timeout_s") {
		return 0
	}
	return n.StreamStaleTimeout.Duration()
}

// local reports whether an endpoint is on this machine or in its network.
func local(base string) bool {
	u, err := url.Parse(base)
	return err == nil && transport.IsLocal(u.Hostname())
}

// Fallbacks are the services to go to when the usual one fails.
func (a *Access) Fallbacks() []agent.Fallback {
	var out []agent.Fallback
	for _, f := range a.settings().Fallbacks {
		name := f.Provider
		if name == "" {
			name = f.BaseURL
		}
		out = append(out, agent.Fallback{Name: name + "/" + f.Model, Open: func(ctx context.Context) (agent.Runtime, error) {
			return a.fallback(ctx, f)
		}})
	}
	return out
}

// fallback connects to an entry of the chain.
func (a *Access) fallback(ctx context.Context, f config.Fallback) (agent.Runtime, error) {
	if Scripted(f.Provider) {
		return a.scripted()
	}
	list, err := a.candidatesFor(custom(f))
	if err != nil {
		return agent.Runtime{}, err
	}
	return a.runtime(ctx, list[0], true)
}

// custom is an entry with an address, whose provider may be left out.
func custom(f config.Fallback) config.Fallback {
	if f.Provider == "" || f.Provider == catalog.Auto {
		f.Provider = catalog.Custom
	}
	return f
}

// Delegated connects to the model of subagents.
func (a *Access) Delegated(ctx context.Context, d config.Delegation, parent event.Model) (agent.Runtime, error) {
	if d.Provider == "" && d.BaseURL == "" {
		return a.named(ctx, endpoint{parent.Provider, parent.Host}, d.Model)
	}
	return a.fallback(ctx, delegated(d))
}

// delegated is the service of subagents.
func delegated(d config.Delegation) config.Fallback {
	return config.Fallback{Provider: d.Provider, Model: d.Model, BaseURL: d.BaseURL, APIKey: d.APIKey}
}

// Beside connects to what makes a call beside a conversation that rt answers.
func (a *Access) Beside(ctx context.Context, s auxiliary.Service, rt agent.Runtime) (agent.Runtime, error) {
	here := s.Provider == rt.Model.Provider && s.APIKey.Reveal() == "" && s.KeyEnv == "" && (s.BaseURL == "" || s.BaseURL == rt.Model.Host)
	name := modelOr(s.Model, rt.Model.Name)
	switch {
	case here && (s.ExtraBody != "" || !alike(rt.Model, s.Model)):
		other, err := a.namedWith(ctx, endpoint{rt.Model.Provider, rt.Model.Host}, name, s.ExtraBody)
		other.Model.Name = name
		return other, err
	case here:
		var err error
		if rt.Keys != nil {
			rt.Client, err = rt.Keys.Client(ctx)
		}
		if rt.Model.Name != name {
			rt.Model.Name, rt.Model.ContextMax, rt.MaxOutput = name, 0, 0
			rt.Price = a.price(catalog.Candidate{Endpoint: providers.Endpoint{Provider: s.Provider, BaseURL: s.BaseURL}}, providers.Model{ID: name})
		}
		return rt, err
	case Scripted(s.Provider):
		return agent.Runtime{}, errors.New("the demonstration makes no calls beside the session")
	}
	return a.fallback(ctx, config.Fallback(s))
}

// alike reports whether another model of an endpoint is spoken to as the one at work.
func alike(m event.Model, name string) bool {
	mode := func(name string) providers.Protocol { return catalog.Mode("", m.Provider, "https://"+m.Host, name) }
	return name == "" || mode(name) == mode(m.Name)
}

func modelOr(name, usual string) string {
	if name == "" {
		return usual
	}
	return name
}

// AuxiliaryUsage is what a call beside a conversation used, with its price.
func (a *Access) AuxiliaryUsage(s auxiliary.Service, u *providers.Usage) event.Usage {
	out := event.Usage{Calls: 1}
	if u == nil {
		out.Uncounted = 1
		out.Charge(event.Bill{Status: event.CostUnknown})
		return out
	}
	out.Input, out.Output, out.CacheRead, out.CacheWrite, out.Reasoning = u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning
	out.Charge(a.price(catalog.Candidate{Endpoint: providers.Endpoint{Provider: s.Provider, BaseURL: s.BaseURL}}, providers.Model{ID: s.Model})(*u))
	return out
}
