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
	m, problems := newKeymap(nil)
	if len(problems) > 0 {
		t.Errorf("the table contradicts itself: %q", problems)
	}
	seen := map[string]bool{}
	for _, b := range m.bindings {
		row := string(b.place) + "." + string(b.action)
		if seen[row] {
			t.Errorf("%s stands in the table twice", row)
		}
		seen[row] = true
		if b.help == "" || len(b.keys) == 0 {
			t.Errorf("%s has no keys or no help", row)
		}
		for _, k := range b.keys {
			if got := pressed(t, k).String(); got != k {
				t.Errorf("%s: the toolkit calls %q %q", row, k, got)
			}
			if name, ok := keyName(k); !ok || name != k {
				t.Errorf("%s: %q is written %q", row, k, name)
			}
			if a, ok := m.find(k, b.place, anywhere); !ok || a != b.action {
				t.Errorf("%s: %s does %q", row, k, a)
			}
		}
	}
}

func TestHintsSayMoreThanTheKey(t *testing.T) {
	m, _ := New(Options{Now: time.Now})
	for _, b := range m.keys.bindings {
		for _, h := range m.hints(b.place, b.action) {
			if h.Key == h.Text || h.Text == "" {
				t.Errorf("the hint of %s.%s reads %q %q", b.place, b.action, h.Key, h.Text)
			}
		}
		if slices.Contains(b.keys, b.help) {
			t.Errorf("the help of %s.%s repeats the key: %q", b.place, b.action, b.help)
		}
	}
}

func TestOwnKeys(t *testing.T) {
	type found map[string]action // "place key" to action, empty for none
	at := func(p place, key string) string { return string(p) + " " + key }
	for name, c := range map[string]struct {
		own      map[string][]string
		want     found
		problems []string // parts of each, in order
	}{
		"another key": {map[string][]string{"send": {"ctrl+enter"}},
			found{at(inComposer, "ctrl+enter"): actSend, at(inComposer, "enter"): ""}, nil},
		"several keys": {map[string][]string{"steer": {"f2", "alt+s"}},
			found{at(inComposer, "f2"): actSteer, at(inComposer, "alt+s"): actSteer, at(inComposer, "ctrl+s"): ""}, nil},
		"no key": {map[string][]string{"quit": {}},
			found{at(anywhere, "ctrl+d"): ""}, nil},
		"everywhere it is": {map[string][]string{"copy": {"Y"}},
			found{at(inTranscript, "Y"): actCopy, at(inOverlay, "Y"): actCopy, at(inTranscript, "y"): "", at(inOverlay, "ctrl+y"): ""}, nil},
		"in one place": {map[string][]string{"completion menu.up": {"ctrl+k"}},
			found{at(inMenu, "ctrl+k"): actUp, at(inMenu, "up"): "", at(inComposer, "up"): actUp}, nil},
		"other spellings": {map[string][]string{"redo": {"Shift+Ctrl+R"}, "help": {"F2", "Option+H"}, "side-panes": {"PageUp"}},
			found{at(inComposer, "ctrl+shift+r"): actRedo, at(anywhere, "f2"): actHelp, at(anywhere, "alt+h"): actHelp, at(anywhere, "pgup"): actSide},
			[]string{"pgup is both side-panes and page-up (anywhere); it is side-panes", "pgup is page-up (question), so it is not side-panes there",
				"pgup is page-up (wall), so it is not side-panes there", "pgup is page-up (window), so it is not side-panes there"}},
		"the choice wins over a default": {map[string][]string{"redo": {"ctrl+s"}},
			found{at(inComposer, "ctrl+s"): actRedo}, []string{"ctrl+s is both redo and steer (writing); it is redo"}},
		"two choices": {map[string][]string{"redo": {"f3"}, "undo": {"f3"}},
			found{at(inComposer, "f3"): actUndo}, []string{"f3 is both undo and redo (writing); it is undo"}},
		"hidden": {map[string][]string{"redraw": {"ctrl+a"}},
			found{at(anywhere, "ctrl+a"): actRedraw, at(inComposer, "ctrl+a"): actHome}, []string{"ctrl+a is line-start (writing), so it is not redraw there"}},
		"unknown action": {map[string][]string{"fly": {"f3"}, "window.fly": {"f3"}, "nowhere.send": {"f3"}},
			found{at(inComposer, "enter"): actSend}, []string{`no action "fly"; there are escape, `, `no action "nowhere.send"`, `no action "window.fly"; there are accept, up`}},
		"unknown key": {map[string][]string{"send": {"ctrl+nothing"}, "steer": {"", "f4"}},
			found{at(inComposer, "enter"): actSend, at(inComposer, "f4"): actSteer}, []string{`send: there is no key called "ctrl+nothing"`, `steer: there is no key called ""`}},
	} {
		t.Run(name, func(t *testing.T) {
			m, problems := newKeymap(c.own)
			for where, want := range c.want {
				i := strings.LastIndex(where, " ")
				if got, _ := m.find(where[i+1:], place(where[:i])); got != want {
					t.Errorf("%s does %q, want %q", where, got, want)
				}
			}
			if len(problems) != len(c.problems) {
				t.Fatalf("problems %q", problems)
			}
			for i, part := range c.problems {
				if !strings.Contains(problems[i], part) {
					t.Errorf("problem %q lacks %q", problems[i], part)
				}
			}
			for _, b := range m.bindings {
				for _, k := range b.keys {
					if a, _ := m.find(k, b.place); a != b.action {
						t.Errorf("help says %s is %s (%s), but it is %s", k, b.action, b.place, a)
					}
				}
			}
		})
	}
}

func TestKeyNames(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "A": "A", "shift+a": "A", "ctrl+A": "ctrl+a", "ALT+SHIFT+x": "alt+shift+x", "shift+ctrl+alt+F1": "ctrl+alt+shift+f1",
		"+": "+", "ctrl++": "ctrl++", " ": "space", "ctrl+ ": "ctrl+space", "Return": "enter", "escape": "esc", "pgdn": "pgdown", "ä": "ä", "alt+<": "alt+<",
		"cmd+k": "super+k", "": "", "ctrl": "", "ctrl+": "", "f99": "", "\x01": "", "ab": "", "x+y": "",
	} {
		got, ok := keyName(in)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", in, got, ok, want)
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
	for _, b := range m.keys.bindings {
		for _, k := range b.keys {
			if !strings.Contains(text, k) {
				t.Errorf("no key %s of %s.%s", k, b.place, b.action)
			}
		}
		if got := strings.Contains(text, firstWords(b.help)); !got && len(b.keys) > 0 {
			t.Errorf("no help for %s.%s: %q", b.place, b.action, b.help)
		}
	}
	for _, c := range slash.Table() {
		if !strings.Contains(text, c.Usage()) || !strings.Contains(text, firstWords(c.Help)) {
			t.Errorf("no help for %s", c.Usage())
		}
	}
	for _, hint := range []string{"down scroll", "esc close"} {
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
	w, h := 90, 400
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
	if hints := m.hints(inComposer, actHelp); len(hints) != 1 || hints[0].Key != "f9" {
		t.Errorf("the hint is %v", hints)
	}
}

// TestEveryKeyIsHarmless presses every key of the table in every place, and text
// after it: nothing panics and frames stay whole.
func TestEveryKeyIsHarmless(t *testing.T) {
	var keys []string
	for _, b := range defaultKeys() {
		keys = append(keys, b.keys...)
	}
	slices.Sort(keys)
	keys = append(slices.Compact(keys), "x", "1", "ä")
	for _, name := range slices.Sorted(maps.Keys(situations())) {
		t.Run(name, func(t *testing.T) {
			for _, k := range keys {
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
