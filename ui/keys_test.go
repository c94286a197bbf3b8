package ui

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// codes are the keys that are no characters, as they arrive.
func codes() map[string]rune {
	return map[string]rune{
		"enter": tea.KeyEnter, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "esc": tea.KeyEscape, "space": tea.KeySpace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "delete": tea.KeyDelete, "insert": tea.KeyInsert,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"f1": tea.KeyF1, "f6": tea.KeyF6, "f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9,
	}
}

// pressed is the message of a key as the toolkit sends it.
func pressed(t testing.TB, name string) tea.KeyPressMsg {
	t.Helper()
	k, rest := tea.Key{}, name
	for mod, bit := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if strings.Contains(rest, mod) {
			rest, k.Mod = strings.Replace(rest, mod, "", 1), k.Mod|bit
		}
	}
	runes := []rune(rest)
	switch code, named := codes()[rest]; {
	case named:
		k.Code = code
	case len(runes) == 1:
		k.Code = runes[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	default:
		t.Fatalf("the toolkit has no key %q", name)
	}
	return tea.KeyPressMsg(k)
}

func TestDefaultKeys(t *testing.T) {
	m, problems := keys.New(nil)
	if len(problems) > 0 {
		t.Errorf("the table contradicts itself: %q", problems)
	}
	seen := map[string]bool{}
	for _, b := range m.Bindings {
		row := string(b.Context) + "." + string(b.Action)
		if seen[row] {
			t.Errorf("%s stands in the table twice", row)
		}
		seen[row] = true
		if b.Help == "" || len(b.Keys) == 0 {
			t.Errorf("%s has no keys or no help", row)
		}
		for _, k := range b.Keys {
			if got := pressed(t, k).String(); got != k {
				t.Errorf("%s: the toolkit calls %q %q", row, k, got)
			}
			if name, ok := keys.Name(k); !ok || name != k {
				t.Errorf("%s: %q is written %q", row, k, name)
			}
			if a, ok := m.Find(k, b.Context, keys.Anywhere); !ok || a != b.Action {
				t.Errorf("%s: %s does %q", row, k, a)
			}
		}
	}
}

func TestHintsSayMoreThanTheKey(t *testing.T) {
	m, _ := New(Options{Now: time.Now})
	for _, b := range m.keys.Bindings {
		for _, h := range m.hints(b.Context, b.Action) {
			if h.Key == h.Text || h.Text == "" {
				t.Errorf("the hint of %s.%s reads %q %q", b.Context, b.Action, h.Key, h.Text)
			}
		}
		if slices.Contains(b.Keys, b.Help) {
			t.Errorf("the help of %s.%s repeats the key: %q", b.Context, b.Action, b.Help)
		}
	}
}

// TestHelpIsMadeFromTheTables reads the whole help window.
func TestHelpIsMadeFromTheTables(t *testing.T) {
	m, problems := New(Options{Now: time.Now, Settings: app.Settings{Keys: map[string][]string{"send": {"f9"}, "steer": {}}}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	m.openHelp()
	text := helpText(m.box)
	for _, b := range m.keys.Bindings {
		for _, k := range b.Keys {
			if !strings.Contains(text, k) {
				t.Errorf("no key %s of %s.%s", k, b.Context, b.Action)
			}
		}
		if got := strings.Contains(text, firstWords(b.Help)); !got && len(b.Keys) > 0 {
			t.Errorf("no help for %s.%s: %q", b.Context, b.Action, b.Help)
		}
	}
	for _, c := range slash.Table() {
		if !strings.Contains(text, c.Usage()) || !strings.Contains(text, firstWords(c.Help)) {
			t.Errorf("no help for %s", c.Usage())
		}
	}
	for _, hint := range []string{"down scroll"} {
		if !strings.Contains(text, hint) {
			t.Errorf("the lower edge lacks %q", hint)
		}
	}
	if strings.Contains(text, "steer the running turn") {
		t.Error("help names a key that was taken away")
	}
}

// helpText is all of a window, without the border.
func helpText(b overlay.Box) string {
	w, h := 90, 600
	bw, bh := b.Size(w, h)
	var lines []string
	for _, r := range b.Rows(nil, bw, bh) {
		lines = append(lines, strings.Trim(ansi.Strip(r), "│ "))
	}
	return strings.Join(lines, "\n")
}

// firstWords are the words of a text that surely stand on its first line.
func firstWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(4, len(words))], " ")
}

// TestOwnKeysReachTheScreen presses keys.
func TestOwnKeysReachTheScreen(t *testing.T) {
	m := newScreen(t, 120, 30, app.Settings{Keys: map[string][]string{"help": {"f9"}, "newline": {}}})
	m.onKey(pressed(t, "?"))
	if m.box != nil || m.composer.Value() != "?" {
		t.Error("the old key still opens the help, or was not typed")
	}
	m.composer.Clear()
	m.onKey(pressed(t, "ctrl+j"))
	if m.composer.Value() != "" {
		t.Error("a key that was taken away still works")
	}
	m.onKey(pressed(t, "f9"))
	if m.box == nil {
		t.Error("the new key does not work")
	}
	if hints := m.hints(keys.InComposer, keys.Help); len(hints) != 1 || hints[0].Key != "f9" {
		t.Errorf("the hint is %v", hints)
	}
}

// TestOwnKeysInWindows gives keys of a window to other actions.
func TestOwnKeysInWindows(t *testing.T) {
	m := newScreen(t, 100, 30, app.Settings{Keys: map[string][]string{"text.find": {"?"}, "text.find-next": {"f9"}}})
	begun(m)
	p := overlay.NewPager(m.styles, "title", strings.Repeat("a needle\n", 100), nil)
	m.dispatch(pagerMsg{p, nil})
	shown(m)
	for _, k := range []string{"/", "?", "n", "enter"} {
		if m.onKey(pressed(t, k)); p.Finding() != (k == "?" || k == "n") {
			t.Fatalf("after %q a search is typed: %v", k, p.Finding())
		}
	}
	if hints := m.boxHints(); len(hints) != 5 || hints[0].Key != "f9" {
		t.Errorf("the hints are %v", hints)
	}
}

// TestEveryKeyIsHarmless presses every key of the table in every place, and text
// after it: nothing panics and frames stay whole.
func TestEveryKeyIsHarmless(t *testing.T) {
	var names []string
	for _, b := range keys.Default() {
		names = append(names, b.Keys...)
	}
	slices.Sort(names)
	names = append(slices.Compact(names), "x", "1", "ä")
	for _, name := range slices.Sorted(maps.Keys(situations())) {
		t.Run(name, func(t *testing.T) {
			for _, k := range names {
				if name == "sessions" && k == "enter" {
					continue // nothing can be resumed before a conversation is there
				}
				m := newScreen(t, 100, 24, app.Settings{})
				situations()[name](m)
				m.onKey(pressed(t, k))
				m.onKey(pressed(t, "y"))
				whole(t, m, name+" after "+k)
			}
		})
	}
}
