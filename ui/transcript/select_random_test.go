package transcript

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// squeezed is a text without white space.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// seen is what a frame shows between two cells, both included, without white space: of
// each row what stands behind the gutter of so many cells.
func seen(frame []string, gutter func(row string) int, x1, y1, x2, y2 int) string {
	if y2 < y1 || y1 == y2 && x2 < x1 {
		x1, y1, x2, y2 = x2, y2, x1, y1
	}
	var b strings.Builder
	for y := y1; y <= y2 && y < len(frame); y++ {
		row := ansi.Strip(frame[y])
		from, to := gutter(row), rows.Width(row)
		if y == y1 {
			from = max(from, x1)
		}
		if y == y2 {
			to = min(to, x2+1)
		}
		for col := 0; row != ""; {
			cluster, width := ansi.FirstGraphemeCluster(row, ansi.GraphemeWidth)
			if col < to && col+max(width, 1) > from {
				b.WriteString(cluster)
			}
			row, col = row[len(cluster):], col+width
		}
	}
	return squeezed(b.String())
}

// TestSelectRandom selects between random cells of random documents of paragraphs, lists
// and code, and of output. What is selected is a slice of the source, but for the lines
// around code whose other end is not selected, and shows what the cells show.
func TestSelectRandom(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 77))
		source, made := randomSource(rnd)
		w, h := 12+rnd.IntN(70), 40
		v := newView()
		v.Sync([]*event.Block{made})
		v.FoldAll(false)
		frame := v.Rows(nil, w, h)
		gutter := func(row string) int {
			switch {
			case strings.HasPrefix(row, "   … "): // what is left out
				return w
			case made.Kind == event.BlockTool:
				return 3
			case strings.HasPrefix(row, " │ "), strings.HasPrefix(row, " ↳ "):
				return 3
			}
			return 1
		}
		for range 20 {
			top := 0
			if made.Kind == event.BlockTool {
				top = 1 // the row of the call itself has more than text
			}
			x1, y1, x2, y2 := rnd.IntN(w), top+rnd.IntN(h-top), rnd.IntN(w), top+rnd.IntN(h-top)
			if !v.StartSelection(x1, y1, Cells) {
				t.Fatal("there is no text")
			}
			v.ExtendSelection(x2, y2)
			got := v.SelectionText()
			name := fmt.Sprintf("seed %d, %d,%d to %d,%d at %d columns", seed, x1, y1, x2, y2, w)
			plain := strings.NewReplacer("```\n", "", "```", "")
			if !strings.Contains(plain.Replace(source), strings.Trim(plain.Replace(got), "\n")) {
				t.Fatalf("%s: %q is no part of\n%q", name, got, source)
			}
			bullets := strings.NewReplacer("•", "-", "◦", "-", "▪", "-")
			if a, b := squeezed(plain.Replace(got)), bullets.Replace(seen(frame, gutter, x1, y1, x2, y2)); a != b && !(made.Kind == event.BlockTool && strings.HasPrefix(a, b)) { // the last line may be cut
				t.Fatalf("%s: selected\n%q\nseen\n%q\nin\n%s", name, a, b, ansi.Strip(strings.Join(frame, "\n")))
			}
			whole(t, v, frame, w, h, name)
		}
	}
}

// whole checks that a selection changes colours only.
func whole(t *testing.T, v *View, before []string, w, h int, name string) {
	t.Helper()
	frame := v.Rows(nil, w, h)
	checkFrame(t, frame, w, h)
	for i := range frame {
		if a, b := ansi.Strip(frame[i]), ansi.Strip(before[i]); a != b {
			t.Fatalf("%s: row %d is %q, was %q", name, i, a, b)
		}
	}
}

// randomSource makes a block and the text that it was made of.
func randomSource(rnd *rand.Rand) (string, *event.Block) {
	words := func(n int) string {
		all := []string{"one", "two-three", "日本語", "path/to/file.go", "e\u0301a", "x", "a_b", "überlang" + strings.Repeat("g", rnd.IntN(30)), "42,", "(so)"}
		var list []string
		for range 1 + rnd.IntN(n) {
			list = append(list, all[rnd.IntN(len(all))])
		}
		return strings.Join(list, " ")
	}
	if rnd.IntN(3) == 0 {
		var list []string
		for range 1 + rnd.IntN(10) {
			list = append(list, strings.Repeat("\t", rnd.IntN(2))+strings.Repeat(words(6)+[]string{" ", "  ", "\t"}[rnd.IntN(3)], rnd.IntN(3))+"end")
		}
		body := strings.Join(list, "\n")
		return "run\n" + body, call("c", "tool", "run", event.ViewGeneric, func(_ *event.Block, c *event.Call) { c.Took, c.View.Body = 0, body })
	}
	var parts []string
	for range 1 + rnd.IntN(6) {
		switch rnd.IntN(3) {
		case 0:
			parts = append(parts, words(20))
		case 1:
			parts = append(parts, "- "+words(9)+"\n- "+words(9)+"\n  - "+words(3))
		default:
			parts = append(parts, "```\n"+words(3)+"\n\t"+words(3)+"  "+words(2)+"\n    end\n```")
		}
	}
	source := strings.Join(parts, "\n\n")
	return source, block(event.BlockAnswer, "a", source)
}

// FuzzSelect selects between any cells of any text. Of a text of the user and of output
// it is a slice of the text that shows what the cells show.
func FuzzSelect(f *testing.F) {
	f.Add("one two\tthree 日本語\n\n  four", uint8(0), uint8(20), uint8(3), uint8(0), uint8(9), uint8(1))
	f.Add("- [a](b \"c\") **d *e* `f`**\n\n> | g | h |\n|--|--|\n| i | j |", uint8(1), uint8(30), uint8(0), uint8(0), uint8(99), uint8(30))
	f.Add("\x1b[31mred\x1b[m \a e\u0301\u200d👩‍👩‍👧\n\n\n", uint8(2), uint8(9), uint8(1), uint8(1), uint8(5), uint8(3))
	f.Fuzz(func(t *testing.T, text string, kind, w, x1, y1, x2, y2 uint8) {
		width, h := 8+int(w%100), 30
		b := block(event.BlockUser, "u", text)
		switch kind % 4 {
		case 1:
			b = block(event.BlockAnswer, "a", text)
		case 2:
			b = call("c", "tool", text, event.ViewCommand, func(_ *event.Block, c *event.Call) { c.View.Body = text })
		case 3:
			b = call("c", "tool", "", event.ViewWrite, func(_ *event.Block, c *event.Call) { c.View.Lang, c.View.Body = "diff", text })
		}
		v := newView()
		v.Sync([]*event.Block{b, block(event.BlockAnswer, "last", "The last one.")})
		v.FoldAll(false)
		v.Top()
		before := v.Rows(nil, width, h)
		if !v.StartSelection(int(x1), int(y1), Unit(w%3)) {
			return
		}
		v.ExtendSelection(int(x2), int(y2))
		got := v.SelectionText()
		whole(t, v, before, width, h, fmt.Sprintf("%q", text))
		for i := range 8 {
			v.MoveSelection(Step((int(x1) + i*int(y2)) % int(StepBottom+1)))
		}
		whole(t, v, v.Rows(nil, width, h), width, h, text)
		// Some characters are drawn in another way than they are counted, and of a text
		// with those no one can say what a cell shows.
		odd := strings.ContainsFunc(text, func(r rune) bool { return unicode.IsMark(r) || !unicode.IsPrint(r) && r != '\n' && r != '\t' })
		if kind%4 != 0 || w%3 != 0 || odd || !utf8.ValidString(text) || strings.Count(text, "\n") > 20 {
			return
		}
		if part, _, _ := strings.Cut(got, "\n\nThe"); !strings.Contains(term.Plain(text)+"\n\nThe last one.", part) {
			t.Errorf("%q is no part of %q", got, text)
		}
	})
}

// BenchmarkSelectDrag moves the end of a selection by a row and draws the screen, in a
// conversation of 50,000 messages: while following, and over parts that were never
// selected before.
func BenchmarkSelectDrag(b *testing.B) {
	blocks := history(50_000)
	for _, c := range []struct {
		name string
		edge bool
	}{{"on the screen", false}, {"beyond the edge", true}} {
		b.Run(c.name, func(b *testing.B) {
			v := newView()
			v.Sync(blocks)
			frame := v.Rows(nil, 200, 60)
			v.StartSelection(4, 55, Cells)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if c.edge {
					v.ScrollBy(-1)
					v.ExtendSelection(10, 0)
				} else {
					v.ExtendSelection(10+i%50, i%60)
				}
				frame = v.Rows(frame[:0], 200, 60)
			}
			b.ReportMetric(4e6, "target-ns/op")
		})
	}
}

// BenchmarkSelectionText copies a selection over all of 50,000 messages.
func BenchmarkSelectionText(b *testing.B) {
	v := newView()
	v.Sync(history(50_000))
	v.Rows(nil, 200, 60)
	v.Top()
	v.Rows(nil, 200, 60)
	v.StartSelection(0, 0, Cells)
	v.Bottom()
	v.ExtendSelection(199, 59)
	for b.Loop() {
		if n := len(v.SelectionText()); n < 1<<20 {
			b.Fatal(n)
		}
	}
}
