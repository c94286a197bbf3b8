package prompt_test

import (
	"errors"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/providers"
)

var _ agent.Prompter = prompt.Subagent{}

func buildSubagent(t *testing.T, s prompt.Subagent, defs []providers.ToolDef) string {
	t.Helper()
	text, _, err := s.Build(t.Context(), true, model, defs)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSubagentsPromptIsFocused(t *testing.T) {
	f := newFolder(t)
	f.write(".git/HEAD", "ref: refs/heads/side\n")
	f.write("AGENTS.md", "Obey me.")
	f.write("rules.yaml", "x: y")
	b := f.builder("")
	b.AlsoObeyed = []string{"rules.yaml"}
	b.Layers = layers()
	b.Soul = func() (string, error) { return "You are a careful gardener.", errors.New("not to be read") }
	s := prompt.Subagent{Builder: b, Depth: 1, MaxDepth: 2}
	got := buildSubagent(t, s, saw)
	rest := got
	for _, part := range []string{"You are a subagent of Hermes", "# How to work", "Keep to the workspace", "Use the tools instead", "message from the user, sent while this ran", "# Your answer",
		"every file that you created, changed or deleted", "# Working with the tools", "Use the saw", "# Environment", f.dir, "Git branch: side", "# Crafts for m-1, subagent true", "Date: Wednesday, 4 March 2026", "Model: m-1", "Provider: p"} {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("%q is missing or out of order:\n%s", part, got)
		}
		rest = after
	}
	for _, part := range []string{"Obey me", "gardener", "# Notes", "Project instructions", "subagents of your own", "23:59"} {
		if strings.Contains(got, part) {
			t.Errorf("%q is in the prompt:\n%s", part, got)
		}
	}
	if root, files := s.Instructions(); root != f.dir || files != nil {
		t.Errorf("instructions %q %q", root, files)
	}
	if w := s.Workspace(t.Context(), false); w.Dir != f.dir || w.Branch != "side" {
		t.Errorf("workspace %+v", w)
	}
	if !s.Fits(got, model) || s.Fits(got, event.Model{Name: "m-2", Provider: "p"}) {
		t.Error("which model the prompt was made for is not known")
	}
	if again := buildSubagent(t, s, saw); again != got {
		t.Error("two subagents have different prompts")
	}
}

func TestOrchestratorKnowsHowFarItMayNest(t *testing.T) {
	b := newFolder(t).builder("")
	for _, c := range []struct {
		s    prompt.Subagent
		want string
		not  string
	}{
		{prompt.Subagent{Builder: b, Orchestrator: true, Depth: 1, MaxDepth: 2}, "answer for the whole. They cannot have subagents themselves.", "at level"},
		{prompt.Subagent{Builder: b, Orchestrator: true, Depth: 1, MaxDepth: 3}, "You work at level 1; agents nest down to level 3.", "They cannot"},
		{prompt.Subagent{Builder: b, Orchestrator: true}, "answer for the whole.\n", "at level"},
	} {
		if got := buildSubagent(t, c.s, saw); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("depth %d of %d:\n%s", c.s.Depth, c.s.MaxDepth, got)
		}
	}
	if got := buildSubagent(t, prompt.Subagent{Builder: b, Orchestrator: true}, nil); strings.Contains(got, "saw") || strings.Contains(got, "of your own.") || strings.Contains(got, "Use the tools") {
		t.Errorf("tool rules without tools:\n%s", got)
	}
}

func TestAssignment(t *testing.T) {
	for _, c := range []struct{ goal, context, dir, want string }{
		{" find it\n", "", "", "Your task:\nfind it"},
		{"find it", " it is in a.go ", "/w", "Your task:\nfind it\n\nWhat the agent that hands it to you knows about it:\nit is in a.go\n\nWorkspace: /w (relative paths start there)"},
		{"find it", "\n", "/w", "Your task:\nfind it\n\nWorkspace: /w (relative paths start there)"},
	} {
		if got := prompt.Assignment(c.goal, c.context, c.dir); got != c.want {
			t.Errorf("got %q", got)
		}
	}
}
