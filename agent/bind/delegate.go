package bind

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"hermes-tui/agent"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/tools"
	tool "hermes-tui/tools/delegate"
)

// SpawnOptions say how an agent spawns subagents.
type SpawnOptions struct {
	// Conv is the conversation. It is asked for when something is spawned.
	Conv func() *agent.Conversation
	// Agent names the agent.
	Agent event.AgentID
	// Box holds its tools.
	Box *Tools
	// Model names the model of its subagents.
	Model func() string
	// Random makes names of background subagents.
	Random io.Reader
}

// Spawner lets the tool that delegates spawn subagents of a conversation.
func Spawner(o SpawnOptions) tool.Spawner { return spawner{o} }

type spawner struct{ SpawnOptions }

// Run implements [tool.Spawner].
func (s spawner) Run(ctx context.Context, call string, tasks []tool.Task) []tool.Report {
	specs := make([]delegate.Spec, len(tasks))
	for i, t := range tasks {
		specs[i] = s.spec(call, i, t)
	}
	reports := make([]tool.Report, len(tasks))
	for i, r := range s.Conv().Spawn(ctx, s.Agent, specs) {
		reports[i] = s.report(r)
		reports[i].StalePaths = s.Box.Seen(r.Written)
	}
	return reports
}

// Dispatch implements [tool.Spawner].
func (s spawner) Dispatch(_ context.Context, call string, t tool.Task) (string, error) {
	name := make([]byte, 4)
	if _, err := io.ReadFull(s.Random, name); err != nil {
		return "", fmt.Errorf("name a subagent: %w", err)
	}
	id, conv := "deleg_"+hex.EncodeToString(name), s.Conv()
	spec := s.spec(call, 0, t)
	spec.Parent = s.Agent
	err := conv.Dispatch(spec, func(r delegate.Report) {
		report := s.report(r)
		report.StalePaths = s.Box.Seen(r.Written)
		text := tool.Completion(id, t.Goal, report.Bounded(id+".txt", conv.Keep))
		_ = conv.Inform(text, event.OriginAgent, nil) // a conversation that is closed has no use for it
	})
	return id, err
}

// spec is a task as the registry of subagents takes it.
func (s spawner) spec(call string, index int, t tool.Task) delegate.Spec {
	spec := delegate.Spec{
		Call: event.CallID(call), Index: index, Goal: t.Goal, Context: t.Context, Role: event.RoleLeaf, Tools: t.Tools, Model: s.Model(),
	}
	if t.Role == tool.RoleOrchestrator {
		spec.Role = event.RoleOrchestrator
	}
	for _, have := range s.Box.All() {
		if slices.Contains(t.Tools, have.Name) && !slices.Contains(spec.Toolsets, have.Toolset) {
			spec.Toolsets = append(spec.Toolsets, have.Toolset)
		}
	}
	slices.Sort(spec.Toolsets)
	return spec
}

// report is how a subagent ended, for the model.
func (s spawner) report(r delegate.Report) tool.Report {
	out := tool.Report{
		Summary: r.Summary, Error: r.Error, APICalls: int(r.Usage.Calls), DurationSeconds: r.Took.Seconds(), Model: r.Model,
		Tokens: tool.Tokens{Input: int(r.Usage.Prompt()), Output: int(r.Usage.Output)}, Killed: r.State == event.AgentKilled,
	}
	switch r.State {
	case event.AgentCompleted:
		out.Status = tool.StatusCompleted
	case event.AgentFailed:
		out.Status = tool.StatusFailed
	case event.AgentTimeout:
		out.Status = tool.StatusTimeout
	case event.AgentKilled, event.AgentInterrupted:
		out.Status = tool.StatusInterrupted
	default:
		out.Status = tool.StatusError
	}
	if r.Exhausted {
		out.ExitReason = tool.ExitMaxIterations
	}
	for _, step := range r.Trace {
		status := tool.StepOK
		if step.Failed {
			status = tool.StepError
		}
		out.ToolTrace = append(out.ToolTrace, tool.Step{Tool: step.Tool, ArgsBytes: step.ArgsBytes, ResultBytes: step.ResultBytes, Status: status})
	}
	return out
}

// DelegateOptions say what the tool offers that delegates.
type DelegateOptions struct {
	SpawnOptions
	MaxTasks, Background int
	Orchestrators        bool
	Tool                 tool.Options // what else it is made of
}

// Delegate gives what [ToolOptions.Delegate] wants.
func Delegate(o DelegateOptions) func(*Tools) tools.Tool {
	return func(box *Tools) tools.Tool {
		o.Box = box
		t := o.Tool
		t.Spawner, t.Tools = Spawner(o.SpawnOptions), box.All
		t.MaxTasks, t.Background, t.Orchestrators = o.MaxTasks, o.Background, o.Orchestrators
		t.Spill = func(name, content string) (string, error) { return o.Conv().Keep(name, content) }
		return tool.New(t).Tool()
	}
}
