package redact

import (
	"slices"
	"strings"
	"testing"

	"hermes-tui/internal/corpustest"
)

func TestConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input struct{ Parts []string }
		Want  struct {
			Text   string
			Accept []string
		}
	}
	for _, c := range corpustest.Cases[testCase](t, "redact") {
		t.Run(c.ID, func(t *testing.T) {
			got := Text(strings.Join(c.Input.Parts, ""))
			if got != c.Want.Text && !slices.Contains(c.Want.Accept, got) {
				t.Errorf("got  %q\nwant %q", got, c.Want.Text)
			}
		})
	}
}
