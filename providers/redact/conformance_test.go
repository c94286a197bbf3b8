package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readFamily decodes a conformance family, or skips the test when the directory
// does not have it.
func readFamily(t *testing.T, name string, into any) {
	t.Helper()
	dir := os.Getenv("HERMES_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("testdata", "conformance")
	}
	b, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no family %s in %s", name, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
}

func TestConformance(t *testing.T) {
	var family struct {
		Cases []struct {
			ID    string
			Input struct{ Parts []string }
			Want  struct {
				Text   string
				Accept []string
			}
		}
	}
	readFamily(t, "redact", &family)
	if len(family.Cases) == 0 {
		t.Fatal("the family has no cases")
	}
	for _, c := range family.Cases {
		t.Run(c.ID, func(t *testing.T) {
			got := Text(strings.Join(c.Input.Parts, ""))
			if got != c.Want.Text && !slices.Contains(c.Want.Accept, got) {
				t.Errorf("got  %q\nwant %q", got, c.Want.Text)
			}
		})
	}
}
