package app

import (
	"context"
	"math/rand/v2"
	"net/url"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/recover"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// policy is how hard failed model calls are tried again.
func (a *App) policy() recover.Policy {
	p := recover.Defaults(rand.Float64)
	p.Retries = a.o.Config.Agent.APIMaxRetries
	return p
}

// guard says when repeated calls are warned about or stopped.
func (a *App) guard() guard.Config {
	c := a.o.Config.LoopGuard
	return guard.Config{
		Warnings: c.WarningsEnabled, HardStops: c.HardStopEnabled,
		WarnAfter: limits(c.WarnAfter), StopAfter: limits(config.LoopCounts(c.HardStopAfter)),
	}
}

// compression says when and how far a long conversation is shortened for the
// model.
func (a *App) compression() compress.Config {
	c := a.o.Config.Compression
	return compress.Config{
		Enabled: c.Enabled, Threshold: c.Threshold, TargetRatio: c.TargetRatio, ProtectFirst: c.ProtectFirstN, ProtectLast: c.ProtectLastN,
	}
}

func limits(c config.LoopCounts) guard.Limits {
	return guard.Limits{ExactFailure: c.ExactFailure, SameToolFailure: c.SameToolFailure, NoProgress: c.IdempotentNoProgress}
}

// stale is how long an answer of an endpoint may bring nothing new; 0 is for
// ever. A server nearby may load a model first.
func (a *App) stale(base string) time.Duration {
	n := a.o.Config.Network
	if u, err := url.Parse(base); err == nil && transport.IsLocal(u.Hostname()) && !a.o.Config.IsSet("network.stream_stale_timeout_s") {
		return 0
	}
	return n.StreamStaleTimeout.Duration()
}

// fallbacks are the services to go to when the usual one fails.
func (a *App) fallbacks() []agent.Fallback {
	var out []agent.Fallback
	for _, f := range a.o.Config.Fallbacks {
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
func (a *App) fallback(ctx context.Context, f config.Fallback) (agent.Runtime, error) {
	if f.Provider == catalog.DemoID || f.Provider == providerScript {
		return a.scripted()
	}
	m := config.Model{Provider: f.Provider, Default: f.Model, BaseURL: f.BaseURL, APIKey: f.APIKey, KeyEnv: f.KeyEnv}
	if m.Provider == "" {
		m.Provider = catalog.Custom
	}
	list, err := a.candidatesFor(m)
	if err != nil {
		return agent.Runtime{}, err
	}
	return a.runtime(ctx, list[0], true)
}
