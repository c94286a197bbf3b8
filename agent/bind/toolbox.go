package bind

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"hermes-tui/agent"
	"hermes-tui/providers"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/deferred"
	"hermes-tui/tools/delegate"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/recall"
	"hermes-tui/tools/shell"
	"hermes-tui/tools/vision"
	"hermes-tui/tools/watch"
	"hermes-tui/tools/web"
)

// ToolOptions say which tools an agent gets and where they act.
type ToolOptions struct {
	// Settings are the user's; each family takes from them what is its own.
	Settings config.Config
	Place    place.Place
	// Root is the workspace, where the agent begins.
	Root string
	// Private is the program's own folder.
	Private string
	// Env is the environment of all that tools start.
	Env []string
	// Trusted reports whether the user trusts the workspace; nil is never.
	Trusted func() bool
	// Jobs are those of its conversation that run in the background.
	Jobs *process.Jobs
	// Agent names the agent.
	Agent string
	// Past are the earlier sessions, nil for an agent that cannot look there.
	Past recall.Sessions
	// Files is what the agents of the program know of each other's files.
	Files *files.Registry
	// Watch tells of changes of files that the agent knows; nil looks at all of them.
	Watch *watch.Watcher
	// FilesLock is the file by which programs on this machine keep out of each
	// other's writes, empty for none.
	FilesLock string
	// Only are the names of the tools that a subagent is granted; nil is all.
	Only []string
	// Skills are what the agent may read, nil for none.
	Skills *Skills
	// Memory is what the agent remembers over conversations, nil for one that cannot.
	Memory *Memory
	// Learnings keeps what agents learn from failures; nil for an agent that cannot.
	Learnings recall.Learnings
	// Recall finds what was noted and said; nil finds nothing.
	Recall recall.Finder
	// Eyes look at images for the agent, nil for none.
	Eyes vision.Eyes
	// Web says how pages of the web are read, nil for an agent that reads none.
	Web *web.ExtractOptions
	// PDF makes text of a PDF on the disk; nil reads none.
	PDF func(ctx context.Context, body []byte) (string, error)
	// Search says how the web is searched, nil for an agent that does not.
	Search *web.SearchOptions
	// Servers give the tools of other programs, nil for none; Coming names those programs
	// that are to bring some and have not yet. What begins with begin is a turn, which may
	// wait for them a moment.
	Servers func(begin bool) []tools.Tool
	Coming  func() []string
	// Aside hears of a tool whose definition a service refuses, and why; nil does not.
	Aside func(tool, why string)
	// Left reports whether the user has left out a tool for the session; nil is none.
	Left func(t tools.Tool) bool
	// Window gives the context window of the model in tokens, 0 where it is not known and
	// less before the session has begun. Nil has no tools left out of requests.
	Window func() int
	// Commands are commands of the user that are tools.
	Commands []shell.Command
	// Delegate makes the tool that spawns subagents, nil for an agent that cannot.
	Delegate func(box *Tools) tools.Tool
	Now      func() time.Time
}

var _ agent.Toolbox = (*Tools)(nil)

// Toolbox makes the tools of one agent. unknown are toolset names that mean
// nothing.
func Toolbox(o ToolOptions) (box *Tools, unknown []string, err error) {
	t := &Tools{
		registry: tools.NewRegistry(o.Now), enabled: o.Settings.Toolsets, disabled: o.Settings.Agent.DisabledToolsets,
		only: o.Only, home: o.Place.Info().Home, left: o.Left, aside: o.Aside,
		lent: &lent{ToolSearch: o.Settings.Tools.Search, window: o.Window, servers: o.Servers, coming: o.Coming},
	}
	if len(o.Commands) > 0 { // who has made them wants them
		t.enabled = append(slices.Clone(t.enabled), shell.CommandToolset)
	}
	if slices.Contains(o.Only, delegate.Name) { // an orchestrator may, whatever the root may
		t.enabled = append(slices.Clone(t.enabled), delegate.Toolset)
	}
	for _, family := range families() {
		f := family(&o, t)
		t.families = append(t.families, f)
		for _, tool := range f.Tools {
			if err := t.registry.Add(tool); err != nil {
				return nil, nil, errors.Join(err, t.Close())
			}
		}
		unknown = t.resolve()
	}
	t.families = append(t.families, t.lentFamily())
	t.borrow(true)
	return t, unknown, nil
}

// resolve finds the tools of the enabled toolsets. It returns the names of toolsets
// that mean nothing.
func (t *Tools) resolve() (unknown []string) {
	names, unknown := tools.Resolve(t.enables(), t.disabled, t.registry.Toolsets())
	names = slices.DeleteFunc(names, func(name string) bool {
		tool, there := t.registry.Lookup(name)
		return !there || t.only != nil && !slices.Contains(t.only, name) && tool.Toolset != deferred.Toolset || t.left != nil && t.left(tool)
	})
	t.mu.Lock()
	t.names = names
	t.mu.Unlock()
	return unknown
}

// Leave takes over which tools the user has left out.
func (t *Tools) Leave() { t.resolve() }

// enables are the toolsets that count: who has a server wants its tools.
func (t *Tools) enables() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.Clone(t.enabled)
	for _, tool := range t.lent.tools {
		if !slices.Contains(list, tool.Toolset) {
			list = append(list, tool.Toolset)
		}
	}
	return list
}

// Close deletes what the tools have put aside. No call may be running.
func (t *Tools) Close() error {
	var all error
	for _, f := range slices.Backward(t.families) {
		if f.Close != nil {
			all = errors.Join(all, f.Close())
		}
	}
	return all
}

// Tools are the tools of one agent. They are safe for concurrent use.
type Tools struct {
	registry          *tools.Registry
	enabled, disabled []string
	only              []string // nil: no bound
	families          []tools.Family
	left              func(tools.Tool) bool // nil: none
	aside             func(tool, why string)

	files *files.Files  // patching goes through it
	dir   func() string // where commands of the shell begin
	shell *shell.Shell
	// Refused says which commands of the user cannot be tools, and why.
	Refused []string
	home    string

	mu    sync.Mutex
	names []string
	lent  *lent
}

// Lookup implements [agent.Toolbox].
func (t *Tools) Lookup(name string) (tools.Tool, bool) {
	if !slices.Contains(t.Names(), name) {
		return tools.Tool{}, false
	}
	return t.registry.Lookup(name)
}

// Aside implements [agent.Toolbox].
func (t *Tools) Aside(tool, why string) {
	if t.aside != nil {
		t.aside(tool, why)
	}
}

// Registered implements [agent.Toolbox].
func (t *Tools) Registered(name string) (tools.Tool, bool) { return t.registry.Lookup(name) }

// Names implements [agent.Toolbox].
func (t *Tools) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.names
}

// All are the tools that the agent has, in the order of their families.
func (t *Tools) All() []tools.Tool {
	var list []tools.Tool
	names := t.Names()
	for _, f := range t.families {
		for _, tool := range f.Tools {
			if slices.Contains(names, tool.Name) {
				list = append(list, tool)
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tool := range t.lent.tools {
		if slices.Contains(names, tool.Name) {
			list = append(list, tool)
		}
	}
	return list
}

// Definitions implements [agent.Toolbox].
func (t *Tools) Definitions(ctx context.Context) []providers.ToolDef {
	var defs []providers.ToolDef
	names := t.Names()
	for _, d := range t.registry.Definitions(ctx, t.enables(), t.disabled) {
		if slices.Contains(names, d.Name) && !t.postponed(d.Name) {
			defs = append(defs, providers.ToolDef(d))
		}
	}
	return defs
}

// Offer is a tool of this program or of a server, offered to the model or not.
type Offer struct {
	Name, Toolset string
	Definition    providers.ToolDef
	// On says that the model may call it, Found that it has to look for it first. Missing
	// says why it cannot be used although its toolset is on.
	On, Found bool
	Missing   error
}

// Offers are all tools that there are, by toolset and name.
func (t *Tools) Offers(ctx context.Context) []Offer {
	var list []Offer
	names, sets := t.Names(), t.registry.Toolsets()
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		for _, name := range sets[set] {
			tool, _ := t.registry.Lookup(name)
			o := Offer{Name: name, Toolset: set, Definition: providers.ToolDef{Name: name, Description: tool.Description, Parameters: tool.Parameters}}
			if o.On = slices.Contains(names, name); o.On {
				o.Missing, o.Found = t.registry.Available(ctx, name), t.postponed(name)
			}
			list = append(list, o)
		}
	}
	return list
}

// Guidance are the working rules of the tools, by tool name.
func (t *Tools) Guidance() []string {
	var rules []string
	for _, name := range t.Names() {
		if tool, ok := t.registry.Lookup(name); ok && tool.Guidance != "" {
			rules = append(rules, tool.Guidance)
		}
	}
	return rules
}

// Restore implements [agent.Toolbox].
func (t *Tools) Restore(states map[string]json.RawMessage) {
	for _, f := range t.families {
		if f.State != nil {
			f.State.Restore(states[f.State.Name])
		}
	}
}

// Open implements [agent.Toolbox].
func (t *Tools) Open() []string {
	var lines []string
	for _, f := range t.families {
		if f.State != nil {
			lines = append(lines, f.State.Open()...)
		}
	}
	return lines
}

// Parallel implements [agent.Toolbox].
func (t *Tools) Parallel(calls []tools.Call) bool {
	class := func(name string) tools.Class {
		tool, ok := t.registry.Lookup(name)
		if !ok {
			return tools.Exclusive
		}
		return tool.Class
	}
	calls = deferred.Inner(calls) // which count as what they are
	return tools.Parallel(calls, class, t.dir(), t.home)
}

// Touched implements [agent.Toolbox].
func (t *Tools) Touched(call tools.Call, view tools.View) []string {
	return tools.Touched(call.Args, view, t.dir(), t.home)
}

// Begin implements [agent.Toolbox].
func (t *Tools) Begin() {
	t.borrow(true)
	for _, f := range t.families {
		if f.Begin != nil {
			f.Begin()
		}
	}
}

// News implements [agent.Toolbox].
func (t *Tools) News() []tools.News {
	var all []tools.News
	for _, f := range t.families {
		if f.News != nil {
			all = append(all, f.News()...)
		}
	}
	return all
}

// Acts implements [agent.Toolbox].
func (t *Tools) Acts(over bool) {
	for _, f := range t.families {
		if f.Acts != nil {
			f.Acts(over)
		}
	}
}

// Forget implements [agent.Toolbox].
func (t *Tools) Forget() {
	for _, f := range t.families {
		if f.Forget != nil {
			f.Forget()
		}
	}
}

// Seen implements [agent.Toolbox].
func (t *Tools) Seen(paths []string) []string {
	var seen []string
	for _, f := range t.families {
		if f.Seen != nil {
			seen = append(seen, f.Seen(paths)...)
		}
	}
	return seen
}

// Ran implements [agent.Toolbox].
func (t *Tools) Ran(name string) {
	tool, ok := t.registry.Lookup(name)
	if !ok || tool.Class == tools.ReadsPath || tool.Class == tools.ReadsTree {
		return
	}
	for _, f := range t.families {
		if f.Ran != nil {
			f.Ran()
		}
	}
}
