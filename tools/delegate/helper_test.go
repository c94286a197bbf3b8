package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/tools"
)

// crew stands for what starts subagents.
type crew struct {
	mu     sync.Mutex
	calls  []string
	tasks  []Task
	report func(i int, t Task) Report
	// running, where there is one, is closed when Run begins, which then waits until
	// the context ends.
	running  chan struct{}
	dispatch func(Task) (string, error)
}

func (c *crew) Run(ctx context.Context, call string, tasks []Task) []Report {
	c.mu.Lock()
	c.calls, c.tasks = append(c.calls, call), tasks
	c.mu.Unlock()
	if c.running != nil {
		close(c.running)
		<-ctx.Done()
	}
	var list []Report
	for i, t := range tasks {
		list = append(list, c.report(i, t))
	}
	return list
}

func (c *crew) Dispatch(_ context.Context, call string, t Task) (string, error) {
	c.calls, c.tasks = append(c.calls, call), []Task{t}
	return c.dispatch(t)
}

// done reports that a task is completed.
func done(_ int, t Task) Report {
	return Report{
		Status: StatusCompleted, Summary: "did " + t.Goal, APICalls: 2, DurationSeconds: 1.5, Model: "m",
		Tokens: Tokens{Input: 10, Output: 3}, ToolTrace: []Step{{Tool: "read_file", ArgsBytes: 12, ResultBytes: 40, Status: StepOK}},
	}
}

// parentTools are the tools of an agent, in a registry as it has them.
func parentTools(t testing.TB) []tools.Tool {
	t.Helper()
	r := tools.NewRegistry(time.Now)
	var list []tools.Tool
	for _, x := range [][2]string{
		{"terminal", "terminal"}, {"process", "terminal"}, {"read_file", "file"}, {"write_file", "file"}, {"patch", "file"}, {"search_files", "file"},
		{"todo", "todo"}, {"clarify", "clarify"}, {"execute_code", "code_execution"}, {"memory", "memory"}, {"send_message", "messaging"},
		{"issues_list", "mcp-tracker"}, {Name, Toolset},
	} {
		tool := tools.Tool{
			Name: x[0], Toolset: x[1], RootOnly: slices.Contains([]string{"execute_code", "memory", "send_message", Name}, x[0]),
			Description: "d", Parameters: json.RawMessage(`{"type":"object"}`),
			Run: func(context.Context, tools.Call, tools.Host, tools.Sink) (tools.Result, error) {
				return tools.Result{}, errors.New("not called")
			},
		}
		if err := r.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	for _, names := range r.Toolsets() {
		for _, name := range names {
			tool, _ := r.Lookup(name)
			list = append(list, tool)
		}
	}
	return list
}

// options are those of a common agent.
func options(t testing.TB, s Spawner) Options {
	parent := parentTools(t)
	now := time.Unix(1000, 0)
	return Options{
		Spawner: s, MaxTasks: 3, Background: 2, Orchestrators: true,
		Tools: func() []tools.Tool { return parent },
		Spill: func(name, _ string) (string, error) { return "/kept/" + name, nil },
		Now:   func() time.Time { now = now.Add(1250 * time.Millisecond); return now },
	}
}

// call takes a call the way that every call takes: coerced, checked, run.
func call(ctx context.Context, t testing.TB, d *Delegate, args string) tools.Result {
	t.Helper()
	tool := d.Tool()
	coerced, err := tools.Coerce(tool.Parameters, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	if problems := tools.Check(tool.Parameters, coerced); len(problems) > 0 {
		return tools.Failure(tool.Preview(coerced), tools.Explain(Name, problems))
	}
	r, err := tool.Run(ctx, tools.Call{ID: "call-1", Name: Name, Args: coerced}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// results decodes what the model gets.
func results(t testing.TB, content string) outcome {
	t.Helper()
	var o outcome
	d := json.NewDecoder(strings.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("decode %s: %v", content, err)
	}
	return o
}
