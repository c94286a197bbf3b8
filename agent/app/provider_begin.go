package app

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"hermes-tui/agent/remember"
	"hermes-tui/providers"
	"hermes-tui/providers/schemas"
	"hermes-tui/tools"
)

// memoryBegin is what became of the beginning of a session at the provider of the settings.
type memoryBegin struct {
	done   chan struct{} // closed when the provider has heard of it
	tools  []tools.Tool  // for the agent, once done
	waited atomic.Bool   // the first turn has waited for it
	turns  atomic.Int64  // messages of the user
}

// outside is the provider of the settings, nil for none but the notes.
func (c *conversation) outside() remember.Provider {
	if len(c.providers) < 2 {
		return nil
	}
	return c.providers[1]
}

// beginMemory tells the provider of the settings that the session begins, beside all else.
func (c *conversation) beginMemory(from string) {
	p := c.outside()
	if p == nil {
		close(c.begin.done)
		return
	}
	c.app.background.run(func(ctx context.Context) {
		defer close(c.begin.done)
		if err := p.Available(ctx); err != nil {
			c.tellMemory(err)
			return
		}
		offered, err := p.Begin(ctx, c.remembered())
		c.tellMemory(err)
		for _, t := range offered {
			c.begin.tools = append(c.begin.tools, c.providerTool(p, t))
		}
		if from != "" {
			p.Tell(c.remembered(), remember.Event{Verb: remember.VerbSwitch, From: from}, c.tellMemory)
		}
	})
}

// memoryBegun waits until the provider has heard of the session.
func (c *conversation) memoryBegun(ctx context.Context) {
	select {
	case <-c.begin.done:
	case <-ctx.Done():
	}
}

// providerTools are the tools that the provider gives to the agent, once it has begun. The
// first turn waits for that: tools that come later cost what a service has cached.
func (c *conversation) providerTools() []tools.Tool {
	if c.Conversation == nil {
		return nil
	}
	if c.begin.waited.CompareAndSwap(false, true) {
		ctx, cancel := context.WithTimeout(context.Background(), attended.Known)
		defer cancel()
		c.memoryBegun(ctx)
	}
	select {
	case <-c.begin.done:
		return c.begin.tools
	default:
		return nil
	}
}

// lentTools are the tools of servers and of the provider.
func (c *conversation) lentTools(begin bool) []tools.Tool {
	return append(c.mcpTools(begin), c.providerTools()...)
}

// memoryServer is what the user is asked about when a tool of the provider is called.
const memoryServer = "the memory provider"

// providerTool is a tool of the provider. Its calls pass the gate as those of servers do.
func (c *conversation) providerTool(p remember.Provider, t remember.Tool) tools.Tool {
	view := tools.View{Kind: tools.KindGeneric, Subject: t.Name}
	return tools.Tool{
		Name: t.Name, Toolset: "memory", Description: t.Description, Parameters: schemas.Plain(t.Parameters), RootOnly: true,
		Preview: func(json.RawMessage) tools.View { return view },
		Action: func(args json.RawMessage) (tools.Action, error) {
			return tools.Action{Kind: tools.ActCall, Command: string(args), Server: memoryServer, Item: t.Name}, nil
		},
		Run: func(ctx context.Context, call tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			text, err := p.Call(ctx, c.remembered(), t.Name, call.Args)
			switch {
			case ctx.Err() != nil:
				return tools.Result{}, context.Cause(ctx)
			case err != nil:
				if _, told := errors.AsType[*remember.Problem](err); !told {
					err = errors.New("the memory provider is not asked any more")
				}
				return tools.Failure(view, err.Error()), nil
			}
			v := view
			v.Body = text
			return tools.Result{Content: text, View: v, Untrusted: memoryServer}, nil
		},
	}
}

// turnOfMemory tells providers that the user has said something.
func (c *conversation) turnOfMemory(said string) {
	n := int(c.begin.turns.Add(1))
	c.tellProviders(remember.Event{Verb: remember.VerbTurn, Query: said, Turn: n})
}

// tellProviders tells providers of an event.
func (c *conversation) tellProviders(e remember.Event) {
	for _, p := range c.providers {
		p.Tell(c.remembered(), e, c.tellMemory)
	}
}

// compressing asks providers what a summary should keep of what is left out.
func (c *conversation) compressing(ctx context.Context, left []providers.Message) string {
	var said []remember.Message
	for i := range left {
		if text := left[i].Text(); text != "" {
			said = append(said, remember.Message{Role: string(left[i].Role), Text: text})
		}
	}
	all := ""
	for _, p := range c.providers {
		text, err := p.Compressing(ctx, c.remembered(), said)
		c.tellMemory(err)
		all += text
	}
	return all
}
