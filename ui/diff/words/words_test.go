package words

import (
	"strings"
	"testing"
)

// TestWords marks what has changed within a pair of lines, and nothing in lines
// that have little in common.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		old, new, inOld, inNew string
	}{
		{"n := l.count", "n := l.counter", "count", "counter"},
		{"a b c", "a x c", "b", "x"},
		{"same", "same", "", ""},
		{"entirely other", "x", "", ""},
		{"f(a, b)", "f(a, b, c)", "", ", c"},
		{"", "new", "", ""},
		{"größe = 1", "größe = 2", "1", "2"},
	} {
		a, b := Changed(c.old, c.new)
		if got := marked(c.old, a); got != c.inOld {
			t.Errorf("%q → %q: old %q, want %q", c.old, c.new, got, c.inOld)
		}
		if got := marked(c.new, b); got != c.inNew {
			t.Errorf("%q → %q: new %q, want %q", c.old, c.new, got, c.inNew)
		}
	}
}

func marked(s string, parts []Part) string {
	var out []string
	for _, p := range parts {
		out = append(out, s[p.From:p.To])
	}
	return strings.Join(out, "|")
}
