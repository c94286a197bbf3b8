package ui

import (
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
)

// screens are all that a user may see: situations and windows, by name.
func screens() map[string]func(*Model) {
	all := situations()
	maps.Copy(all, boxes())
	return all
}

// TestScreensGolden compares every screen at four sizes with testdata/screens, a file for
// each: its text to be read, and a sum of the frame with its styles in the dark theme, the
// light one and without colours. UPDATE_GOLDEN=1 writes the files.
func TestScreensGolden(t *testing.T) {
	looks := []struct {
		name  string
		theme string
		depth themes.Depth
	}{{"dark", "dark", themes.TrueColor}, {"light", "light", themes.TrueColor}, {"mono", "dark", themes.Mono}}
	for _, name := range slices.Sorted(maps.Keys(screens())) {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 60}} {
				var text string
				var sums []string
				for _, look := range looks {
					settings := settingsOfTests()
					settings.Theme = look.theme
					m := newScreen(t, s[0], s[1], settings)
					m.o.Now, m.told, m.depth = noon, true, look.depth
					m.restyle()
					screens()[name](m)
					m.tickRegions(noon())
					m.dirty = true
					frame := drawn(m)
					sums = append(sums, fmt.Sprintf("%s %08x", look.name, crc32.ChecksumIEEE([]byte(frame))))
					if look.name == "dark" {
						text = ansi.Strip(frame)
					}
				}
				got = append(got, fmt.Sprintf("== %d×%d, %s", s[0], s[1], strings.Join(sums, ", ")))
				got = append(got, strings.Split(text, "\n")...)
			}
			celltest.Golden(t, "screens/"+strings.ReplaceAll(name, " ", "-")+".txt", got, os.WriteFile)
		})
	}
}
