package app

import (
	"fmt"
	"hermes-tui/store/config"
	"hermes-tui/store/plugins"
	"hermes-tui/tools/mcp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// mcpFile is where a project names its servers.
const mcpFile = ".mcp.json"

// maxMCPFile bounds it, in bytes.
const maxMCPFile = 1 << 20

// mcpEntries are the servers of the settings, of plugins and of the projects that
// conversations work in. held are those that the user has not agreed to.
func (a *App) mcpEntries() (entries, held []mcp.Config, bad []string) {
	settings, running := a.config().MCPServers, a.mcp.servers.List()
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if e := settings[name]; e.Enabled {
			taken[name] = true
			if entry := a.mcpEntry(name, e); a.waits(entry, running) {
				held = append(held, entry)
			} else {
				entries = append(entries, entry)
			}
		}
	}
	others := a.pluginServers()
	roots := map[string]bool{}
	for _, c := range a.conversations() {
		if file := c.mcpFile(); file != "" && !roots[file] {
			roots[file] = true
			list, wrong := projectServers(file)
			bad, others = append(bad, wrong...), append(others, list...)
		}
	}
	for _, e := range others {
		if _, own := settings[e.Name]; own || taken[e.Name] {
			bad = append(bad, fmt.Sprintf("%s: the server %s does not count, since another one has its name.", e.Origin, e.Name))
			continue
		}
		if why := e.Check(); why != "" {
			bad = append(bad, fmt.Sprintf("%s: the server %s cannot be used: %s.", e.Origin, e.Name, why))
			continue
		}
		taken[e.Name] = true
		if a.mcp.consents.Newest(entryKey(e)) != e.Sum() || a.waits(e, running) {
			held = append(held, e)
			continue
		}
		entries = append(entries, a.expandForeign(e))
	}
	unused := map[string]bool{}
	for _, e := range entries {
		unused[e.Name] = a.mcpUnused(e.Name)
	}
	a.mcp.mu.Lock()
	defer a.mcp.mu.Unlock()
	a.mcp.idle = nil
	entries = slices.DeleteFunc(entries, func(e mcp.Config) bool {
		idle := a.mcp.off[e.Name] || unused[e.Name]
		if idle {
			a.mcp.idle = append(a.mcp.idle, e)
		}
		return idle
	})
	return entries, held, bad
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// entryKey is what the consent to an entry is kept under.
func entryKey(c mcp.Config) string { return "server " + c.Name + " of " + c.Origin }

// mcpEntry is a server of the settings.
func (a *App) mcpEntry(name string, e config.MCPServer) mcp.Config {
	open := func(m map[string]config.Secret) map[string]string {
		plain := map[string]string{}
		for k, v := range m {
			plain[k] = v.Reveal()
		}
		return plain
	}
	c := mcp.Config{
		Name: name, Origin: a.o.Home.Config(), Command: e.Command, Args: e.Args, Env: open(e.Env), Dir: a.o.Dir,
		URL: e.URL, Headers: open(e.Headers), SSE: e.Transport == "sse", Verify: e.Verify, Key: e.ClientKey, Keepalive: e.Keepalive.Duration(),
		ConnectTimeout: e.ConnectTimeout.Duration(), Timeout: e.Timeout.Duration(),
		Include: e.Tools.Include, Exclude: e.Tools.Exclude, Trusted: e.Trust == "full", Parallel: e.Parallel,
		NoResources: !e.Tools.Resources, NoPrompts: !e.Tools.Prompts, NoElicitation: !e.Elicitation.Enabled,
		ElicitTimeout: e.Elicitation.Timeout.Duration(), SampleModel: e.Sampling.Model, SampleModels: e.Sampling.Models, SampleTokens: e.Sampling.MaxTokens, SampleTime: e.Sampling.Timeout.Duration(),
		SamplesPerMinute: e.Sampling.MaxRPM, NoLogin: e.Auth == "none", IdleTimeout: e.IdleTimeout.Duration(), MaxLifetime: e.MaxLifetime.Duration(),
	}
	switch cert := e.ClientCert; {
	case len(cert) == 1:
		c.Cert = cert[0]
	case len(cert) > 1:
		c.Cert, c.Key = cert[0], first(c.Key, cert[1])
	}
	if e.Protocol != "auto" {
		c.Era = mcp.Era(e.Protocol)
	}
	if !e.Sampling.Enabled {
		c.SamplesPerMinute = 0
	}
	switch {
	case e.Identity.Name == "":
	case e.Identity.From == "profile":
		c.Headers[e.Identity.Name] = a.o.Home.Profile()
	default:
		c.Headers[e.Identity.Name] = e.Identity.Value
	}
	if e.Cwd != "" {
		c.Dir = a.userPath(e.Cwd)
	}
	written := c
	written.Env, written.Headers = shownSecrets(e.Env), shownSecrets(e.Headers)
	c.Written = &written
	return expandMCP(c, a.references(a.o.Dir, a.o.Env))
}

// shownSecrets are secrets as they are shown.
func shownSecrets(m map[string]config.Secret) map[string]string {
	shown := map[string]string{}
	for name, v := range m {
		shown[name] = v.String()
	}
	return shown
}

// values gives the value of a name between ${ and }, if it has one.
type values func(name string) (string, bool)

// references are the folders that entries name, and variables.
func (a *App) references(workspace string, variable values) values {
	return func(name string) (string, bool) {
		switch name {
		case "workspaceFolder":
			return workspace, true
		case "workspaceFolderBasename":
			return filepath.Base(workspace), true
		case "userHome":
			return a.place.Info().Home, true
		case "/", "pathSeparator":
			return string(filepath.Separator), true
		}
		return variable(strings.TrimPrefix(name, "env:"))
	}
}

// expandMCP puts folders and variables in their places.
func expandMCP(c mcp.Config, value values) mcp.Config {
	in := func(s string) string { return expandText(s, value) }
	c.Command, c.URL, c.Dir = in(c.Command), in(c.URL), in(c.Dir)
	args := make([]string, len(c.Args))
	for i, s := range c.Args {
		args[i] = in(s)
	}
	c.Args = args
	for _, m := range []*map[string]string{&c.Env, &c.Headers} {
		all := map[string]string{}
		for k, v := range *m {
			all[k] = in(v)
		}
		*m = all
	}
	return c
}

// expandText replaces each ${NAME} and ${NAME:-ELSE}. What is not known stays.
func expandText(s string, value values) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString("${" + rest)
			return b.String()
		}
		name, otherwise, given := strings.Cut(inner, ":-")
		if v, ok := value(name); ok {
			b.WriteString(v)
		} else if given {
			b.WriteString(otherwise)
		} else {
			b.WriteString("${" + inner + "}")
		}
		s = after
	}
}

// mcpFile is the file in which the project of a conversation names servers, empty where it
// does not count.
func (c *conversation) mcpFile() string {
	if c.remote != nil || c.trusted == nil {
		return ""
	}
	root := c.app.rootOf(c.dir)
	if c.app.within(root, c.app.place.Info().Home) || !c.trusted() {
		return ""
	}
	return filepath.Join(root, mcpFile)
}

// pluginOrigin begins the origin of servers of plugins.
const pluginOrigin = "plugin "

// pluginData is the variable that names the folder for the data of a plugin.
const pluginData = "PLUGIN_DATA"

// pluginServers are those of enabled plugins.
func (a *App) pluginServers() (list []mcp.Config) {
	for _, p := range a.plugins.enabled() {
		data := filepath.Join(a.o.Home.Plugins(), ".data", p.Name)
		in := strings.NewReplacer(plugins.Root, p.Dir, "${PLUGIN_DATA}", data, "${CLAUDE_PLUGIN_DATA}", data)
		for _, s := range p.Servers {
			c := mcp.Config{
				Name: p.Name + "." + s.Name, Origin: pluginOrigin + p.Name, Command: s.Command, Dir: filepath.Join(p.Dir, s.Cwd), URL: s.URL, Headers: s.Headers, SSE: s.Type == "sse", Keepalive: mcp.DefaultKeepalive,
				Env: map[string]string{"PLUGIN_ROOT": p.Dir, "CLAUDE_PLUGIN_ROOT": p.Dir, pluginData: data},
			}
			if strings.HasPrefix(c.Command, "./") {
				c.Command = filepath.Join(p.Dir, c.Command)
			}
			for _, arg := range s.Args {
				c.Args = append(c.Args, in.Replace(arg))
			}
			for k, v := range s.Env {
				c.Env[k] = in.Replace(v)
			}
			list = append(list, c)
		}
	}
	return list
}
