package rows

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
)

// alphabet holds what widths are easily got wrong with.
var alphabet = []string{
	"a", "b", "word", " ", "  ", "-", "--", ".", "漢", "字", "。", "한", "ｱ", "é", "e\u0301", "ß", "→", "●", "─",
	"👍", "👨‍👩‍👧", "🇩🇪", "❤️", "❤", "\u00a0", "\u3000", "ก็", "क्षि",
}

var attrs = []Attr{Bold, Italic, Underline, Reverse, Strike, Fg(themes.Dark().Good), Bg(themes.Dark().Bad)}

// line makes a random line; styled ones hold self-contained spans.
func line(rnd *rand.Rand, styled bool) string {
	var b strings.Builder
	for range rnd.IntN(20) {
		piece := ""
		for range 1 + rnd.IntN(4) {
			piece += alphabet[rnd.IntN(len(alphabet))]
		}
		if styled && rnd.IntN(2) == 0 {
			piece = NewStyle(attrs[rnd.IntN(len(attrs))], attrs[rnd.IntN(len(attrs))]).Render(piece)
		}
		b.WriteString(piece)
	}
	return b.String()
}

func each(t *testing.T, n uint64, f func(t *testing.T, rnd *rand.Rand)) {
	t.Helper()
	for seed := range n {
		if f(t, rand.New(rand.NewPCG(seed, 1))); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkWidth(t *testing.T, row string, w int) {
	t.Helper()
	if n := ansi.StringWidth(row); n != w {
		t.Errorf("%q takes %d cells, want %d", row, n, w)
	}
}

// checkContained fails for a row that leaves a style on or breaks.
func checkContained(t *testing.T, row string) {
	t.Helper()
	if styleAtEnd(row) != "" {
		t.Errorf("%q leaves a style on", row)
	}
	if strings.ContainsAny(row, "\n\t\r") {
		t.Errorf("%q holds a control character", row)
	}
}

func TestWidthMatchesParser(t *testing.T) {
	each(t, 2000, func(t *testing.T, rnd *rand.Rand) {
		s := line(rnd, true)
		if Width(s) != ansi.StringWidth(s) {
			t.Errorf("%q: %d, %d", s, Width(s), ansi.StringWidth(s))
		}
	})
}

// TestWidthOfSingleSigns holds what is counted without the parser to what the
// parser says, alone and between signs that join with others.
func TestWidthOfSingleSigns(t *testing.T) {
	around := []string{"", "a", "\u0301", "\ufe0f", "\u200d", "👍", "\u0600", "\x1b[1m", "\x1b[", "\x1b[?1m", "\xe2", "\x80"}
	for r := rune(0x1f00); r <= 0x2bff; r++ {
		for _, before := range around {
			for _, after := range around {
				if s := before + string(r) + after; Width(s) != ansi.StringWidth(s) {
					t.Errorf("%U, %q: %d, %d", r, s, Width(s), ansi.StringWidth(s))
				}
			}
		}
	}
}

func BenchmarkWidth(b *testing.B) {
	st := NewStyles(themes.Dark())
	row := st.Border.Render("│ ") + st.Text.Render("Some words in ") + st.Code.Render("a row") + st.Text.Render(" that is “about” as long as rows are…")
	b.ReportAllocs()
	for b.Loop() {
		Width(row)
	}
}

func TestFitIsExact(t *testing.T) {
	each(t, 4000, func(t *testing.T, rnd *rand.Rand) {
		s, w := line(rnd, true), rnd.IntN(40)
		row := Fit(s, w)
		checkWidth(t, row, w)
		checkContained(t, row)
		if Width(s) <= w && !strings.HasPrefix(row, s) {
			t.Errorf("%q does not begin with %q", row, s)
		}
	})
}

func TestBetweenIsExact(t *testing.T) {
	each(t, 4000, func(t *testing.T, rnd *rand.Rand) {
		left, right, w := line(rnd, true), line(rnd, true), rnd.IntN(60)
		row := Between(left, right, w)
		checkWidth(t, row, w)
		checkContained(t, row)
		if Width(left)+Width(right)+1 <= w && (!strings.HasPrefix(row, left) || !strings.HasSuffix(row, right)) {
			t.Errorf("%q does not hold %q and %q", row, left, right)
		}
	})
}

func TestSpliceIsExact(t *testing.T) {
	each(t, 4000, func(t *testing.T, rnd *rand.Rand) {
		w := 1 + rnd.IntN(50)
		row, over := Fit(line(rnd, true), w), line(rnd, true)
		got := Splice(row, rnd.IntN(w), over, w)
		checkWidth(t, got, w)
		checkContained(t, got)
	})
}

func TestFillAndBlank(t *testing.T) {
	for w := range 300 {
		checkWidth(t, Blank(w), w)
	}
	if got := Fill([]string{"x"}, 1, 3, 5); len(got) != 4 || got[3] != "     " {
		t.Errorf("filled to %q", got)
	}
	if got := Fill([]string{"x", "a", "b", "c"}, 1, 2, 5); len(got) != 3 {
		t.Errorf("cut to %q", got)
	}
	if Blank(-1) != "" || Rule(0, Style{}) != "" || Fit("x", -1) != "" {
		t.Error("a negative width gives something")
	}
}

func TestWrapFits(t *testing.T) {
	each(t, 4000, func(t *testing.T, rnd *rand.Rand) {
		s, w := line(rnd, rnd.IntN(2) == 0), 2+rnd.IntN(40)
		for _, row := range Wrap(nil, s, w) {
			if n := Width(row); n > w {
				t.Errorf("%q of %q takes %d of %d cells", row, s, n, w)
			}
			checkContained(t, row)
		}
	})
}

func TestExpandTabs(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"\ta":               "    a",
		"ab\tc":             "ab  c",
		"abcd\te":           "abcd    e",
		"漢\tx\ty":           "漢  x   y",
		"\x1b[1ma\x1b[m\tb": "\x1b[1ma\x1b[m   b",
	} {
		if got := ExpandTabs(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestStyles(t *testing.T) {
	s := NewStyle(Bold, Fg("#ff8000"))
	if got := s.Render("x"); got != "\x1b[1;38;2;255;128;0mx\x1b[m" {
		t.Errorf("rendered %q", got)
	}
	if got := s.Over("a" + NewStyle(Italic).Render("b") + "c"); got != "\x1b[1;38;2;255;128;0ma\x1b[3mb\x1b[m\x1b[1;38;2;255;128;0mc\x1b[m" {
		t.Errorf("over %q", got)
	}
	if got := NewStyle(Fg(""), Bg("rot"), Fg("#12345"), Fg("#1234567")).Render("x"); got != "x" {
		t.Errorf("no colour gives %q", got)
	}
	if got := NewStyle(Fg(themes.Red), Bg(themes.BrightWhite)).Render("x"); got != "\x1b[31;107mx\x1b[m" {
		t.Errorf("colours of the terminal's own palette give %q", got)
	}
	if got := (Style{}).With(Bold).With(Italic).With().Open(); got != "\x1b[1;3m" {
		t.Errorf("with %q", got)
	}
}
