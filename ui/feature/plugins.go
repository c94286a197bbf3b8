package feature

import (
	"context"
	"fmt"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
)

var pluginGroups = []group{
	{"changed", "Changed since you enabled them, and off"},
	{"enabled", "Enabled"},
	{"disabled", "Off"},
	{"broken", "Cannot be read"},
}

func plugins() Feature {
	return Feature{
		Name: "plugins", Title: "Plugins", One: "plugin", Many: "plugins", Named: "name",
		Short: "Install, enable and remove plugins",
		Long: "A plugin is a folder with skills, tools and hooks: see docs/plugins.md. It counts once it is enabled, which is bound to\n" +
			"its content.",
		Empty:  "There are no plugins: hermes-tui plugins install takes one in.",
		Footer: "hermes-tui plugins install takes others in.",
		Load: func(_ context.Context, h Host, _ string) (List, error) {
			list, err := h.Plugins.Plugins()
			var l List
			for _, p := range list {
				l.Entries = append(l.Entries, pluginEntry(p))
			}
			l.Entries = grouped(l.Entries, pluginGroups)
			return l, err
		},
		Show: "Show what a plugin brings",
		Read: func(_ context.Context, _ Host, e Entry) (string, error) { return PluginText(e.Value.(api.Plugin)), nil },
		Actions: []Action{
			{Verb: "enable", Key: keys.Allow, Help: "Let a plugin count as it is now", Do: enable(true)},
			{Verb: "disable", Key: keys.Disable, Help: "Let a plugin count no more", Do: enable(false)},
			{Verb: "remove", Help: "Delete a plugin", Do: func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
				return said("Deleted: "+e.Label+".", h.Plugins.RemovePlugin(ctx, e.ID))
			}},
		},
	}
}

func enable(on bool) func(context.Context, Host, Entry, string) (Outcome, error) {
	return func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
		p := e.Value.(api.Plugin)
		text := "Disabled: " + p.Name + ", from the next session on."
		switch {
		case p.State == "broken":
			return Outcome{}, fmt.Errorf("the plugin %s cannot be read: %s", p.Name, p.Why)
		case on:
			text = "Enabled as it is now: " + p.Name + ", from the next session on. When it changes it is off until you enable it again."
			if len(p.Hooks) > 0 {
				text += " Its hooks are approved one by one: /hooks, or hermes-tui hooks list."
			}
		}
		return said(text, h.Plugins.EnablePlugin(ctx, p, on))
	}
}

func pluginEntry(p api.Plugin) Entry {
	e := Entry{ID: p.Name, Label: p.Name, Detail: strings.TrimSpace(p.Version + " " + p.Description), State: p.State, Right: pluginBrings(p), Waits: p.State == "changed", Value: p}
	if p.Why != "" {
		e.More = []string{p.Why}
	}
	if p.State == "broken" {
		e.Detail = p.Why
	}
	return e
}

// pluginBrings counts what a plugin has.
func pluginBrings(p api.Plugin) string {
	var words []string
	for _, part := range []struct {
		n         int
		one, many string
	}{{len(p.Skills), "skill", "skills"}, {len(p.Tools), "tool", "tools"}, {len(p.Hooks), "hook", "hooks"}, {len(p.Servers), "server", "servers"}} {
		if part.n > 0 {
			words = append(words, format.Count(part.n, part.one, part.many))
		}
	}
	return strings.Join(words, " · ")
}

// PluginText is all about a plugin.
func PluginText(p api.Plugin) string {
	var b strings.Builder
	line := func(before, text, after string) {
		if text != "" {
			b.WriteString(before + text + after + "\n")
		}
	}
	list := func(title string, items []string) {
		if len(items) > 0 {
			b.WriteString("\n" + title + ":\n  " + strings.Join(items, "\n  ") + "\n")
		}
	}
	line("", strings.TrimSpace(p.Name+" "+p.Version), "")
	line("", p.Description, "")
	line("By ", p.Author, "")
	line("License: ", p.License, "")
	line("From ", p.From, "")
	line("At the commit ", p.Ref, "")
	line("It is ", p.State, ".")
	line("Why: ", p.Why, ".")
	list("Reads like an attempt to take over the agent", p.Findings)
	list("Skills, which tell the agent what to do", p.Skills)
	list("Tools, commands that the agent can run", p.Tools)
	list("Hooks, commands that run by themselves once you approve each", p.Hooks)
	list("MCP servers, started once you allow each under /mcp", p.Servers)
	list("Passed over", p.Notes)
	return b.String()
}
