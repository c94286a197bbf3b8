package approval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// attacksDir is where the attacks are kept, risksDir the risks of shell commands.
func attacksDir() string { return corpusIn("testdata") }
func risksDir() string   { return corpusIn(filepath.Join("..", "shellrisk", "testdata")) }

func corpusIn(dir string) string {
	if d := os.Getenv("HERMES_CONFORMANCE"); d != "" {
		return d
	}
	return filepath.Join(dir, "conformance")
}

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
	data, err := os.ReadFile(filepath.Join(risksDir(), "shell_risk.json"))
	if err != nil {
		t.Fatal(err)
	}
	var family struct {
		Cases []risk `json:"cases"`
	}
	if err := json.Unmarshal(data, &family); err != nil {
		t.Fatal(err)
	}
	if len(family.Cases) == 0 {
		t.Fatal("the family has no cases")
	}
	return family.Cases
}
