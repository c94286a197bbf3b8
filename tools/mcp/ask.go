package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// errTexts is why nothing but text is kept for the program itself.
var errTexts = errors.New("only texts are taken here")

// Ask calls a tool of a server, by the name that the server gives it, for the program itself
// instead of an agent, and gives the text of the result. The tool gets those of the arguments
// that its schema has. A server that has not connected yet is waited for; one that asks the
// user or a model something meanwhile is declined. A tool that waits for the user, since it is
// new or has changed, is not called. An error names the server in a sentence.
func (s *Servers) Ask(ctx context.Context, name, tool string, args map[string]any) (string, error) {
	one, err := s.named(name)
	if err != nil {
		return "", fmt.Errorf("there is no MCP server %s that is in use", label(name, maxName))
	}
	if _, _, err := one.use(ctx); err != nil {
		return "", err
	}
	one.mu.Lock()
	offered, held := one.offered, one.heldNow
	one.mu.Unlock()
	i := slices.IndexFunc(offered, func(t Tool) bool { return t.Given == tool })
	switch {
	case i >= 0:
	case slices.ContainsFunc(held, func(h Change) bool { return h.Tool.Given == tool }):
		return "", fmt.Errorf("the tool %s of the MCP server %s needs your approval, see /mcp", label(tool, maxName), label(name, maxName))
	default:
		return "", fmt.Errorf("the MCP server %s has no tool %s", label(name, maxName), label(tool, maxName))
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(offered[i].Schema, &schema); err != nil {
		return "", fmt.Errorf("the schema of the tool %s of the MCP server %s cannot be read: %w", label(tool, maxName), label(name, maxName), err)
	}
	fit := maps.Clone(args)
	maps.DeleteFunc(fit, func(k string, _ any) bool { _, takes := schema.Properties[k]; return !takes })
	raw, err := json.Marshal(fit)
	if err != nil {
		return "", err
	}
	r, err := one.call(ctx, offered[i], raw, &running{})
	if err != nil {
		return "", err
	}
	text := textOf(ctx, r, func(context.Context, string, []byte) (string, error) { return "", errTexts })
	if r.IsError {
		return "", fmt.Errorf("the tool %s of the MCP server %s failed: %s", label(tool, maxName), label(name, maxName), label(text, 200))
	}
	return text, nil
}
