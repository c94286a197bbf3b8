package keys_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/ui/keys"
)

func TestOwnKeys(t *testing.T) {
	type found map[string]keys.Action // "place key" to action, empty for none
	at := func(p keys.Context, key string) string { return string(p) + " " + key }
	for name, c := range map[string]struct {
		own      map[string][]string
		want     found
		problems []string // parts of each, in order
	}{
		"another key": {map[string][]string{"send": {"ctrl+enter"}},
			found{at(keys.InComposer, "ctrl+enter"): keys.Send, at(keys.InComposer, "enter"): ""}, nil},
		"several keys": {map[string][]string{"steer": {"f2", "alt+s"}},
			found{at(keys.InComposer, "f2"): keys.Steer, at(keys.InComposer, "alt+s"): keys.Steer, at(keys.InComposer, "ctrl+s"): ""}, nil},
		"no key": {map[string][]string{"quit": {}},
			found{at(keys.Anywhere, "ctrl+d"): ""}, nil},
		"everywhere it is": {map[string][]string{"copy": {"Y"}},
			found{at(keys.InTranscript, "Y"): keys.Copy, at(keys.InOverlay, "Y"): keys.Copy, at(keys.InTranscript, "y"): "", at(keys.InOverlay, "ctrl+y"): ""}, nil},
		"by the former names of contexts": {map[string][]string{"completion menu.down": {"f3"}, "side panes.kill": {"K"}, "text window.find": {"F"}},
			found{at(keys.InMenu, "f3"): keys.Down, at(keys.InSidebar, "K"): keys.Kill, at(keys.InGrid, "K"): "", at(keys.InText, "F"): keys.Find}, nil},
		"in one context": {map[string][]string{"menu.up": {"ctrl+k"}},
			found{at(keys.InMenu, "ctrl+k"): keys.Up, at(keys.InMenu, "up"): "", at(keys.InComposer, "up"): keys.Up}, nil},
		"other spellings": {map[string][]string{"redo": {"Shift+Ctrl+R"}, "help": {"F2", "Option+H"}, "side-panes": {"PageUp"}},
			found{at(keys.InComposer, "ctrl+shift+r"): keys.Redo, at(keys.Anywhere, "f2"): keys.Help, at(keys.Anywhere, "alt+h"): keys.Help, at(keys.Anywhere, "pgup"): keys.Side},
			[]string{"pgup is both side-panes and page-up (anywhere); it is side-panes", "pgup is page-up (question), so it is not side-panes there", "pgup is page-up (selection), so it is not side-panes there",
				"pgup is page-up (wall), so it is not side-panes there", "pgup is page-up (window), so it is not side-panes there"}},
		"the choice wins over a default": {map[string][]string{"redo": {"ctrl+s"}},
			found{at(keys.InComposer, "ctrl+s"): keys.Redo}, []string{"ctrl+s is both redo and steer (writing); it is redo"}},
		"two choices": {map[string][]string{"redo": {"f3"}, "undo": {"f3"}},
			found{at(keys.InComposer, "f3"): keys.Undo}, []string{"f3 is both undo and redo (writing); it is undo"}},
		"hidden": {map[string][]string{"redraw": {"ctrl+a"}},
			found{at(keys.Anywhere, "ctrl+a"): keys.Redraw, at(keys.InComposer, "ctrl+a"): keys.Home}, []string{"ctrl+a is line-start (writing), so it is not redraw there"}},
		"unknown action": {map[string][]string{"fly": {"f3"}, "window.fly": {"f3"}, "nowhere.send": {"f3"}},
			found{at(keys.InComposer, "enter"): keys.Send}, []string{`no action "fly"; there are escape, `, `no action "nowhere.send"`, `no action "window.fly"; there are accept, up`}},
		"unknown key": {map[string][]string{"send": {"ctrl+nothing"}, "steer": {"", "f4"}},
			found{at(keys.InComposer, "enter"): keys.Send, at(keys.InComposer, "f4"): keys.Steer}, []string{`send: there is no key called "ctrl+nothing"`, `steer: there is no key called ""`}},
	} {
		t.Run(name, func(t *testing.T) {
			m, problems := keys.New(c.own)
			for where, want := range c.want {
				i := strings.LastIndex(where, " ")
				if got, _ := m.Find(where[i+1:], keys.Context(where[:i])); got != want {
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
			for _, b := range m.Bindings {
				for _, k := range b.Keys {
					if a, _ := m.Find(k, b.Context); a != b.Action {
						t.Errorf("help says %s is %s (%s), but it is %s", k, b.Action, b.Context, a)
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
		got, ok := keys.Name(in)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", in, got, ok, want)
		}
	}
}

// TestContextsAreWords holds contexts to names that a user can write before a dot.
func TestContextsAreWords(t *testing.T) {
	word := regexp.MustCompile(`^[a-z]+$`)
	for _, b := range keys.Default() {
		if !word.MatchString(string(b.Context)) {
			t.Errorf("%q is not one word", b.Context)
		}
		if !slices.Contains(keys.Contexts(), b.Context) {
			t.Errorf("%q is not shown by help", b.Context)
		}
	}
}
