package app

import (
	"context"

	"hermes-tui/agent"
)

// ToolOffer is a tool as the user sees it.
type ToolOffer struct {
	Name    string `json:"name"`
	Toolset string `json:"toolset"`
	// State is on, off, searched (the model has to look for it first) or missing.
	State string `json:"state"`
	// Why says why it is missing.
	Why string `json:"why,omitempty"`
	// Tokens is about what telling the model of it takes in every request.
	Tokens int `json:"tokens"`
}

// Tools implements [Conversation].
func (c *conversation) Tools(ctx context.Context) []ToolOffer {
	list := []ToolOffer{}
	for _, o := range c.box.Offers(ctx) {
		t := ToolOffer{Name: o.Name, Toolset: o.Toolset, State: "off", Tokens: agent.ToolTokens(o.Definition)}
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
