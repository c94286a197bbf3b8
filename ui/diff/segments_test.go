package diff_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-tui/themes"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/rows"
)

// TestSegments holds that segments are the rows of the difference, and that each hunk of the
// texts is one of them.
func TestSegments(t *testing.T) {
	st := rows.NewStyles(themes.Theme{})
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat("x", r.IntN(3)) + "line\n")
			if i == n-1 && r.IntN(2) == 0 {
				b.WriteString("no end")
			}
		}
		return b.String()
	}
	for range 400 {
		c := hunks.Compare(text(r.IntN(30)), text(r.IntN(30)))
		d := diff.New(c.Unified("a/f", "b/f"))
		for _, w := range []int{1, 40, diff.Wide} {
			var all []string
			seen := 0
			for _, s := range d.Segments(w, st, w >= diff.Wide) {
				all = append(all, s.Rows...)
				if len(s.Rows) == 0 || s.Hunk >= 0 && s.Hunk != seen {
					t.Fatalf("segment %d of %d rows behind %d", s.Hunk, len(s.Rows), seen)
				}
				if s.Hunk >= 0 {
					seen++
				}
			}
			if seen != len(c.Hunks) || len(c.Hunks) > 0 && !slices.Equal(all, d.Rows(nil, w, st)) {
				t.Fatalf("%d segments of %d hunks, in %d columns:\n%s", seen, len(c.Hunks), w, c.Unified("a/f", "b/f"))
			}
		}
	}
}
