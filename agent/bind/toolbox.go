package bind

import (
	"context"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent"
	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/clarify"
	"hermes-tui/tools/code"
	"hermes-tui/tools/files"
	"hermes-tui/tools/patch"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/search"
	"hermes-tui/tools/shell"
	"hermes-tui/tools/todo"
)

// ToolOptions say which tools an agent gets and where they act.
type ToolOptions struct {
	Place place.Place
	// Root is the workspace, Private the program's own folder.
	Root    string
	Private string
	// Shell runs the commands of the agent, Jobs are those of its conversation that
	// run in the background, Code says how its scripts run.
	Shell *shell.Shell
	Jobs  *process.Jobs
	Code  code.Options
	// Agent names the agent, Files is what the agents of the program know of each
	// other's files.
	Agent string
	Files *files.Registry
	// FilesLock is the file by which programs on this machine keep out of each
	// other's writes, empty for none. Env is the environment of programs that check
	// what was written; nil: none does.
	FilesLock string
	Env       []string
	// Reads bound what is read of a file at a time.
	Reads files.Limits
	// Enabled and Disabled name toolsets. Only are the names of the tools that a
	// subagent is granted of those; nil is all.
	Enabled, Disabled []string
	Only              []string
	// Delegate makes the tool that spawns subagents, nil for an agent that cannot.
	Delegate func(box *Tools) tools.Tool
	// ClarifyTimeout is how long a question waits for an answer; 0 is for ever.
	ClarifyTimeout time.Duration
	Now            func() time.Time
}

var _ agent.Toolbox = (*Tools)(nil)

// Toolbox makes the tools of one agent. unknown are toolset names that mean
// nothing.
func Toolbox(o ToolOptions) (box *Tools, unknown []string, err error) {
	t := &Tools{
		registry: tools.NewRegistry(o.Now), enabled: o.Enabled, disabled: o.Disabled, only: o.Only,
		dir: o.Shell.Dir, home: o.Place.Info().Home,
		files: files.New(files.Options{
			Place: o.Place, Dir: o.Shell.Dir, Root: o.Root, Private: o.Private, Agent: o.Agent, Shared: o.Files,
			Lock: o.FilesLock, Env: o.Env, Now: o.Now, Limits: o.Reads,
		}),
		search: search.New(search.Options{
			Place: o.Place, Dir: o.Shell.Dir, Root: o.Root, Private: o.Private, Env: o.Env, Path: searchPath(o.Env),
		}),
		todo: todo.New(),
	}
	all := append(t.files.Tools(), patch.New(t.files).Tool(), t.search.Tool(), t.todo.Tool(), clarify.New(clarify.Options{Timeout: o.ClarifyTimeout}),
		o.Shell.Tool(), o.Jobs.Tool(o.Agent))
	for _, tool := range all {
		if err := t.registry.Add(tool); err != nil {
			return nil, nil, err
		}
	}
	if o.Delegate != nil {
		t.resolve()
		if err := t.registry.Add(o.Delegate(t)); err != nil { // it grants what the agent has
			return nil, nil, err
		}
	}
	t.resolve()
	o.Code.Tools = t.All
	t.code = code.New(o.Code) // what it offers depends on the other tools
	if err := t.registry.Add(t.code.Tool()); err != nil {
		return nil, nil, err
	}
	return t, t.resolve(), nil
}

// searchPath is the PATH of an environment, empty if it has none.
func searchPath(env []string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if dirs, ok := strings.CutPrefix(env[i], "PATH="); ok {
			return dirs
		}
	}
	return ""
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
func (t *Tools) Close() error { return t.code.Close() }

// Tools are the tools of one agent. They are safe for concurrent use.
type Tools struct {
	registry          *tools.Registry
	enabled, disabled []string
	only              []string // nil: no bound
	names             []string
	files             *files.Files
	search            *search.Search
	todo              *todo.List
	code              *code.Code
	dir               func() string
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

// All are the tools that the agent has.
func (t *Tools) All() []tools.Tool {
	list := make([]tools.Tool, 0, len(t.names))
	for _, name := range t.names {
		if tool, ok := t.registry.Lookup(name); ok {
			list = append(list, tool)
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

// Rehydrate implements [agent.Toolbox].
func (t *Tools) Rehydrate(todos []tools.Todo) { t.todo.Load(todos) }

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

// Forget implements [agent.Toolbox].
func (t *Tools) Forget() {
	t.files.Forget()
	t.search.ResetRepeats()
}

// Read implements [agent.Toolbox].
func (t *Tools) Read(paths []string) []string { return t.files.Read(paths) }

// Ran implements [agent.Toolbox]. Reading something again after another tool has
// run is no repetition.
func (t *Tools) Ran(name string) {
	tool, ok := t.registry.Lookup(name)
	if ok && tool.Class != tools.ReadsPath && tool.Class != tools.ReadsTree {
		t.files.ResetRepeats()
		t.search.ResetRepeats()
	}
}
