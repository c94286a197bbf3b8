package patch

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// worst are texts that are as expensive to search as they get.
func worst() []struct{ name, body, old string } {
	r := rand.New(rand.NewPCG(3, 4))
	long := randomText(r, 1_000_000)
	one := strings.ReplaceAll(long, "\n", " ")
	var alike strings.Builder
	for range 10_000 {
		alike.WriteString("abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc" + randomText(r, 3) + "x\n")
	}
	return []struct{ name, body, old string }{
		{"one line", one, mutate(r, one[:300_000]) + "?"},
		{"one line, short", one, mutate(r, one[:300]) + "?"},
		{"same character", strings.Repeat("a", 1_000_000), strings.Repeat("a", 50_000) + "b"},
		{"two characters", strings.Repeat("ab", 500_000), strings.Repeat("ba", 80) + "c"},
		{"lines alike", alike.String(), strings.Repeat("cbacbacbacbacbacbacbacbacbacbacbacbacbacbacbacba\n", 500)},
		{"same lines", strings.Repeat("x\n", 100_000), strings.Repeat("x\n", 3_000) + "y"},
		{"blank lines", strings.Repeat("\n", 200_000), strings.Repeat("\n", 3_000) + "y"},
		{"anchors", strings.Repeat("{\n"+strings.Repeat("a b c ", 50)+"\n}\n", 5_000), "{\n" + strings.Repeat("c b a ", 60) + "\n}"},
	}
}

// TestWorst holds that no pair of texts keeps a call busy: the test ends.
func TestWorst(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: takes a second, and much longer with the race detector")
	}
	for _, w := range worst() {
		t.Run(w.name, func(t *testing.T) {
			r, err := Replace(w.body, w.old, "", false)
			t.Logf("%q %.60v", r.Strategy, err)
		})
	}
}
