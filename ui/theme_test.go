//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/themes"
)

// truecolour is the environment of a terminal with all colours.
var truecolour = []string{"COLORTERM=truecolor"}

// accent says that the prompt has the accent of a theme.
func accent(t *testing.T, theme string) Matcher {
	t.Helper()
	s, ok := themes.Named(theme)
	if !ok {
		t.Fatal(theme)
	}
	return coloured(theme, s.True.Accent)
}

func coloured(what string, c themes.Color) Matcher {
	return Styled("in the colours of "+what, "❯", func(s Style) bool { return s.Fg != nil && hexOf(s.Fg) == string(c) })
}

// writeSkin writes a skin of a home.
func writeSkin(t *testing.T, home, name, text string) {
	t.Helper()
	dir := filepath.Join(home, "skins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// As editors do it: never half a file.
	if err := os.WriteFile(filepath.Join(dir, name+"~"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, name+"~"), filepath.Join(dir, name+".yaml")); err != nil {
		t.Fatal(err)
	}
}

// TestThemeWindow tries themes as the mark moves, gives back the colours from before, and
// takes one until the end or for later starts.
func TestThemeWindow(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 130, Rows: 36, Scenario: answers(), Env: truecolour, Config: "display:\n  mouse: on # with the mouse\n"})
	d.WaitIdle().Expect(accent(t, "dark"))
	d.Type("/theme").Press("enter").WaitFor(Contains("contrast-light"), Contains("▸● auto")).WaitIdle().Expect(accent(t, "dark"))
	d.Press("down", "down").WaitIdle().Expect(accent(t, "light"), Contains("⚠ Made for a light terminal; yours is dark."))
	d.Type("arctic").WaitIdle().Expect(accent(t, "arctic"), Contains("1 of 13"))
	d.Press("esc").WaitIdle().Expect(accent(t, "dark")) // the filter is given up, and the mark is on the first
	d.Press("end").WaitIdle().Expect(accent(t, "cream"))
	d.Press("esc").WaitIdle().Expect(accent(t, "dark"), NotContains("contrast-light"))

	d.Type("/theme").Press("enter").WaitFor(Contains("contrast-light")).Type("violet").Press("enter").WaitIdle()
	d.Expect(accent(t, "violet"), NotContains("contrast-light"), Contains("Theme violet until you leave"))
	file := filepath.Join(d.Home(), "config.yaml")
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "theme") {
		t.Errorf("%s, %v", text, err)
	}
	d.Type("/theme").Press("enter").WaitFor(Contains("▸● violet")).Press("down").WaitIdle().Expect(accent(t, "arctic"))
	d.Press("ctrl+s").WaitIdle().Expect(accent(t, "arctic"), Contains("Theme arctic, saved for later starts."))
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "display:\n  mouse: on # with the mouse\n  theme: arctic\n") {
		t.Errorf("%s, %v", text, err)
	}
	d.Type("/theme earth").Press("enter").WaitIdle().Expect(accent(t, "earth"))
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "  theme: earth\n") {
		t.Errorf("%s, %v", text, err)
	}
	d.Type("/theme erth").Press("enter").WaitIdle().Expect(accent(t, "earth"), Contains(`There is no theme "erth": do you mean earth?`))
	d.Quit().Wait()
	d = Start(t, Options{Cols: 130, Rows: 36, Env: truecolour, Home: d.Home()})
	d.WaitIdle().Expect(accent(t, "earth"))
}

// TestSkinWhileRunning follows the file of the skin that is in use. What cannot be used
// changes nothing, and a line says where it is wrong.
func TestSkinWhileRunning(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	writeSkin(t, home, "mine", "colors:\n  accent: \"#010203\"\n")
	writeSkin(t, home, "broken", "colors:\n  acent: red\n")
	d := Start(t, Options{Cols: 130, Rows: 36, Scenario: answers(), Env: truecolour, Home: home, Config: "display:\n  theme: mine\n"})
	d.WaitIdle().Expect(coloured("mine", "#010203"))
	writeSkin(t, home, "mine", "colors:\n  accent: \"#0a0b0c\"\n")
	d.WaitFor(coloured("the new mine", "#0a0b0c"))
	writeSkin(t, home, "mine", "colors:\n  text: red\n  acent: \"#0d0e0f\"\n")
	d.WaitFor(Contains("so the colours stay as they were:"), Contains("skins/mine.yaml, line 3:"), Contains("do you mean colors.accent?")).Expect(coloured("the new mine", "#0a0b0c"))
	d.Type("/theme").Press("enter").WaitFor(Contains("Yours, in")).Type("broken").WaitIdle()
	d.Expect(Contains("cannot be used"), Contains("skins/broken.yaml, line 2:"), Contains("\"colors.acent\" is not a colour"), coloured("the new mine", "#0a0b0c"))
	d.Press("enter").WaitIdle().Expect(Contains("1 of 15")) // it cannot be taken
	d.Press("esc", "esc").WaitIdle()
	d.Type("/theme broken").Press("enter").WaitFor(Contains("broken.yaml, line 2:")).Expect(coloured("the new mine", "#0a0b0c"))
	writeSkin(t, home, "mine", "inherits: cream\n")
	d.WaitFor(accent(t, "cream"))
	d.Quit().Wait()

	// What is wrong at the start is said, and keeps nothing from working.
	writeSkin(t, home, "mine", "[]")
	d = Start(t, Options{Cols: 130, Rows: 36, Env: truecolour, Home: home})
	d.WaitFor(Contains("mine.yaml, line 1: the file must hold keys"), Contains("so the colours are those that fit your terminal")).Expect(accent(t, "dark"))
}

// TestNoColours has marks, badges and words of a difference stand out where there are no
// colours at all.
func TestNoColours(t *testing.T) {
	t.Parallel()
	s := answers(on("write", call("write_file", map[string]any{"path": "a.txt", "content": "one two\n"})), after("write", 1, call("patch", map[string]any{"path": "a.txt", "old_string": "one two", "new_string": "one three"})),
		after("write", 2, say("It holds `three` now, see [the site](https://example.com).")))
	d := Start(t, Options{Cols: 110, Rows: 40, Scenario: s, Env: []string{"COLORTERM=truecolor", "NO_COLOR=1"}})
	d.WaitIdle().Type("write").Press("enter").WaitFor(Contains("It holds `three` now")).WaitIdle()
	reversed := func(s Style) bool { return s.Reverse }
	d.Expect(
		Styled("reversed", "three", func(s Style) bool { return s.Reverse }), // the word of the difference comes first
		Styled("underlined", "the site", func(s Style) bool { return s.Underline }),
		Styled("dim", "What do you want to do?", func(s Style) bool { return s.Faint }),
		Matches("has no colours", colourless),
	)
	d.Type("/theme").Press("enter").WaitFor(Contains("contrast-light")).WaitIdle()
	d.Expect(Styled("reversed", "auto", reversed), Not(Styled("reversed", "contrast-dark", reversed)), Matches("has no colours", colourless))
	d.Press("down").WaitIdle().Expect(Styled("reversed", "calm colours for dark terminals", reversed), Matches("has no colours", colourless))
}

func colourless(s Screen) bool {
	for y := range s.Rows {
		for x := range s.Cols {
			if st := s.Cell(x, y).Style; st.Fg != nil || st.Bg != nil {
				return false
			}
		}
	}
	return true
}
