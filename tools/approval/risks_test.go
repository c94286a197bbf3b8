package approval

import (
	"path/filepath"
	"testing"

	"hermes-tui/internal/corpustest"
)

// risk is a case of the family shell_risk.
type risk struct {
	ID    string `json:"id"`
	Input struct {
		Command string `json:"command"`
		Cwd     string `json:"cwd"`
		Home    string `json:"home"`
	} `json:"input"`
}

func risks(t testing.TB) []risk {
	t.Helper()
	return corpustest.CasesIn[risk](t, corpustest.Dir(filepath.Join("..", "shellrisk")), "shell_risk")
}
