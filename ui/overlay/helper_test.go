package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

var (
	styles = rows.NewStyles(themes.Dark())
	hints  = []status.Hint{{Key: "enter", Text: "take"}, {Key: "esc", Text: "close"}}
	widths = []int{30, 40, 80, 120}
)

// golden draws a box over a frame of dots at every width, after steps that see
// the box drawn once.
func golden(t *testing.T, name string, h int, box func() overlay.Box, steps func(overlay.Box)) {
	t.Helper()
	var out []string
	for _, w := range widths {
		b := box()
		draw(t, b, w, h)
		if steps != nil {
			steps(b)
		}
		out = append(out, fmt.Sprintf("%d:", w))
		for _, row := range draw(t, b, w, h) {
			out = append(out, ansi.Strip(row)+"|")
		}
	}
	celltest.Golden(t, name+".txt", out, os.WriteFile)
}

// draw lays a box over a frame of dots and checks it.
func draw(t testing.TB, b overlay.Box, w, h int) []string {
	t.Helper()
	frame := make([]string, h)
	for i := range frame {
		frame[i] = strings.Repeat("·", w)
	}
	overlay.Draw(frame, b, w, h)
	celltest.Check(t, frame, w, h)
	return frame
}

// text is what stands inside a box drawn on a screen of w×h cells.
func text(t testing.TB, b overlay.Box, w, h int) string {
	t.Helper()
	return ansi.Strip(strings.Join(draw(t, b, w, h), "\n"))
}

func contains(t testing.TB, b overlay.Box, want ...string) {
	t.Helper()
	got := text(t, b, 80, 24)
	for _, s := range want {
		if !strings.Contains(got, s) {
			t.Fatalf("%q isn't shown:\n%s", s, got)
		}
	}
}

func TestDrawKeepsTheFrame(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i := range 300 {
		w, h := r.IntN(60)+1, r.IntN(20)+1
		st := styles
		if i%2 == 0 {
			st = &rows.Styles{}
		}
		frame := make([]string, h)
		for y := range frame {
			row := celltest.Row(r, w)
			if i%3 == 0 {
				row = rows.NewStyle(rows.Bold).Render(row)
			}
			frame[y] = row
		}
		before := append([]string(nil), frame...)
		var b overlay.Box
		switch i % 3 {
		case 0:
			p := overlay.NewPicker(st, overlay.PickerOptions{Title: "t", Hints: hints})
			p.SetItems(p.Load(), []overlay.Item{{Label: "a"}, {Label: "b", Group: "g"}})
			b = p
		case 1:
			b = overlay.NewPager(st, "t", "text", hints)
		default:
			b = overlay.NewHelp(st, "t", []overlay.Section{{Title: "s", Entries: []overlay.Entry{{"k", "v"}}}}, hints)
		}
		x, y, bw, bh := overlay.Place(b, w, h)
		overlay.Draw(frame, b, w, h)
		for i, row := range frame {
			if rows.Width(row) != w {
				t.Fatalf("row %d takes %d cells of %d: %q", i, rows.Width(row), w, row)
			}
			if (i < y || i >= y+bh) && row != before[i] {
				t.Fatalf("row %d outside the box is changed", i)
			}
		}
		if x < 0 || y < 0 || x+bw > w || y+bh > h {
			t.Fatalf("a box of %d×%d at %d,%d on %d×%d", bw, bh, x, y, w, h)
		}
	}
	overlay.Draw(nil, overlay.NewPager(styles, "", "", nil), 10, 10)
}

func TestCursorStandsInsideTheBox(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 500 {
		w, h := r.IntN(60), r.IntN(20)
		picker := overlay.NewPicker(styles, overlay.PickerOptions{})
		picker.Type(celltest.Text(r, 60))
		pager := overlay.NewPager(styles, "", "text", nil)
		pager.Find()
		pager.Type(celltest.Text(r, 60))
		for _, b := range []overlay.Box{picker, pager, overlay.NewHelp(styles, "", nil, nil)} {
			bw, bh := b.Size(w, h)
			if x, y, ok := b.Cursor(bw, bh); ok && (x < 1 || x >= bw-1 || y < 0 || y >= bh) {
				t.Fatalf("cursor at %d,%d in a box of %d×%d", x, y, bw, bh)
			}
		}
	}
}

// press presses a key of the table in a window, as the root does.
func press(b overlay.Box, key string) {
	table, _ := keys.New(nil)
	if own, ok := b.(interface{ Contexts() []keys.Context }); ok {
		if a, ok := table.Find(key, own.Contexts()...); ok {
			overlay.Do(b, a)
			return
		}
	}
	b.Type(key)
}
