package agentgrid

import (
	"fmt"
	"os"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/internal/celltest"
)

func TestGolden(t *testing.T) {
	for name, c := range map[string]struct {
		talk  *talk
		steps func(*Grid)
	}{
		"zoo":   {zoo(), nil},
		"moved": {zoo(), func(w *Grid) { w.Down(); w.Right() }},
		"sixty": {many(60, 3), func(w *Grid) { w.PageDown() }},
		"one":   {many(1, 1), nil},
		"none":  {newTalk(), nil},
	} {
		var out []string
		for _, size := range [][2]int{{160, 50}, {100, 30}, {70, 20}, {40, 10}, {24, 4}} {
			w := gridOf(c.talk)
			frame(t, w, size[0], size[1])
			if c.steps != nil {
				c.steps(w)
			}
			got := w.Rows(nil, size[0], size[1])
			celltest.Check(t, got, size[0], size[1])
			out = append(out, fmt.Sprintf("%d×%d:", size[0], size[1]))
			for _, row := range got {
				out = append(out, ansi.Strip(row)+"|")
			}
		}
		celltest.Golden(t, name+".txt", out, os.WriteFile)
	}
}
