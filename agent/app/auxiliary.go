package app

import (
	"context"
	"errors"

	"hermes-tui/agent"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/store/config"
)

// sideCalls makes what calls models beside a conversation.
func (a *App) sideCalls(c *conversation, p plan) *auxiliary.Client {
	tasks := map[auxiliary.Task]auxiliary.Setting{}
	for name, t := range a.o.Config.Auxiliary.Tasks() {
		s := auxiliary.Setting{
			Service: auxiliary.Service{Provider: t.Provider, Model: t.Model, BaseURL: t.BaseURL, APIKey: t.APIKey}, Timeout: t.Timeout.Duration(),
		}
		for _, f := range t.Fallbacks {
			s.Fallbacks = append(s.Fallbacks, auxiliary.Service(f))
		}
		tasks[auxiliary.Task(name)] = s
	}
	now := func() agent.Runtime {
		if c.Conversation == nil {
			return p.runtime
		}
		return c.Runtime()
	}
	return auxiliary.New(auxiliary.Options{
		Tasks: tasks, Mask: a.masker().Text, Now: a.o.IDs.Now,
		Main: func() auxiliary.Service {
			m := now().Model
			if m.Provider == catalog.DemoID || m.Provider == providerScript {
				return auxiliary.Service{} // its answers are for the conversation
			}
			return auxiliary.Service{Provider: m.Provider, Model: m.Name, BaseURL: m.Host}
		},
		Open: func(ctx context.Context, s auxiliary.Service) (auxiliary.Runtime, error) {
			return a.openSide(ctx, s, now())
		},
		Spend: func(_ auxiliary.Task, s auxiliary.Service, u *providers.Usage) {
			if conv := c.Conversation; conv != nil {
				conv.Spend(a.sideUsage(s, u))
			}
		},
	})
}

// openSide connects to what makes a call beside a conversation that rt answers.
func (a *App) openSide(ctx context.Context, s auxiliary.Service, rt agent.Runtime) (auxiliary.Runtime, error) {
	here := s.Provider == rt.Model.Provider && s.APIKey.Reveal() == "" && s.KeyEnv == "" && (s.BaseURL == "" || s.BaseURL == rt.Model.Host)
	if here && !alike(rt.Model, s.Model) {
		other, err := a.named(ctx, endpoint{rt.Model.Provider, rt.Model.Host}, s.Model)
		return auxiliary.Runtime{Client: other.Client, Model: s.Model}, err
	}
	if here {
		if rt.Keys == nil {
			return auxiliary.Runtime{Client: rt.Client, Model: modelOr(s.Model, rt.Model.Name)}, nil
		}
		client, err := rt.Keys.Client(ctx)
		return auxiliary.Runtime{Client: client, Model: modelOr(s.Model, rt.Model.Name)}, err
	}
	if s.Provider == catalog.DemoID || s.Provider == providerScript {
		return auxiliary.Runtime{}, errors.New("the demonstration makes no calls beside the conversation")
	}
	other, err := a.fallback(ctx, config.Fallback(s))
	if err != nil {
		return auxiliary.Runtime{}, err
	}
	return auxiliary.Runtime{Client: other.Client, Model: other.Model.Name}, nil
}

// alike tells whether another model of an endpoint is spoken to as the one at work.
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

// sideUsage is what a call beside a conversation used, with its price.
func (a *App) sideUsage(s auxiliary.Service, u *providers.Usage) event.Usage {
	out := event.Usage{Calls: 1}
	if u == nil {
		out.Charge(event.Bill{Status: event.CostUnknown})
		return out
	}
	out.Input, out.Output, out.CacheRead, out.CacheWrite, out.Reasoning = u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning
	out.Charge(a.price(catalog.Candidate{Endpoint: providers.Endpoint{Provider: s.Provider, BaseURL: s.BaseURL}}, providers.Model{ID: s.Model})(*u))
	return out
}
