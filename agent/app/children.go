package app

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	tool "hermes-tui/tools/delegate"
)

// The longest times without a sign of progress, at rest and while a call runs.
const (
	idleLimit   = 450 * time.Second
	inToolLimit = 1200 * time.Second
)

// leastTimeout is the shortest bound on the time of a subagent.
const leastTimeout = 30 * time.Second

// delegationLimits bound what agents may spawn.
func (a *App) delegationLimits() delegate.Limits {
	d := a.config().Delegation
	l := delegate.Limits{
		Concurrent: d.MaxConcurrent, Background: d.MaxAsync, Depth: d.MaxDepth, Orchestrators: d.Orchestrators, Iterations: d.MaxIterations,
		Idle: idleLimit, InTool: inToolLimit, TreeIterations: d.TreeIterations, TreeCost: event.Money(math.Round(d.TreeCost * float64(event.Dollar))),
	}
	if d.Timeout > 0 {
		l.Timeout = max(d.Timeout.Duration(), leastTimeout)
	}
	return l
}

// delegation makes the tool by which an agent of some depth spawns subagents; nil
// for one too deep.
func (a *App) delegation(c *conversation, id event.AgentID, depth int) func(*bind.Tools) tools.Tool {
	d := a.config().Delegation
	if depth >= d.MaxDepth {
		return nil
	}
	o := bind.DelegateOptions{
		SpawnOptions: bind.SpawnOptions{
			Conv: func() *agent.Conversation { return c.Conversation }, Agent: id, Model: func() string { return c.childModel(id) }, Random: a.o.IDs.Random,
		},
		MaxTasks: d.MaxConcurrent, Orchestrators: d.Orchestrators && depth+1 < d.MaxDepth, Tool: tool.Options{Now: a.o.IDs.Now},
	}
	if depth == 0 {
		o.Background = d.MaxAsync
	}
	return bind.Delegate(o)
}

// childModel names the model that answers the subagents of an agent.
func (c *conversation) childModel(id event.AgentID) string {
	if name := c.cfg.Delegation.Model; name != "" {
		return name
	}
	return c.ModelOf(id)
}

// newChild makes what a subagent works with.
func (c *conversation) newChild(ctx context.Context, s agent.ChildSpec) (agent.Child, error) {
	rt, err := c.childRuntime(ctx, s.Parent)
	if err != nil {
		return agent.Child{}, err
	}
	kit, err := c.app.tools(c, s.ID, s.Depth, append([]string{}, s.Tools...))
	if err != nil {
		return agent.Child{}, err
	}
	p := c.app.prompter(c, kit.box)
	return agent.Child{
		Tools: kit.box, Runtime: rt, Assignment: prompt.Assignment(s.Goal, s.Context, c.dir), Close: kit.box.Close,
		Prompt: &prompt.Subagent{Builder: p, Orchestrator: s.Orchestrator, Depth: s.Depth, MaxDepth: c.cfg.Delegation.MaxDepth},
	}, nil
}

// childService is what answers subagents when the settings say so. It is connected
// to once.
type childService struct {
	mu      sync.Mutex
	runtime *agent.Runtime
}

// childRuntime is what answers a subagent: what the settings say, or what answers
// the agent above it.
func (c *conversation) childRuntime(ctx context.Context, parent agent.Runtime) (agent.Runtime, error) {
	d := c.cfg.Delegation
	rt := parent
	if d.Model != "" || d.Provider != "" || d.BaseURL != "" {
		own, err := c.service.connect(ctx, c.app, d, parent.Model)
		switch {
		case err == nil:
			rt = own
		case !models.Nowhere(err): // of which a notice tells
			return agent.Runtime{}, fmt.Errorf("its model (delegation in config.yaml): %w", err)
		}
	}
	if d.ReasoningEffort != "" {
		rt.Model.Effort = d.ReasoningEffort
	}
	return rt, nil
}

func (s *childService) connect(ctx context.Context, a *App, d config.Delegation, parent event.Model) (agent.Runtime, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runtime != nil {
		return *s.runtime, nil
	}
	rt, err := a.models.Delegated(ctx, d, parent)
	if err == nil {
		s.runtime = &rt
	}
	return rt, err
}
