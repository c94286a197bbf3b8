package prompt_test

import (
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/providers"
)

// TestRulesOfFamilies has models of some makers told to act, of some more than that, and
// others nothing beyond what all are told; main agents and subagents alike.
func TestRulesOfFamilies(t *testing.T) {
	const act, exact, look = "Act in the reply in which you say that you will", "what a tool can tell", "Look before you change"
	b := newFolder(t).builder("")
	for name, want := range map[string][]string{
		"openai/gpt-6.2-sol": {act, exact}, "gpt-5.3-codex": {act, exact}, "x-ai/grok-4.5": {act, exact},
		"gemini-4-neon": {act, look}, "google/gemma-4": {act, look},
		"z-ai/glm-5.3": {act}, "qwen/qwen3-coder": {act}, "deepseek-v4": {act},
		"claude-opus-5-5": nil, "kimi-k3": nil, "unheard-of": nil,
	} {
		for _, p := range []agent.Prompter{b, prompt.Subagent{Builder: b, Depth: 1, MaxDepth: 2}} {
			for _, defs := range [][]providers.ToolDef{saw, nil} {
				text, _, err := p.Build(t.Context(), true, event.Model{Name: name}, defs)
				if err != nil {
					t.Fatal(err)
				}
				for _, rule := range []string{act, exact, look} {
					wanted := false
					for _, w := range want {
						wanted = wanted || w == rule && len(defs) > 0
					}
					if got := strings.Contains(text, rule); got != wanted {
						t.Errorf("%s, %T, %d tools: %q is %v", name, p, len(defs), rule, got)
					}
				}
			}
		}
	}
}
