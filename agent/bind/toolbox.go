package bind

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent"
	"hermes-tui/providers"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/clarify"
	"hermes-tui/tools/code"
	"hermes-tui/tools/delegate"
	"hermes-tui/tools/files"
	"hermes-tui/tools/patch"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/recall"
	"hermes-tui/tools/search"
	"hermes-tui/tools/shell"
	"hermes-tui/tools/skill"
	"hermes-tui/tools/todo"
	"hermes-tui/tools/watch"
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
	// Delegate makes the tool that spawns subagents, nil for an agent that cannot.
	Delegate func(box *Tools) tools.Tool
	Now      func() time.Time
}

var _ agent.Toolbox = (*Tools)(nil)

// families are those of an agent, in the order in which they are made: the tools of a
// family are there for the ones behind it. To add a tool, write its package and add
// its family here.
func families() []func(o *ToolOptions, t *Tools) tools.Family {
	return []func(o *ToolOptions, t *Tools) tools.Family{
		shellFamily, fileFamily, searchFamily, patchFamily,
		func(*ToolOptions, *Tools) tools.Family { return todo.New().Family() },
		func(o *ToolOptions, _ *Tools) tools.Family {
			return single(clarify.New(clarify.Options{Timeout: o.Settings.Agent.ClarifyTimeout.Duration()}))
		},
		func(o *ToolOptions, _ *Tools) tools.Family {
			return tools.Family{Tools: []tools.Tool{o.Jobs.Tool(o.Agent)}, News: func() []tools.News { return o.Jobs.News(o.Agent) }}
		},
		skillFamily, memoryFamily, learningsFamily, pastFamily, delegateFamily, codeFamily,
	}
}

// single is a family of one tool that shares nothing.
func single(t tools.Tool) tools.Family { return tools.Family{Tools: []tools.Tool{t}} }

func shellFamily(o *ToolOptions, t *Tools) tools.Family {
	c := o.Settings.Terminal
	sh := shell.New(shell.Options{
		Place: o.Place, Dir: o.Root, Env: o.Env, PassEnv: c.EnvPassthrough, DenyEnv: o.Settings.KeyVariables(),
		Timeout: c.Timeout.Duration(), MaxTimeout: max(c.Timeout.Duration(), shell.DefaultMaxTimeout),
		InitFiles: initFiles(c.ShellInitFiles, o.Place.Info().Home), NoInit: !c.AutoSourceBashrc && len(c.ShellInitFiles) == 0,
		MaxOutput: o.Settings.ToolOutput.MaxBytes, Jobs: shellJobs{o.Jobs, o.Agent}, Trusted: o.Trusted,
	})
	t.dir = sh.Dir
	return tools.Family{Tools: []tools.Tool{sh.Tool()}, Close: sh.Close}
}

// initFiles are the configured start-up files with ~ resolved.
func initFiles(files []string, home string) []string {
	var out []string
	for _, f := range files {
		if rest, ok := strings.CutPrefix(f, "~/"); ok {
			f = home + "/" + rest
		}
		out = append(out, f)
	}
	return out
}

func fileFamily(o *ToolOptions, t *Tools) tools.Family {
	c := o.Settings.ToolOutput
	var watched files.Watcher
	done := func() error { return nil }
	if o.Watch != nil {
		set := o.Watch.Set()
		watched, done = set, set.Close
	}
	t.files = files.New(files.Options{
		Place: o.Place, Dir: t.dir, Root: o.Root, Private: o.Private, Agent: o.Agent, Shared: o.Files,
		Lock: o.FilesLock, Env: o.Env, Now: o.Now,
		Limits: files.Limits{Lines: c.MaxLines, Line: c.MaxLineLength, Page: o.Settings.FileReadMaxChars},
		Watch:  watched,
		Jobs:   func() bool { return o.Jobs.Busy(o.Agent) },
	})
	return tools.Family{
		Tools: t.files.Tools(), Forget: t.files.Forget, Ran: t.files.ResetRepeats, Seen: t.files.Read,
		Begin: t.files.Begin, News: t.files.News, Acts: t.files.Acts, Close: done,
	}
}

func patchFamily(_ *ToolOptions, t *Tools) tools.Family { return single(patch.New(t.files).Tool()) }

func searchFamily(o *ToolOptions, t *Tools) tools.Family {
	path, _ := tools.Variable(o.Env, "PATH")
	s := search.New(search.Options{Place: o.Place, Dir: t.dir, Root: o.Root, Private: o.Private, Env: o.Env, Path: path})
	return tools.Family{Tools: []tools.Tool{s.Tool()}, Forget: s.ResetRepeats, Ran: s.ResetRepeats}
}

func memoryFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Memory == nil {
		return tools.Family{}
	}
	return recall.NewMemory(recall.MemoryOptions{Store: o.Memory, Approve: o.Settings.Memory.WriteApproval, Finder: o.Recall})
}

func skillFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Skills == nil {
		return tools.Family{}
	}
	return skill.New(o.Skills, o.Skills.Writer()).Family()
}

func learningsFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Learnings == nil {
		return tools.Family{}
	}
	return single(recall.NewLearnings(o.Learnings))
}

func pastFamily(o *ToolOptions, _ *Tools) tools.Family {
	if o.Past == nil {
		return tools.Family{}
	}
	return single(recall.SearchTool(o.Past))
}

func delegateFamily(o *ToolOptions, t *Tools) tools.Family {
	if o.Delegate == nil {
		return tools.Family{}
	}
	return single(o.Delegate(t))
}

func codeFamily(o *ToolOptions, t *Tools) tools.Family {
	x := o.Settings.CodeExecution
	c := code.New(code.Options{
		Place: o.Place, Mode: code.Mode(x.Mode), Timeout: x.Timeout.Duration(), MaxCalls: x.MaxToolCalls, Env: o.Env,
		Dir: t.dir, Root: o.Root, Trusted: o.Trusted, Tools: t.All,
	})
	return tools.Family{Tools: []tools.Tool{c.Tool()}, Close: c.Close}
}

// Toolbox makes the tools of one agent. unknown are toolset names that mean
// nothing.
func Toolbox(o ToolOptions) (box *Tools, unknown []string, err error) {
	t := &Tools{
		registry: tools.NewRegistry(o.Now), enabled: o.Settings.Toolsets, disabled: o.Settings.Agent.DisabledToolsets,
		only: o.Only, home: o.Place.Info().Home,
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
	return t, unknown, nil
}

// resolve finds the tools of the enabled toolsets. It returns the names of toolsets
// that mean nothing.
func (t *Tools) resolve() (unknown []string) {
	t.names, unknown = tools.Resolve(t.enabled, t.disabled, t.registry.Toolsets())
	t.names = slices.DeleteFunc(t.names, func(name string) bool {
		_, there := t.registry.Lookup(name)
		return !there || t.only != nil && !slices.Contains(t.only, name)
	})
	return unknown
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
	names             []string
	families          []tools.Family
	files             *files.Files  // patching goes through it
	dir               func() string // where commands of the shell begin
	home              string
}

// Lookup implements [agent.Toolbox].
func (t *Tools) Lookup(name string) (tools.Tool, bool) {
	if !slices.Contains(t.names, name) {
		return tools.Tool{}, false
	}
	return t.registry.Lookup(name)
}

// Registered implements [agent.Toolbox].
func (t *Tools) Registered(name string) (tools.Tool, bool) { return t.registry.Lookup(name) }

// Names implements [agent.Toolbox].
func (t *Tools) Names() []string { return t.names }

// All are the tools that the agent has, in the order of their families.
func (t *Tools) All() []tools.Tool {
	var list []tools.Tool
	for _, f := range t.families {
		for _, tool := range f.Tools {
			if slices.Contains(t.names, tool.Name) {
				list = append(list, tool)
			}
		}
	}
	return list
}

// Definitions implements [agent.Toolbox].
func (t *Tools) Definitions(ctx context.Context) []providers.ToolDef {
	var defs []providers.ToolDef
	for _, d := range t.registry.Definitions(ctx, t.enabled, t.disabled) {
		if slices.Contains(t.names, d.Name) {
			defs = append(defs, providers.ToolDef(d))
		}
	}
	return defs
}

// Guidance are the working rules of the tools, by tool name.
func (t *Tools) Guidance() []string {
	var rules []string
	for _, name := range t.names {
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
	return tools.Parallel(calls, class, t.dir(), t.home)
}

// Touched implements [agent.Toolbox].
func (t *Tools) Touched(call tools.Call, view tools.View) []string {
	return tools.Touched(call.Args, view, t.dir(), t.home)
}

// Begin implements [agent.Toolbox].
func (t *Tools) Begin() {
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
