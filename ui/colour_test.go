//go:build unix

package ui_test

import (
	"fmt"
	"image/color"
	"testing"

	"github.com/charmbracelet/x/ansi"

	. "hermes-tui/internal/uitest"
	"hermes-tui/themes"
)

// TestColourDepths has the program use the colours that are meant for what the
// terminal says it has.
func TestColourDepths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"truecolour": {[]string{"COLORTERM=truecolor"}, string(themes.Dark().Faint)},
		"256":        {nil, string(themes.Fitting(true).At(themes.Palette256).Faint)},
		"16":         {[]string{"TERM=xterm-16color"}, "colour 7"},
	} {
		t.Run(name, func(t *testing.T) {
			d := Start(t, Options{Cols: 100, Rows: 20, Scenario: answers(), Env: c.env})
			d.WaitIdle().Expect(Styled("the hints' colour "+c.want, "a command", func(s Style) bool { return s.Fg != nil && hexOf(s.Fg) == c.want }))
		})
	}
}

// hexOf writes a colour: "#rrggbb", or which of the 16 colours it is.
func hexOf(c color.Color) string {
	if i, ok := c.(ansi.BasicColor); ok {
		return fmt.Sprint("colour ", int(i))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
