package app

import (
	"context"
	"errors"
	"sync"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/providers"
)

// sideCalls makes what calls models beside a conversation.
func (a *App) sideCalls(c *conversation, p plan) *auxiliary.Client {
	tasks := map[auxiliary.Task]auxiliary.Setting{}
	for name, t := range a.config().Auxiliary.Tasks() {
		s := auxiliary.Setting{
			Service: auxiliary.Service{Provider: t.Provider, Model: t.Model, BaseURL: t.BaseURL, APIKey: t.APIKey, KeyEnv: t.KeyEnv, ExtraBody: t.ExtraBody}, Timeout: t.Timeout.Duration(),
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
		Blind: func() bool { return now().Model.Vision == event.No },
		Open: func(ctx context.Context, s auxiliary.Service) (auxiliary.Runtime, error) {
			rt, err := a.models.Beside(ctx, s, now())
			if conv := c.Conversation; conv != nil && rt.Client != nil {
				rt.Client = conv.Knowing(rt.Model, rt.Client)
			}
			return auxiliary.Runtime{Client: rt.Client, Model: rt.Model.Name}, err
		},
		Spend: func(t auxiliary.Task, s auxiliary.Service, u *providers.Usage) {
			used := a.models.AuxiliaryUsage(s, u)
			c.besides.add(t, used)
			if conv := c.Conversation; conv != nil {
				conv.Spend(used)
			}
		},
		Failed: func(err *auxiliary.Error) {
			if conv := c.Conversation; conv != nil && err.Task != auxiliary.Compression && err.Task != auxiliary.Review { // which say so themselves
				conv.Notify(event.LevelWarn, err.Error()+".")
			}
		},
	})
}

// reviewed has the models that are to look back at a conversation try it, and counts what
// that uses. One that may not do so now is passed over.
func (c *conversation) reviewed(ctx context.Context, try func(ctx context.Context, rt agent.Runtime, same bool) (bool, error)) error {
	err := c.side.Each(ctx, auxiliary.Review, func(ctx context.Context, s auxiliary.Service, same bool) (began bool, err error) {
		var rt agent.Runtime
		if !same {
			if rt, err = c.app.models.Beside(ctx, s, c.Runtime()); err != nil {
				return false, err
			}
		}
		began, err = try(ctx, rt, same)
		if errors.Is(err, agent.ErrBusy) {
			err = auxiliary.ErrPass
		}
		return began, err
	})
	if errors.Is(err, auxiliary.ErrPass) {
		err = agent.ErrBusy
	}
	return err
}

// besides is what calls beside a conversation have used, by task.
type besides struct {
	mu  sync.Mutex
	all map[auxiliary.Task]event.Usage
}

func (b *besides) add(t auxiliary.Task, u event.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[auxiliary.Task]event.Usage{}
	}
	b.all[t] = b.all[t].Plus(u)
}

// SideCalls implements [Conversation].
func (c *conversation) SideCalls() []api.SideUse {
	var list []api.SideUse
	for _, u := range c.side.Used() {
		c.besides.mu.Lock()
		list = append(list, api.SideUse{
			Task: string(u.Task), Calls: u.Calls, Failed: u.Failed, By: u.By, Link: u.Link, Err: u.Err, Usage: c.besides.all[u.Task],
		})
		c.besides.mu.Unlock()
	}
	return list
}
