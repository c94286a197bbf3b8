package event

import (
	"strings"
	"testing"

	"hermes-tui/tools/hunks"
)

// TestEditMask masks a key of several lines in an edit: no line of it is left, and as many
// lines and places where texts differ are.
func TestEditMask(t *testing.T) {
	f := hunks.File{Name: "f", Op: hunks.Change, Old: "a\nBEGIN\nsecret\nEND\nb\n", New: "A\nBEGIN\nsecret\nEND\nB\n"}
	e := EditOf([]hunks.File{f, {Name: "g", Op: hunks.Create, New: "x\n"}})
	before := e.Files[0].Diff
	e.Mask(func(s string) string { return strings.ReplaceAll(s, " BEGIN\n secret\n END\n", " ***\n") })
	after := e.Files[0].Diff
	if strings.Contains(after, "secret") || strings.Count(after, "\n") != strings.Count(before, "\n") || !e.Files[0].Masked || e.Files[1].Masked {
		t.Errorf("%q, %+v", after, e.Files)
	}
	for i, was := range strings.Split(before, "\n") {
		if is := strings.Split(after, "\n")[i]; (is == "") != (was == "") || is != "" && is[0] != was[0] {
			t.Errorf("line %d was %q and is %q", i, was, is)
		}
	}
}
