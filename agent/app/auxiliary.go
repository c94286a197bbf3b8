package app

import (
	"context"

	"hermes-tui/agent"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/models"
	"hermes-tui/providers"
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
			if models.Scripted(m.Provider) {
				return auxiliary.Service{} // its answers are for the conversation
			}
			return auxiliary.Service{Provider: m.Provider, Model: m.Name, BaseURL: m.Host}
		},
		Open: func(ctx context.Context, s auxiliary.Service) (auxiliary.Runtime, error) {
			return a.models.Auxiliary(ctx, s, now())
		},
		Spend: func(_ auxiliary.Task, s auxiliary.Service, u *providers.Usage) {
			if conv := c.Conversation; conv != nil {
				conv.Spend(a.models.AuxiliaryUsage(s, u))
			}
		},
	})
}
