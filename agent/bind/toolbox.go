package bind

import (
	"context"
	"slices"
	"time"

	"hermes-tui/agent"
	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/clarify"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
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
	// Shell runs the commands of the agent.
	Shell *shell.Shell
	// Enabled and Disabled name toolsets.
	Enabled, Disabled []string
	Now               func() time.Time
}

var _ agent.Toolbox = (*Tools)(nil)

// Toolbox makes the tools of one agent. unknown are toolset names that mean
// nothing.
func Toolbox(o ToolOptions) (box *Tools, unknown []string, err error) {
	t := &Tools{
		registry: tools.NewRegistry(o.Now), enabled: o.Enabled, disabled: o.Disabled,
		dir: o.Shell.Dir, home: o.Place.Info().Home,
		files:  files.New(files.Options{Place: o.Place, Dir: o.Shell.Dir, Root: o.Root, Private: o.Private}),
		search: search.New(search.Options{Place: o.Place, Dir: o.Shell.Dir, Root: o.Root, Private: o.Private}),
		todo:   todo.New(),
	}
	all := append(t.files.Tools(), t.search.Tool(), t.todo.Tool(), clarify.Tool(), o.Shell.Tool())
	for _, tool := range all {
		if err := t.registry.Add(tool); err != nil {
			return nil, nil, err
		}
	}
	t.names, unknown = tools.Resolve(o.Enabled, o.Disabled, t.registry.Toolsets())
	t.names = slices.DeleteFunc(t.names, func(name string) bool {
		_, there := t.registry.Lookup(name)
		return !there
	})
	return t, unknown, nil
}

// Tools are the tools of one agent. They are safe for concurrent use.
type Tools struct {
	registry          *tools.Registry
	enabled, disabled []string
	names             []string
	files             *files.Files
	search            *search.Search
	todo              *todo.List
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

// Names implements [agent.Toolbox].
func (t *Tools) Names() []string { return t.names }

// Definitions implements [agent.Toolbox].
func (t *Tools) Definitions(ctx context.Context) []providers.ToolDef {
	var defs []providers.ToolDef
	for _, d := range t.registry.Definitions(ctx, t.enabled, t.disabled) {
		defs = append(defs, providers.ToolDef(d))
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

// Ran implements [agent.Toolbox]. Reading something again after another tool has
// run is no repetition.
func (t *Tools) Ran(name string) {
	tool, ok := t.registry.Lookup(name)
	if ok && tool.Class != tools.ReadsPath && tool.Class != tools.ReadsTree {
		t.files.ResetRepeats()
		t.search.ResetRepeats()
	}
}
