package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/providers/redact"
	"hermes-tui/store/config"
	"hermes-tui/tools/mcp"
)

// MCPServers are those of the settings, of plugins and of the projects that are worked in.
// problems say what of their files cannot be read.
func (a *App) MCPServers() (list []api.MCPServer, problems []string) {
	for _, st := range a.mcp.servers.List() {
		s := a.shownServer(st.Config)
		s.State, s.Why, s.Says, s.Left, s.Junk, s.Rests = string(st.State), st.Why, st.Says, st.Left, st.Junk, st.Rests
		for _, t := range st.Tools {
			s.Tools = append(s.Tools, api.MCPTool{
				Name: t.Name, Description: t.Description, Tokens: tokensOf(len(t.Name) + len(t.Description) + len(t.Schema)), Reads: t.Reads,
			})
		}
		for _, h := range st.Held {
			s.Held = append(s.Held, api.MCPChange{Name: h.Tool.Name, Diff: h.Diff, Findings: h.Findings})
		}
		list = append(list, s)
	}
	a.mcp.mu.Lock()
	held, idle := slices.Clone(a.mcp.held), slices.Clone(a.mcp.idle)
	problems = slices.Clone(a.mcp.bad)
	a.mcp.mu.Unlock()
	for _, c := range held {
		s := a.shownServer(c)
		s.State, s.Why = string(mcp.Held), "You have not agreed to it, or it has changed since."
		files := a.filesOf(c)
		s.Seen = entrySeen{c, files}
		if s.Files = files.names; a.mcp.consents.Newest(entryKey(c)) == c.Sum() || !a.ofOthers(c) {
			s.Why = changedFiles(s.Files)
		}
		list = append(list, s)
	}
	for _, c := range idle {
		s := a.shownServer(c)
		s.State, s.Why = string(mcp.Off), "It is switched off for this run."
		if !a.mcpOffNow(c.Name) {
			s.Why = "It is switched off in the projects that are worked in."
		}
		list = append(list, s)
	}
	for name, e := range a.config().MCPServers {
		if !e.Enabled {
			s := a.shownServer(a.mcpEntry(name, e))
			s.State, s.Why = string(mcp.Off), offBySettings
			list = append(list, s)
		}
	}
	for i := range list {
		list[i].Next = nextStep(list[i])
	}
	slices.SortStableFunc(list, func(x, y api.MCPServer) int { return strings.Compare(x.Name, y.Name) })
	return list, problems
}

// offBySettings is why a server is off that the settings do not want.
const offBySettings = "It is switched off in config.yaml (enabled: false)."

func (a *App) shownServer(c mcp.Config) api.MCPServer {
	w := c.AsWritten()
	s := api.MCPServer{Name: c.Name, Origin: c.Origin, Trusted: c.Trusted, Log: a.mcpLogFile(c.Name), Seen: entrySeen{entry: c}}
	s.Runs, s.Gets = a.masked(w)
	if c.Command != "" {
		s.In = w.Dir
	}
	if c.Origin != a.o.Home.Config() {
		s.Wants = a.variables(w)
	}
	return s
}

// masked shows what an entry starts or connects to, and the variables and headers that it
// gets, without keys: of a header nothing but the references in it, of everything else what
// does not look like one.
func (a *App) masked(c mcp.Config) (runs string, gets []string) {
	mask := redact.Masker{Secrets: a.secrets}.Text
	c.Args = slices.Clone(c.Args)
	for i, arg := range c.Args {
		if i > 0 && strings.HasPrefix(c.Args[i-1], "-") && !strings.Contains(c.Args[i-1], "=") {
			if both := c.Args[i-1] + "=" + arg; mask(both) != both {
				c.Args[i] = "***"
			}
		}
	}
	runs = mask(c.Shown())
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		gets = append(gets, mask(mcp.Line(name+"="+c.Env[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		var only []string
		for word := range strings.FieldsSeq(c.Headers[name]) {
			if !strings.HasPrefix(word, "${") && !slices.Contains([]string{"Bearer", "Basic", "Token"}, word) {
				word = "***"
			}
			only = append(only, word)
		}
		gets = append(gets, mcp.Line(name+": "+strings.Join(only, " ")))
	}
	return runs, gets
}

// entrySeen is the entry of a server and, of one that is held, its files as they were.
type entrySeen struct {
	entry mcp.Config
	files mcpFiles
}

func seenOf(s api.MCPServer) entrySeen {
	e, _ := s.Seen.(entrySeen)
	return e
}

// nextStep returns a sentence on what the user can do about a server, empty for nothing.
func nextStep(s api.MCPServer) string {
	switch mcp.State(s.State) {
	case mcp.Held:
		return "Look at what it runs, and allow it if you want that."
	case mcp.Off:
		return "Switch it on."
	case mcp.NeedsLogin:
		if seenOf(s).entry.LogsIn() {
			return "Log in with hermes-tui mcp login " + s.Name + ", or with the key for that under /mcp."
		}
		return "Give it a key: headers in its entry in " + s.Origin + "."
	case mcp.Parked:
		if s.Rests {
			return ""
		}
		return "Its log says more; a call tries again, and so can you."
	case mcp.Failed:
		return "Mend its entry in " + s.Origin + "."
	case mcp.Ready:
		if len(s.Held) > 0 {
			return "Look at the tools that are new or have changed, and allow them if they are as you want them."
		}
	}
	return ""
}

// AllowMCP agrees to a server that is held back, as it is now, or to the tools of one that
// are.
func (a *App) AllowMCP(ctx context.Context, s api.MCPServer) error {
	if err := a.writable(); err != nil {
		return err
	}
	if s.State != string(mcp.Held) {
		return a.mcp.servers.Allow(s.Name)
	}
	seen := seenOf(s)
	if err := errors.Join(a.mcp.consents.Allow(ctx, entryKey(seen.entry), seen.entry.Sum()), a.agree(ctx, seen.files)); err != nil {
		return err
	}
	a.syncMCP()
	return nil
}

// SwitchMCP switches a server off or on for this run.
func (a *App) SwitchMCP(name string, off bool) error {
	if e, ok := a.config().MCPServers[name]; ok && !e.Enabled {
		return fmt.Errorf("the server %s is switched off in config.yaml: set mcp_servers.%s.enabled there", name, name)
	}
	a.mcp.mu.Lock()
	if off {
		a.mcp.off[name] = true
	} else {
		delete(a.mcp.off, name)
	}
	a.mcp.mu.Unlock()
	a.syncMCP()
	return nil
}

// TryMCP tries to connect to a server and waits for what comes of that.
func (a *App) TryMCP(ctx context.Context, name string) (api.MCPServer, error) {
	if err := a.mcp.servers.Again(name); err != nil {
		return api.MCPServer{}, errors.New("there is no server " + name + " that could be tried: see which there are with /mcp or hermes-tui mcp list")
	}
	ctx, cancel := context.WithTimeout(ctx, mcp.DefaultConnectTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		list, _ := a.MCPServers()
		i := slices.IndexFunc(list, func(s api.MCPServer) bool { return s.Name == name })
		if i < 0 {
			return api.MCPServer{}, errors.New("the server " + name + " is no longer there")
		}
		if s := list[i]; s.State != string(mcp.Connecting) {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return list[i], nil
		case <-tick.C:
		}
	}
}

// StartMCP has the servers of the settings and plugins run that no session has begun, and
// waits for them.
func (a *App) StartMCP(ctx context.Context) {
	a.syncMCP()
	ctx, cancel := context.WithTimeout(ctx, mcp.DefaultConnectTimeout)
	defer cancel()
	a.mcp.servers.Wait(ctx)
}

// NewMCP is a server to be written into the settings: an address, or a command with its
// arguments.
type NewMCP struct {
	Name, URL string
	Command   []string
	// Env are variables of a command, Headers those of an address.
	Env, Headers map[string]string
	// Auth is the setting of that name, empty for the usual one. Trust has its tools called
	// without a question.
	Auth  string
	Trust bool
}

// check says in words why it cannot be added, empty if it can.
func (n NewMCP) check() string {
	c := mcp.Config{Name: n.Name, URL: n.URL}
	if len(n.Command) > 0 {
		c.Command = n.Command[0]
	}
	switch {
	case n.URL != "" && len(n.Env) > 0:
		return "variables are for a command, not for an address"
	case n.URL == "" && (len(n.Headers) > 0 || n.Auth != ""):
		return "headers and logins are for an address, not for a command"
	}
	return c.Check()
}

// AddMCP writes a server into the settings.
func (a *App) AddMCP(ctx context.Context, n NewMCP) error {
	if err := a.writable(); err != nil {
		return err
	}
	if why := n.check(); why != "" {
		return errors.New("the server cannot be added: " + why)
	}
	if _, there := a.config().MCPServers[n.Name]; there {
		return fmt.Errorf("there is a server %s already: change its entry in %s", n.Name, a.ConfigFile())
	}
	var fields []config.Named
	add := func(key string, value any, is bool) {
		if is {
			fields = append(fields, config.Named{Key: key, Value: value})
		}
	}
	if len(n.Command) > 0 {
		add("command", n.Command[0], true)
		add("args", n.Command[1:], len(n.Command) > 1)
	}
	add("env", n.Env, len(n.Env) > 0)
	add("url", n.URL, n.URL != "")
	add("headers", n.Headers, len(n.Headers) > 0)
	add("auth", n.Auth, n.Auth != "")
	add("trust", "full", n.Trust)
	if err := a.add(ctx, "mcp_servers", n.Name, fields); err != nil {
		return err
	}
	a.reload()
	a.syncMCP()
	return nil
}

// RemoveMCP takes a server out of the settings. Its program ends.
func (a *App) RemoveMCP(ctx context.Context, name string) error {
	if err := a.writable(); err != nil {
		return err
	}
	if _, there := a.config().MCPServers[name]; !there {
		list, _ := a.MCPServers()
		if i := slices.IndexFunc(list, func(s api.MCPServer) bool { return s.Name == name }); i >= 0 {
			return fmt.Errorf("the server %s is named by %s: remove it there", name, list[i].Origin)
		}
		return fmt.Errorf("there is no server %s in %s", name, a.ConfigFile())
	}
	if _, _, err := a.LogoutMCP(ctx, name); err != nil {
		a.log.Warn("mcp", "logout", name, "err", err) // most have no login
	}
	if err := a.drop(ctx, "mcp_servers", name); err != nil {
		return err
	}
	a.reload()
	a.syncMCP()
	return nil
}

// ConfigFile is config.yaml.
func (a *App) ConfigFile() string { return a.o.Home.Config() }
