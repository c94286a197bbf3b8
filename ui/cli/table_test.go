package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// TestColumns: cells of a column stand below each other, in characters of any width; a terminal
// that is too narrow has them wrapped, and loses nothing.
func TestColumns(t *testing.T) {
	t.Parallel()
	write := func(width int) string {
		var out bytes.Buffer
		c := grid{out: &out, width: width}
		fmt.Fprint(&c, "a\t漢字漢字\tfirst words of it\nlonger\tb\t\n\t\tonly the last\n")
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := "a       漢字漢字  first words of it\nlonger  b\n                  only the last\n"
	for _, width := range []int{0, 80} {
		if got := write(width); got != want {
			t.Errorf("%d:\n%s", width, got)
		}
	}
	narrow := write(24)
	for line := range strings.Lines(narrow) {
		if lipgloss.Width(strings.TrimSuffix(line, "\n")) > 24 {
			t.Errorf("%q is too wide", line)
		}
	}
	if got, all := strings.Join(strings.Fields(narrow), ""), strings.Join(strings.Fields(want), ""); len(got) != len(all) {
		t.Errorf("lost something:\n%s", narrow)
	}
	var none bytes.Buffer
	c := grid{out: &none}
	if err := c.Flush(); err != nil || none.Len() > 0 {
		t.Errorf("%q, %v", none.String(), err)
	}
}
