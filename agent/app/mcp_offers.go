package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/tools/mcp"
)

// MCPPrompts implements [Conversation].
func (c *conversation) MCPPrompts(ctx context.Context) (list []api.MCPPrompt) {
	c.waitOffers(ctx)
	for _, p := range c.app.mcp.servers.Prompts(c.mcpWanted()) {
		list = append(list, api.MCPPrompt{Name: p.Name, Arguments: p.Usage(), Description: p.Description})
	}
	return list
}

// MCPPrompt implements [Conversation].
func (c *conversation) MCPPrompt(ctx context.Context, name, args string) (string, error) {
	list := c.app.mcp.servers.Prompts(c.mcpWanted())
	i := slices.IndexFunc(list, func(p mcp.Prompt) bool { return p.Name == name })
	if i < 0 {
		return "", errors.New("there is no prompt " + name + " any more: see /mcp")
	}
	filled, err := list[i].Fill(args)
	if err != nil {
		return "", err
	}
	return c.app.mcp.servers.ReadPrompt(ctx, list[i], filled, c.keepMCP)
}

// waitOffers waits a moment for what servers offer.
func (c *conversation) waitOffers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c.app.mcp.servers.WaitOffers(ctx)
}

// mcpNames are the resources of servers as a message names them.
func (c *conversation) mcpNames(ctx context.Context) (list []string) {
	c.waitOffers(ctx)
	for _, r := range c.app.mcp.servers.Resources(c.mcpWanted()) {
		list = append(list, r.Server+":"+r.URI)
	}
	return list
}

// mcpServes reports whether there is a server of that name for the conversation.
func (c *conversation) mcpServes(name string) bool {
	wanted := c.mcpWanted()
	return slices.ContainsFunc(c.app.mcp.servers.List(), func(s mcp.Status) bool { return s.Name == name && wanted(s.Config) })
}

// mcpResource reads a resource of a server.
func (c *conversation) mcpResource(ctx context.Context, server, uri string) (string, error) {
	return c.app.mcp.servers.ReadResource(ctx, server, uri, c.keepMCP)
}
