package review

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// TestGolden draws a review at several sizes and with several numbers of colours; the
// escape is written as ␛. UPDATE_GOLDEN=1 writes the files.
func TestGolden(t *testing.T) {
	dark, _ := themes.Named("dark")
	light, _ := themes.Named("light")
	for name, theme := range map[string]themes.Theme{
		"dark": dark.At(themes.TrueColor), "light": light.At(themes.TrueColor), "256": dark.At(themes.Palette256), "16": dark.At(themes.Palette16), "mono": dark.At(themes.Mono),
	} {
		var out []string
		for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 60}} {
			w := window(false,
				hunks.File{Name: "a.go", Op: hunks.Change, Old: lines(30), New: lines(30, 3, 20)}, hunks.File{Name: "new.txt", Op: hunks.Create, New: "x\n"},
				hunks.File{Name: "b.png", Op: hunks.Change, Old: "\x00", New: "\x01", Opaque: "a binary file"},
			)
			w.o.Hints = func(list ...keys.Hint) (hints []status.Hint) {
				for _, h := range list {
					hints = append(hints, status.Hint{Key: string(h.Action), Text: h.Text})
				}
				return hints
			}
			w.SetStyles(rows.NewStyles(theme))
			do(w, keys.TakeHunk, keys.CommentHunk, "why?", keys.Accept, keys.EditHunk, "!", keys.Accept, keys.NextHunk, keys.RejectHunk, keys.PrevHunk)
			out = append(out, fmt.Sprintf("%d×%d:", size[0], size[1]))
			for _, row := range w.Rows(nil, size[0], size[1]) {
				out = append(out, strings.ReplaceAll(row, "\x1b", "␛")+"|")
			}
		}
		celltest.Golden(t, name+".txt", out, os.WriteFile)
	}
}
