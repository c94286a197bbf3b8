package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRefineWhileItGrows colours code of a text at random moments while it
// arrives, one fence at a time, and changes the width now and then. In the end
// it must look as if it had been drawn at once, and rows that are said to be the
// same must be.
func TestRefineWhileItGrows(t *testing.T) {
	st := testStyles()
	const part = "## Part %d\n\nWords before.\n\n```go\nfunc f%d() {}\n```\n\n1. one\n\n   ```sh\n   ls %d\n   ```\n2. two\n\n```go\nvar same = 1\n```\n\n> end\n\n"
	var doc strings.Builder
	for i := range 12 {
		fmt.Fprintf(&doc, part, i, i, i)
	}
	for seed := range uint64(30) {
		dice := rand.New(rand.NewPCG(seed, 1))
		var now time.Time
		tired := func() time.Time { now = now.Add(refineBudget); return now } // after one fence
		s := New(Options{Clock: tired, Defer: true}).Stream()
		w, before := 60, []string(nil)
		draw := func() {
			rows := s.Rows(w, st)
			if n := s.Same(); n > len(before) || !slices.Equal(rows[:n], before[:n]) {
				t.Fatalf("seed %d: the first %d rows are not the same", seed, n)
			}
			before = slices.Clone(rows)
		}
		for _, piece := range randomPieces(doc.String(), dice, 80) {
			s.Append(piece)
			draw()
			if dice.IntN(4) == 0 && s.Refine() {
				draw()
			}
			if dice.IntN(40) == 0 {
				w = 40 + dice.IntN(40)
				draw()
			}
		}
		s.Close()
		for s.Pending() {
			s.Refine()
			draw()
		}
		draw()
		want := testRenderer().Render(doc.String(), w, st)
		if !slices.Equal(before, want) {
			t.Fatalf("seed %d: got %q, want %q", seed, before, want)
		}
	}
}
