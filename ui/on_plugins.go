package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// pluginsWindow lists the plugins.
type pluginsWindow struct {
	*overlay.Picker
	list []app.Plugin
	gen  uint64 // of its entries
}

// pluginsMsg brings the plugins.
type pluginsMsg struct {
	window *pluginsWindow
	list   []app.Plugin
	said   string
	err    error
}

// pluginMsg asks for something to be done with a plugin.
type pluginMsg struct {
	window *pluginsWindow
	name   string
	do     keys.Action
}

// Contexts are where the window has keys of its own.
func (*pluginsWindow) Contexts() []keys.Context { return []keys.Context{keys.InPlugins} }

// Name is what the window is called by those opened out of it.
func (*pluginsWindow) Name() string { return "plugins" }

// Act implements [overlay.Box].
func (w *pluginsWindow) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Allow, keys.Disable:
		if it, ok := w.Selected(); ok {
			return pluginMsg{w, it.ID, a}
		}
		return nil
	}
	return w.Picker.Act(a)
}

// openPlugins lists the plugins.
func (m *Model) openPlugins() tea.Cmd {
	hints := m.windowHints("read", m.hints(keys.InPlugins, keys.Allow, keys.Disable))
	w := &pluginsWindow{}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Plugins", Empty: "None: hermes-tui plugins install takes one in.", Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return pluginMsg{w, it.ID, keys.Open} },
	})
	w.gen = w.Load()
	m.show(w)
	return m.loadPlugins(w, "")
}

// loadPlugins reads the plugins; said is told with them.
func (m *Model) loadPlugins(w *pluginsWindow, said string) tea.Cmd {
	a := m.app
	return m.do(func() tea.Msg {
		list, err := a.Plugins()
		return pluginsMsg{w, list, said, err}
	})
}

func (msg pluginsMsg) handle(m *Model) tea.Cmd {
	var cmds []tea.Cmd
	if msg.err != nil {
		msg.said = sentence(msg.err)
	}
	if msg.said != "" {
		cmds = append(cmds, m.say(msg.said))
	}
	if w := msg.window; m.box == w {
		w.list = msg.list
		w.SetItems(w.gen, pluginItems(msg.list))
		m.dirty = true
		cmds = append(cmds, m.dispatch(w.Search()))
	}
	return tea.Batch(cmds...)
}

// The headers of the list, in their order.
var pluginGroups = []struct{ state, title string }{
	{"changed", "Changed since you enabled them, and off"},
	{"enabled", "Enabled"},
	{"disabled", "Off"},
	{"broken", "Cannot be read"},
}

func pluginItems(list []app.Plugin) []overlay.Item {
	var items []overlay.Item
	for _, g := range pluginGroups {
		for _, p := range list {
			if p.State != g.state {
				continue
			}
			it := overlay.Item{ID: p.Name, Label: p.Name, Detail: p.Description, Group: g.title, Right: pluginBrings(p)}
			if p.State == "broken" {
				it.Detail = p.Why
			}
			items = append(items, it)
		}
	}
	return items
}

// pluginBrings counts what a plugin has.
func pluginBrings(p app.Plugin) string {
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

// handle does what was asked for. The window stays open.
func (msg pluginMsg) handle(m *Model) tea.Cmd {
	w := msg.window
	i := slices.IndexFunc(w.list, func(p app.Plugin) bool { return p.Name == msg.name })
	if i < 0 {
		return nil
	}
	p, a, ctx := w.list[i], m.app, m.ctx
	if msg.do == keys.Open {
		m.showOver(overlay.NewPager(m.styles, p.Name, PluginText(p), m.readHints()))
		return nil
	}
	on, said := msg.do == keys.Allow, "Disabled: "+p.Name+", from the next session on."
	if on {
		said = "Enabled as it is now: " + p.Name + ", from the next session on. Its hooks are approved in /hooks."
		if len(p.Hooks) == 0 {
			said = "Enabled as it is now: " + p.Name + ", from the next session on."
		}
	}
	w.gen = w.Load()
	return m.do(func() tea.Msg {
		err := a.EnablePlugin(ctx, p, on)
		list, e := a.Plugins()
		if err == nil {
			err = e
		}
		return pluginsMsg{w, list, said, err}
	})
}

// PluginText is all about a plugin.
func PluginText(p app.Plugin) string {
	var b strings.Builder
	line := func(text string) {
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	list := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		b.WriteString("\n" + title + ":\n")
		for _, it := range items {
			b.WriteString("  " + it + "\n")
		}
	}
	line(strings.TrimSpace(p.Name + " " + p.Version))
	line(p.Description)
	for _, part := range [][2]string{{"By ", p.Author}, {"License: ", p.License}, {"From ", p.From}, {"At the commit ", p.Ref}} {
		if part[1] != "" {
			line(part[0] + part[1])
		}
	}
	line("It is " + p.State + ".")
	if p.Why != "" {
		line("Why: " + p.Why + ".")
	}
	list("Reads like an attempt to take over the agent", p.Findings)
	list("Skills, which tell the agent what to do", p.Skills)
	list("Tools, commands that the agent can run", p.Tools)
	list("Hooks, commands that run by themselves once you approve each", p.Hooks)
	list("MCP servers, started once you allow each under /mcp", p.Servers)
	list("Passed over", p.Notes)
	return b.String()
}
