package spelling_test

import (
	"testing"

	"hermes-tui/tools/spelling"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0}, {"", "ab", 3, 2}, {"abc", "abc", 3, 0}, {"abc", "abd", 3, 1}, {"abc", "acb", 3, 1}, {"abc", "ab", 3, 1},
		{"kitten", "sitting", 9, 3}, {"kitten", "sitting", 2, 2}, {"abcdef", "a", 3, 3}, {"theme", "thmee", 9, 1}, {"theme", "tehem", 9, 2}, {"a", "b", 0, 0},
	} {
		if got := spelling.Distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("%q, %q, %d: %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
		if got := spelling.Distance(c.b, c.a, c.limit); got != c.want {
			t.Errorf("%q, %q, %d: %d, want %d", c.b, c.a, c.limit, got, c.want)
		}
	}
}
