//go:build unix

package app

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/store/config"
)

// ofTheFile are settings that are about the file itself: what they say is wrong with it is
// said when it is read, and nothing of a running program depends on them.
var ofTheFile = []string{"approvals.rules.N.examples", "approvals.rules.N.not"}

// TestEveryKeyWhileRunning edits each setting that takes effect at once or with the next turn
// after a session has begun without it, and sees it take effect in that session. One whose
// class promises what the program does not keep fails.
func TestEveryKeyWhileRunning(t *testing.T) {
	class := map[string]config.Class{}
	for _, k := range config.Keys() {
		class[k.Name] = k.Class
	}
	var plays []keyTest
	together := map[string][]keyTest{} // settings of hooks, by what they are: one play for all events
	n := 0
	for _, k := range keyTests() {
		if c := class[k.key]; c != config.Live && c != config.Turn || slices.Contains(ofTheFile, k.key) {
			continue
		}
		n++
		if _, what, hook := strings.Cut(k.key, ".N."); hook && k.in == eventful && what != "fail_closed" {
			together[what] = append(together[what], k)
			continue
		}
		plays = append(plays, k)
	}
	for what, list := range together {
		t.Run("hooks."+what, func(t *testing.T) {
			t.Parallel()
			var also, edit []string
			for _, k := range list {
				also, edit = append(also, k.also), append(edit, k.setting())
			}
			is := eventful.play(t, strings.Join(also, "\n"), "", edit...)
			for _, k := range list {
				k.took(t, is)
			}
		})
	}
	for _, k := range plays {
		t.Run(k.key, func(t *testing.T) {
			t.Parallel()
			k.took(t, k.in.play(t, k.also, k.with, k.setting()))
		})
	}
	if n < 130 {
		t.Errorf("only %d settings take effect in a running program", n)
	}
}

// took holds that a setting took effect that was edited in a running session.
func (k keyTest) took(t *testing.T, is string) {
	t.Helper()
	if k.with != "" && !regexp.MustCompile(k.with).MatchString(is) {
		t.Errorf("%s, edited in a running session, brings no %s:\n%s", k.key, k.with, shortened(is))
	}
	if k.without != "" {
		if at := regexp.MustCompile(k.without).FindStringIndex(is); at != nil {
			t.Errorf("%s, edited in a running session, leaves %s: %s", k.key, k.without, is[max(0, at[0]-100):min(len(is), at[1]+100)])
		}
	}
}

// edit writes the settings that come later into the file, as a user does while the program
// runs.
func (s *scene) edit() {
	for line := range strings.Lines(s.later) {
		if path, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			maps.DeleteFunc(s.settings, func(other, _ string) bool { return strings.HasPrefix(other, path+".") })
			s.settings[path] = s.replace.Replace(value)
		}
	}
	s.later = ""
	s.config(nested(s.settings))
}

// edited edits the settings of a program that runs, if there is something to edit, and waits
// until it has read them. What was seen before counts for nothing.
func (s *scene) edited(a *App) {
	if s.later == "" {
		return
	}
	before := a.config()
	s.edit()
	comes(s.t, "the settings are read again", func() bool { return a.config() != before })
	a.reloading.Lock() // until all of it has taken effect
	defer a.reloading.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Reset()
}
