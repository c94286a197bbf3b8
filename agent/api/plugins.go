package api

import (
	"context"
	"time"
)

// Plugin is an installed plugin.
type Plugin struct {
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	Author      string `json:"author,omitempty"`
	License     string `json:"license,omitempty"`
	// From is where it came from, Ref its commit there.
	From string    `json:"from,omitempty"`
	Ref  string    `json:"ref,omitempty"`
	At   time.Time `json:"installed,omitzero"`
	// State is enabled, disabled, changed or broken; Why explains the last two.
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	// The parts that it brings: names of skills, lines about tools, hooks and MCP servers.
	Skills  []string `json:"skills,omitempty"`
	Tools   []string `json:"tools,omitempty"`
	Hooks   []string `json:"hooks,omitempty"`
	Servers []string `json:"mcp_servers,omitempty"`
	// Notes say what of it was passed over, Findings what in its skills reads like an attempt
	// to take over the agent.
	Notes    []string `json:"notes,omitempty"`
	Findings []string `json:"findings,omitempty"`
	// Sum is that of its content as it was seen.
	Sum string `json:"-"`
}

// Plugins is the topic of plugins.
type Plugins interface {
	// Plugins returns those that are installed, by name.
	Plugins() ([]Plugin, error)
	// EnablePlugin lets a plugin count from the next session on, as it was seen, or no more.
	EnablePlugin(ctx context.Context, p Plugin, on bool) error
	// RemovePlugin deletes a plugin.
	RemovePlugin(ctx context.Context, name string) error
}
