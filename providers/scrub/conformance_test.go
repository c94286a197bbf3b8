package scrub

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// family is a conformance family of this package.
type family struct {
	Cases []struct {
		ID    string
		Input struct{ Chunks []string }
		Want  struct{ Text string }
	}
}

// families are the families and the rule that each is about.
var families = []struct {
	name string
	rule Rules
}{
	{"stream_scrub_think", HideReasoning},
	{"stream_scrub_memory", HideMemory},
}

const ownCorpus = "testdata/conformance"

func corpusDir() string {
	if d := os.Getenv("HERMES_CONFORMANCE"); d != "" {
		return d
	}
	return filepath.FromSlash(ownCorpus)
}

// readFamily decodes a family, or skips the test when the directory does not have
// it.
func readFamily(t *testing.T, dir, name string) family {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no family %s in %s", name, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var f family
	if err := d.Decode(&f); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
	if len(f.Cases) == 0 {
		t.Fatal("the family has no cases")
	}
	return f
}

// TestConformance runs every case as it is cut, and in every other way.
func TestConformance(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			for _, c := range readFamily(t, corpusDir(), f.name).Cases {
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
		for _, c := range readFamily(t, filepath.FromSlash(ownCorpus), f.name).Cases {
			if got := feed(t, Answer, c.Input.Chunks...).text; got != c.Want.Text {
				t.Errorf("%s: got %q, want %q", c.ID, got, c.Want.Text)
			}
		}
	}
}
