package ui

import (
	"testing"

	"hermes-tui/agent/app"
	"hermes-tui/ui/composer"
)

// TestTabBeforeTheMatches types on and takes the entry in sight before the files that
// match are found again: it is taken if it is one of them, and tab does nothing otherwise.
func TestTabBeforeTheMatches(t *testing.T) {
	for typed, want := range map[string]string{"a": "@docs/image.png ", "x": "@imx"} {
		m := newScreen(t, 80, 24, app.Settings{})
		begun(m)
		m.files.names = []string{"docs/image.png", "docs/other.md"}
		for _, k := range []string{"@", "i", "m"} {
			m.onKey(pressed(t, k))
		}
		q, ok := m.composer.Completion()
		if !ok || q.Kind != composer.FileQuery {
			t.Fatalf("%+v, %v", q, ok)
		}
		matchesMsg{q.Gen, matchFiles(q.Text, m.files.names)}.handle(m)
		shown(m)
		m.onKey(pressed(t, typed))
		m.onKey(pressed(t, "tab"))
		if got := m.composer.Value(); got != want {
			t.Errorf("with %q after it: %q, want %q", typed, got, want)
		}
	}
}
