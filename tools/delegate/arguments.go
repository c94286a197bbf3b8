package delegate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/tools"
)

// task is a task as the model writes it.
type task struct {
	Goal     string   `json:"goal"`
	Context  string   `json:"context"`
	Toolsets []string `json:"toolsets"`
	Role     string   `json:"role"`
}

// arguments are those of a call.
type arguments struct {
	task
	Tasks      taskList `json:"tasks"`
	Background bool     `json:"background"`
}

// taskList reads an array of tasks, also when it is written as a string, and a
// single task without its brackets.
type taskList []task

// UnmarshalJSON implements [json.Unmarshaler].
func (l *taskList) UnmarshalJSON(raw []byte) error {
	*l = nil
	raw = bytes.TrimSpace(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil { // null leaves it empty
		raw = []byte(strings.TrimSpace(text))
	}
	if len(raw) == 0 {
		return nil
	}
	if raw[0] == '{' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	var list []task
	if err := json.Unmarshal(raw, &list); err != nil {
		// Not wrapped: the place that the inner error names is one within tasks.
		return fmt.Errorf(`tasks must be an array of objects such as {"goal":"…"}: %v`, err) //nolint:errorlint // see above
	}
	*l = list
	return nil
}

// tidy trims a task.
func (t task) tidy() task {
	t.Goal, t.Context = strings.TrimSpace(t.Goal), strings.TrimSpace(t.Context)
	t.Role = strings.ToLower(strings.TrimSpace(t.Role))
	var sets []string
	for _, name := range t.Toolsets {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(sets, name) {
			sets = append(sets, name)
		}
	}
	t.Toolsets = sets
	return t
}

// under fills in what holds for all tasks of a call.
func (t task) under(all task) task {
	if t.Context == "" {
		t.Context = all.Context
	}
	if len(t.Toolsets) == 0 {
		t.Toolsets = all.Toolsets
	}
	if t.Role == "" {
		t.Role = all.Role
	}
	return t
}

// list gives the tasks of a call as they are written: those in tasks or, where
// there are none, the goal.
func (a arguments) list() []task {
	all := a.tidy()
	if len(a.Tasks) == 0 {
		if all.Goal == "" {
			return nil
		}
		return []task{all}
	}
	list := make([]task, len(a.Tasks))
	for i, t := range a.Tasks {
		list[i] = t.tidy().under(all)
	}
	return list
}

// tasks checks what a call asks for and gives its tasks with their tools. The error
// is written for the model.
func (d *Delegate) tasks(a arguments) ([]Task, error) {
	list := a.list()
	switch {
	case len(list) == 0:
		return nil, errors.New("there is nothing to do: give a goal, or tasks with a goal each")
	case len(list) > d.o.MaxTasks:
		return nil, fmt.Errorf("%d tasks are too many for one call, %d are possible; nothing was started. Ask for the first %d now and for the others when these have ended, or put several into one goal",
			len(list), d.o.MaxTasks, d.o.MaxTasks)
	case a.Background && d.o.Background <= 0:
		return nil, errors.New("subagents in the background are not available here; call delegate_task without background")
	case a.Background && len(list) > 1:
		return nil, errors.New("background takes a single goal; call delegate_task once for each, or without background")
	}
	parent := d.o.Tools()
	tasks, unknown := make([]Task, len(list)), []string{}
	for i, t := range list {
		where := ""
		if len(a.Tasks) > 0 {
			where = fmt.Sprintf("tasks[%d]: ", i)
		}
		made, strange, err := d.grant(parent, t)
		if err != nil {
			return nil, fmt.Errorf("%s%w", where, err)
		}
		tasks[i] = made
		for _, name := range strange {
			if !slices.Contains(unknown, name) {
				unknown = append(unknown, name)
			}
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("there is no toolset %s. %s", strings.Join(unknown, ", "), choose(parent))
	}
	return tasks, nil
}

// grant makes a task out of what the model wrote. unknown are names of toolsets that
// mean nothing.
func (d *Delegate) grant(parent []tools.Tool, t task) (made Task, unknown []string, err error) {
	switch t.Role {
	case "", RoleLeaf, RoleOrchestrator:
	default:
		return Task{}, nil, fmt.Errorf("role is %q; it can be leaf or orchestrator", t.Role)
	}
	if t.Goal == "" {
		return Task{}, nil, errors.New("goal is missing; say what the subagent is to do")
	}
	made = Task{Goal: t.Goal, Context: t.Context, Toolsets: t.Toolsets, Role: RoleLeaf}
	if t.Role == RoleOrchestrator && d.o.Orchestrators {
		made.Role = RoleOrchestrator
	}
	made.Tools, unknown = Grant(parent, t.Toolsets, made.Role == RoleOrchestrator)
	if len(made.Tools) == 0 && len(t.Toolsets) > 0 && len(unknown) == 0 {
		return Task{}, nil, fmt.Errorf("toolsets %s hold no tool that you could hand down. %s", strings.Join(t.Toolsets, ", "), choose(parent))
	}
	return made, unknown, nil
}

// choose says which toolsets there are.
func choose(parent []tools.Tool) string {
	sets := Askable(parent)
	if len(sets) == 0 {
		return "You have none to hand down; leave toolsets out."
	}
	return "Ask for some of " + strings.Join(sets, ", ") + ", or leave toolsets out for all of them."
}
