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

// TestEnterTakesNoGuess sends a command that no one knows, of which the menu offers one
// that merely holds its letters.
func TestEnterTakesNoGuess(t *testing.T) {
	offer := func(m *Model, text string) {
		m.composer.Insert(text)
		q, ok := m.composer.Completion()
		if !ok {
			t.Fatal("nothing to complete")
		}
		m.composer.Offer(q.Gen, []composer.Item{{Label: "/incident-notes", Insert: "/incident-notes "}})
		shown(m)
	}
	for _, c := range []struct {
		typed string
		keys  []string
		want  string
	}{
		{"/inct", []string{"enter"}, "/inct"},
		{"/inct", []string{"tab"}, "/incident-notes "},
		{"/inct", []string{"down", "enter"}, "/incident-notes "},
		{"/comp", []string{"enter"}, "/incident-notes "}, // the beginning of a command
	} {
		m := newScreen(t, 80, 24, app.Settings{})
		begun(m)
		offer(m, c.typed)
		for _, k := range c.keys {
			m.onKey(pressed(t, k))
		}
		if got := m.composer.Value(); got != c.want {
			t.Errorf("%q, %q: the draft is %q, want %q", c.typed, c.keys, got, c.want)
		}
		if unknown := c.want == c.typed; unknown != (m.note != "") {
			t.Errorf("%q, %q: it says %q", c.typed, c.keys, m.note)
		}
	}
}
