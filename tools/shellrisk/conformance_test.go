package shellrisk

import (
	"slices"
	"testing"

	"hermes-tui/internal/corpustest"
)

// riskCase is a case of the family shell_risk.
type riskCase struct {
	ID    string `json:"id"`
	Input struct {
		Command string `json:"command"`
		Cwd     string `json:"cwd"`
		Home    string `json:"home"`
	} `json:"input"`
	Want struct {
		Verdict  Decision   `json:"verdict"`
		Accept   []Decision `json:"accept"`
		Category Category   `json:"category"`
	} `json:"want"`
}

// The verdict, or one that is accepted as well, must be right; another category
// is only reported.
func TestConformanceShellRisk(t *testing.T) {
	for _, c := range corpustest.Cases[riskCase](t, "shell_risk") {
		t.Run(c.ID, func(t *testing.T) {
			got := Judge(c.Input.Command, Setting{Cwd: c.Input.Cwd, Home: c.Input.Home})
			if got.Decision != c.Want.Verdict && !slices.Contains(c.Want.Accept, got.Decision) {
				t.Errorf("%.200q\n got %s (%s: %s %q)\nwant %s (%s)", c.Input.Command,
					got.Decision, got.Category, got.Reason, got.Words, c.Want.Verdict, c.Want.Category)
			} else if got.Decision == c.Want.Verdict && got.Category != c.Want.Category {
				t.Logf("category differs: %.80q is %s, want %s", c.Input.Command, got.Category, c.Want.Category)
			}
		})
	}
}
