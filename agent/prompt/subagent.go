package prompt

import (
	"context"
	"fmt"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

// Subagent builds the system prompt of an agent that works for another one. It
// holds the work rules of its kind, the tools and the environment, and nothing of
// the user but the layers that are for subagents: no SOUL.md and no instructions of the folder. What it is to do is in
// its first message, see [Assignment], so that the subagents of one agent with the
// same tools have the same prompt and share a provider's cache.
type Subagent struct {
	*Builder
	// Orchestrator says that it may have subagents of its own.
	Orchestrator bool
	// Depth is how many agents are above it.
	Depth int
	// MaxDepth is how many there can be above any agent.
	MaxDepth int
}

// Instructions names the root of the workspace. There is nothing in it that a
// subagent obeys.
func (s Subagent) Instructions() (root string, files []string) { return s.root(), nil }

// Deeper finds nothing, for the same reason.
func (s Subagent) Deeper([]string, func(dir string) bool) []string { return nil }

// Build makes the system prompt, and says of which parts.
func (s Subagent) Build(ctx context.Context, trusted bool, model event.Model, defs []providers.ToolDef) (string, []event.PromptPart, error) {
	rules := subagentRules
	if len(defs) > 0 {
		rules += "\n" + toolRulesFor(model)
		if s.Orchestrator {
			rules += "\n" + s.nesting()
		}
	}
	more, err := s.more(ctx, true, model)
	if err != nil {
		return "", nil, err
	}
	parts := []part{{"identity", subagentIdentity}, {"rules", rules}, {"answer", subagentAnswer}, s.guidance(defs), {"environment", s.environment(ctx, trusted)}}
	text, list := join(append(append(parts, more...), s.end(model)))
	return text, list, nil
}

// nesting says how far an orchestrator may hand work on.
func (s Subagent) nesting() string {
	text := "- You may hand parts of the task to subagents of your own. Split it so that no two change the same files, check their reports, and answer for the whole."
	if s.MaxDepth <= 0 {
		return text
	}
	if s.Depth+1 >= s.MaxDepth {
		return text + " They cannot have subagents themselves."
	}
	return text + fmt.Sprintf(" You work at level %d; agents nest down to level %d.", s.Depth, s.MaxDepth)
}

// Assignment is the first message to a subagent: what it is to do, what is known
// about it, and where it works.
func Assignment(goal, context, workspace string) string {
	parts := []string{"Your task:\n" + strings.TrimSpace(goal)}
	if context = strings.TrimSpace(context); context != "" {
		parts = append(parts, "What the agent that hands it to you knows about it:\n"+context)
	}
	if workspace != "" {
		parts = append(parts, "Workspace: "+workspace+" (relative paths start there)")
	}
	return strings.Join(parts, "\n\n")
}
