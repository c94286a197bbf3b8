package patch

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"hermes-tui/internal/corpustest"
	"hermes-tui/tools"
)

func TestReplaceConformance(t *testing.T) {
	type input struct {
		Content string `json:"content"`
		Old     string `json:"old"`
		New     string `json:"new"`
		All     bool   `json:"replace_all"`
	}
	type want struct {
		Content  string `json:"content"`
		Count    int    `json:"count"`
		Strategy string `json:"strategy"`
		Error    string `json:"error"`
		Matches  int    `json:"matches"`
	}
	corpustest.Run(t, "fuzzy_patch", func(t *testing.T, in input, w want) {
		r, err := Replace(in.Content, in.Old, in.New, in.All)
		got := want{Content: r.Body, Count: r.Count, Strategy: r.Strategy}
		if p, ok := errors.AsType[*Problem](err); ok {
			got.Error, got.Matches = string(p.Kind), p.Matches
		}
		if got != w {
			t.Errorf("got %+v (%v), want %+v", got, err, w)
		}
	})
}

func TestPatchConformance(t *testing.T) {
	type input struct {
		Files     map[string]string `json:"files"`
		Patch     string            `json:"patch"`
		Protected []string          `json:"protected"`
	}
	type want struct {
		Files map[string]string `json:"files"`
		Error string            `json:"error"`
	}
	corpustest.Run(t, "v4a_patch", func(t *testing.T, in input, w want) {
		got := want{Files: maps.Clone(in.Files)}
		parts, err := Parse(in.Patch)
		if err == nil {
			plan := MakePlan(parts, finder(in.Files, in.Protected))
			if len(plan.Problems) > 0 {
				err = plan.Problems[0]
			}
			for _, path := range plan.Paths {
				delete(got.Files, path)
			}
			maps.Copy(got.Files, final(plan))
		}
		if p, ok := errors.AsType[*Problem](err); ok {
			got = want{Error: string(p.Kind)}
		}
		if got.Error != w.Error || !maps.Equal(got.Files, w.Files) {
			t.Errorf("got %+v (%v), want %+v", got, err, w)
		}
	})
}

// finder gives files of a map, whose root is the directory patches may change.
func finder(files map[string]string, protected []string) func(string) (tools.Text, error) {
	return func(name string) (tools.Text, error) {
		if path.IsAbs(name) || strings.HasPrefix(name, "~") {
			return tools.Text{}, problem(PathOutside, "%s is outside", name)
		}
		name = path.Clean(name)
		if slices.Contains(protected, name) {
			return tools.Text{}, problem(ProtectedPath, "%s is protected", name)
		}
		body, ok := files[name]
		return tools.Text{Name: name, Real: name, Exists: ok, Body: body}, nil
	}
}
