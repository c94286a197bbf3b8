package app

import (
	"strings"
	"testing"
)

// TestStatusLine runs commands as display.status_command names them.
func TestStatusLine(t *testing.T) {
	a := newBox(t).open()
	dir := t.TempDir()
	for _, c := range []struct{ command, want, err string }{
		{"cat", `{"model":"m"}`, ""},
		{"echo; echo '  one  '; echo two", "one", ""},
		{"pwd", dir, ""},
		{"yes x | head -c 100000000", "x", ""},
		{"true", "", ""},
		{"echo no >&2; exit 3", "", "ended with code 3: no"},
		{"sleep 60 & echo early", "early", ""}, // what it leaves running is ended
		{"sleep 60", "", "took longer than 2s"},
	} {
		got, err := a.StatusLine(t.Context(), c.command, dir, []byte(`{"model":"m"}`))
		said := ""
		if err != nil {
			said = err.Error()
		}
		if got != c.want || (c.err == "") != (err == nil) || !strings.Contains(said, c.err) {
			t.Errorf("%s: %q, %v", c.command, got, err)
		}
	}
}
