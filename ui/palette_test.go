package ui

import (
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/app"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// palette opens the list of all actions and types into it.
func palette(t *testing.T, m *Model, typed string) *overlay.Picker {
	t.Helper()
	m.onKey(pressed(t, "ctrl+p"))
	p, ok := m.box.(*overlay.Picker)
	if !ok {
		t.Fatalf("ctrl+p opens %T", m.box)
	}
	m.dispatch(p.Type(typed))
	return p
}

// TestPaletteListsEverything looks for each action and each command. Of what is done in a
// window it is said where that is.
func TestPaletteListsEverything(t *testing.T) {
	m := newScreen(t, 120, 30, app.Settings{Keys: map[string][]string{"steer": {}, "writing.stash": {"f9"}}})
	begun(m)
	shown(m)
	m.openPalette()
	p, all, last := m.box.(*overlay.Picker), "", ""
	for {
		it, _ := p.Selected()
		if it.ID == last {
			break
		}
		last, all = it.ID, all+it.Label+" "+it.Detail+" "+it.Right+"\n"
		p.Move(overlay.Down)
	}
	for _, c := range keys.Contexts() {
		if way := slices.ContainsFunc(waysIn(), func(w wayIn) bool { return w.context == c }); way == (m.regionOf(c) != nil || c == keys.Anywhere) {
			t.Errorf("there is not one way to %s", c)
		}
	}
	for _, b := range m.keys.Bindings {
		if b.Action != keys.Palette && !strings.Contains(all, firstWords(b.Help)) {
			t.Errorf("%s.%s is not listed: %q", b.Context, b.Action, b.Help)
		}
	}
	for _, c := range slash.Table() {
		if !strings.Contains(all, "/"+string(c.Name)) {
			t.Errorf("/%s is not listed", c.Name)
		}
	}
	for _, key := range []string{"f9", "shift+tab", "alt+up", "in /resume alt+r", "in /skills alt+i", "in /mcp alt+l", "in /memory alt+w"} {
		if !strings.Contains(all, key) {
			t.Errorf("the key %s is not named", key)
		}
	}
}

// TestPaletteFindsWhatIsMeant looks for what people call a command: it comes first, and
// nothing is found of which the letters only stand somewhere.
func TestPaletteFindsWhatIsMeant(t *testing.T) {
	m := newScreen(t, 120, 30, app.Settings{})
	begun(m)
	shown(m)
	for typed, want := range map[string]string{
		"theme": "/theme", "skin": "/theme", "switch model": "/model", "change the model": "/model", "switch session": "/resume", "new session": "/new", "exit": "/quit", "compact": "/compress",
	} {
		p := palette(t, m, typed)
		if it, _ := p.Selected(); it.Label != want {
			t.Errorf("%s finds %q first, not %s", typed, it.Label, want)
		}
		last := ""
		for it, _ := p.Selected(); it.ID != last; it, _ = p.Selected() {
			if text := strings.ToLower(it.Label + " " + it.Detail + " " + it.Also); !strings.Contains(text, strings.Fields(typed)[0]) {
				t.Errorf("%s finds %q", typed, text)
			}
			last = it.ID
			p.Move(overlay.Down)
		}
		m.show(nil)
	}
}

// TestPaletteActs takes an action that works anywhere, one of another region, one for which
// there is nothing, and a command: each does what its key does, and the draft stays.
func TestPaletteActs(t *testing.T) {
	m := newScreen(t, 120, 30, app.Settings{})
	begun(m)
	shown(m)
	m.composer.Insert("my draft")
	palette(t, m, "find something in the transcript")
	m.onKey(pressed(t, "enter"))
	if m.box != nil || !m.finds() {
		t.Fatalf("no search was begun: %T", m.box)
	}
	m.onKey(pressed(t, "esc"))
	palette(t, m, "show when each message")
	if m.onKey(pressed(t, "enter")); !m.times || m.focus != focusTranscript {
		t.Errorf("no times are shown: %v, focus %v", m.times, m.focus)
	}
	m.setFocus(focusComposer)
	palette(t, m, "drop the selected message")
	if m.onKey(pressed(t, "enter")); m.focus != focusComposer || !strings.Contains(m.note, "No message waits") {
		t.Errorf("focus %v, note %q", m.focus, m.note)
	}
	palette(t, m, "/title")
	if m.onKey(pressed(t, "enter")); m.box != nil || m.note == "" {
		t.Errorf("the command did nothing: %T %q", m.box, m.note)
	}
	palette(t, m, "tell small and capital letters")
	if m.onKey(pressed(t, "enter")); !m.finds() || !strings.HasPrefix(m.note, "alt+c: ") {
		t.Errorf("finds %v, note %q", m.finds(), m.note)
	}
	m.onKey(pressed(t, "esc"))
	if got := m.composer.Draft(); got != "my draft" {
		t.Errorf("the draft is %q", got)
	}
}

// TestHelpBeginsWhereTheKeysGo opens help from each place that has keys.
func TestHelpBeginsWhereTheKeysGo(t *testing.T) {
	for name, enter := range map[string]func(m *Model){
		"writing":    func(*Model) {},
		"transcript": func(m *Model) { m.setFocus(focusTranscript) },
		"find":       func(m *Model) { m.setFocus(focusTranscript); m.openFind() },
		"window":     func(m *Model) { m.openPalette() },
	} {
		m := newScreen(t, 100, 30, app.Settings{})
		begun(m)
		shown(m)
		enter(m)
		under := m.box
		m.onKey(pressed(t, "f1"))
		help, ok := m.box.(*overlay.Help)
		if !ok {
			t.Fatalf("%s: f1 opens %T", name, m.box)
		}
		text := helpText(help)
		first, rest, _ := strings.Cut(text, "More keys")
		if !strings.Contains(first, "Keys here: "+name) {
			t.Errorf("%s: help begins with\n%s", name, first)
		}
		if n := strings.Count(first, "\n"); n > helpFirst+6 || rest == "" {
			t.Errorf("%s: %d lines before the others", name, n)
		}
		if m.onKey(pressed(t, "esc")); m.box != under {
			t.Errorf("%s: esc leads to %T", name, m.box)
		}
	}
}

// BenchmarkPaletteLetter types a letter into the palette and takes it back, each with its
// frame.
func BenchmarkPaletteLetter(b *testing.B) {
	m := newScreen(b, 160, 50, app.Settings{})
	begun(m)
	shown(m)
	m.openPalette()
	for b.Loop() {
		m.onKey(pressed(b, "c"))
		m.View()
		m.onKey(pressed(b, "backspace"))
		m.View()
	}
}
