package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/overlay"
)

// TestThemeWindowGolden compares the window of themes with testdata/themes.golden: on
// screens of several sizes without styles, then with the styles of a theme and without
// colours (the escape written as ␛). UPDATE_GOLDEN=1 writes the file.
func TestThemeWindowGolden(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const dir = "skins" // the same on every machine
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.yaml"), []byte("description: of my own\nbackground: \"#101010\"\ncolors: {text: \"#555555\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "worse.yaml"), []byte("colors: {tex: red}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	draw := func(title string, w, h int, depth themes.Depth, mark string, styled bool) {
		m := newScreen(t, w, h, settingsOfTests())
		begun(m)
		m.o.Themes, m.told, m.depth = themes.Library{Dir: dir}, true, depth
		m.openThemes()
		m.Update(themesMsg{m.box.(*themesWindow), m.o.Themes.List()})
		m.box.Type(mark)
		m.looked(nil)
		_, _, bw, bh := overlay.Place(m.box, w, h)
		fmt.Fprintf(&got, "== %s, %d×%d\n", title, w, h)
		for _, r := range m.box.Rows(nil, bw, bh) {
			if !styled {
				r = ansi.Strip(r)
			}
			got.WriteString(strings.ReplaceAll(r, "\x1b", "␛") + "\n")
		}
	}
	for _, size := range [][2]int{{40, 10}, {80, 24}, {80, 30}, {120, 40}, {200, 60}} {
		draw("all", size[0], size[1], themes.TrueColor, "", false)
	}
	draw("for another terminal", 160, 45, themes.TrueColor, "cream", false)
	draw("a skin that is hard to read", 160, 45, themes.TrueColor, "mine", false)
	draw("a skin that cannot be used", 160, 45, themes.TrueColor, "worse", false)
	draw("dark", 120, 40, themes.TrueColor, "contrast-dark", true)
	draw("light", 120, 40, themes.TrueColor, "contrast-light", true)
	draw("16 colours", 120, 40, themes.Palette16, "contrast-dark", true)
	draw("no colours", 120, 40, themes.Mono, "contrast-dark", true)

	file := filepath.Join(wd, "testdata", "themes.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the frames are\n%s", got.String())
	}
}
