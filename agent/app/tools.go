package app

import (
	"context"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
)

// Tools implements [Conversation].
func (c *conversation) Tools(ctx context.Context) []api.ToolOffer {
	list := []api.ToolOffer{}
	for _, o := range c.box.Offers(ctx) {
		t := api.ToolOffer{Name: o.Name, Toolset: o.Toolset, State: "off", Tokens: agent.ToolTokens(o.Definition)}
		switch {
		case o.On && o.Missing != nil:
			t.State, t.Why = "missing", o.Missing.Error()
		case o.Found:
			t.State = "searched"
		case o.On:
			t.State = "on"
		}
		list = append(list, t)
	}
	return list
}

// PromptTokens implements [Conversation].
func (c *conversation) PromptTokens(ctx context.Context) (int, error) {
	text, _, err := c.prompt.Build(ctx, c.trusted(), c.Runtime().Model, c.box.Definitions(ctx))
	return agent.TextTokens(text), err
}
