package scrub

import (
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/corpustest"
)

// testCase is one of the conformance families of this package.
type testCase struct {
	ID    string
	Input struct{ Chunks []string }
	Want  struct{ Text string }
}

// families are the families and the rule that each is about.
var families = []struct {
	name string
	rule Rules
}{
	{"stream_scrub_think", HideReasoning},
	{"stream_scrub_memory", HideMemory},
}

// TestConformance runs every case as it is cut, and in every other way.
func TestConformance(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			for _, c := range corpustest.Cases[testCase](t, f.name) {
				t.Run(c.ID, func(t *testing.T) {
					if got := feed(t, f.rule, c.Input.Chunks...).text; got != c.Want.Text {
						t.Errorf("got  %q\nwant %q", got, c.Want.Text)
					}
					whole := strings.Join(c.Input.Chunks, "")
					everyCut(t, f.rule, whole)
				})
			}
		})
	}
}

// TestConformanceTogether runs our own corpus under all rules at once: none of its
// cases holds what another rule is about.
func TestConformanceTogether(t *testing.T) {
	for _, f := range families {
		for _, c := range corpustest.CasesIn[testCase](t, filepath.Join("testdata", "conformance"), f.name) {
			if got := feed(t, Answer, c.Input.Chunks...).text; got != c.Want.Text {
				t.Errorf("%s: got %q, want %q", c.ID, got, c.Want.Text)
			}
		}
	}
}
