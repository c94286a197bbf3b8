package memory

import (
	"os"
	"slices"
	"testing"
	"time"

	"hermes-tui/agent/prompt"
	"hermes-tui/internal/corpustest"
)

// conformanceCase is a case of the corpus.
type conformanceCase struct {
	ID    string
	Input struct {
		Limits  map[Target]int
		Initial struct {
			Memory, User []string
			MemoryFile   *string `json:"memory_file"`
		}
		Calls []struct {
			Action, Content string
			Target          Target
			OldText         string `json:"old_text"`
		}
	}
	Want struct {
		Results []struct {
			OK    bool
			Error Problem
			Usage struct{ Percent, Used, Limit int }
		}
		Memory, User        []string
		MemoryFileUnchanged bool `json:"memory_file_unchanged"`
	}
}

// TestConformance runs sequences of calls against a store without an archive, as the
// corpus has it.
func TestConformance(t *testing.T) {
	for _, c := range corpustest.Cases[conformanceCase](t, "memory_tool") {
		t.Run(c.ID, func(t *testing.T) { c.run(t) })
	}
}

func (c conformanceCase) run(t *testing.T) {
	s := New(Options{
		Dir: t.TempDir(), Limits: c.Input.Limits, Now: time.Now,
		Scan: func(text string) []string { return prompt.Scan(text, prompt.ScopeStrict) },
	})
	for target, entries := range map[Target][]string{Notes: c.Input.Initial.Memory, User: c.Input.Initial.User} {
		text := join(entries)
		if raw := c.Input.Initial.MemoryFile; raw != nil && target == Notes {
			text = *raw
		}
		if err := os.WriteFile(s.Path(target), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, call := range c.Input.Calls {
		want := c.Want.Results[i]
		p, err := s.Apply(t.Context(), Change{Target: call.Target, Operations: []Operation{{Action: call.Action, Content: call.Content, OldText: call.OldText}}})
		if !want.OK {
			wantProblem(t, err, want.Error)
			continue
		}
		switch {
		case err != nil:
			t.Errorf("call %d: %v", i, err)
		case (p.Usage != Usage{want.Usage.Used, want.Usage.Limit} || p.Usage.Percent() != want.Usage.Percent):
			t.Errorf("call %d: %v, want %+v", i, p.Usage, want.Usage)
		}
	}
	if c.Want.MemoryFileUnchanged {
		if text, _ := os.ReadFile(s.Path(Notes)); string(text) != *c.Input.Initial.MemoryFile {
			t.Errorf("the file says %q", text)
		}
	} else if got := texts(t, s, Notes); !slices.Equal(got, c.Want.Memory) {
		t.Errorf("memory %q, want %q", got, c.Want.Memory)
	}
	if got := texts(t, s, User); !slices.Equal(got, c.Want.User) {
		t.Errorf("user %q, want %q", got, c.Want.User)
	}
}
