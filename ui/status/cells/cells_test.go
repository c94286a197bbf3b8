package cells_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"hello", 5, "hello"},
		{"hello", 4, "hel…"},
		{"hello", 1, "…"},
		{"hello", 0, ""},
		{"", 3, ""},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"日本語", 6, "日本語"},
		{"a👩\u200d👩\u200d👧b", 3, "a…"},
		{"a👩\u200d👩\u200d👧b", 4, "a👩\u200d👩\u200d👧b"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"1\ufe0f\u20e32\ufe0f\u20e3", 3, "1\ufe0f\u20e3…"},
	} {
		if got := cells.Cut(c.in, c.w); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestCutStart(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"/home/a", 7, "/home/a"},
		{"/home/a", 5, "…me/a"},
		{"/home/a", 1, "…"},
		{"/home/a", 0, ""},
		{"日本語", 5, "…本語"},
		{"日本語", 4, "…語"},
	} {
		if got := cells.CutStart(c.in, c.w); got != c.want {
			t.Errorf("CutStart(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestWindow(t *testing.T) {
	for n := range 20 {
		for room := range 22 {
			for at := range max(n, 1) {
				from, to := cells.Window(n, room, at)
				if from < 0 || to > n || from > to {
					t.Fatalf("Window(%d, %d, %d) = %d, %d", n, room, at, from, to)
				}
				used := to - from
				if room >= 3 && from > 0 {
					used++
				}
				if room >= 3 && to < n {
					used++
				}
				if used != min(n, room) {
					t.Errorf("Window(%d, %d, %d) = %d, %d fills %d rows", n, room, at, from, to, used)
				}
				if room > 0 && n > 0 && (at < from || at >= to) {
					t.Errorf("Window(%d, %d, %d) = %d, %d hides the entry", n, room, at, from, to)
				}
			}
		}
	}
}

// TestRandomUnicode holds that rows are exact whatever stands in them, with
// colours and without.
func TestRandomUnicode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	styles := []rows.Style{{}, rows.NewStyle(rows.Fg(themes.Dark().Accent)), rows.NewStyle(rows.Bold)}
	for range 30_000 {
		w := r.IntN(14)
		row := cells.NewRow(w)
		for range r.IntN(5) {
			text := term.Line(celltest.Text(r, 8))
			switch r.IntN(4) {
			case 0:
				row.Skip(r.IntN(3))
			case 1:
				row.Until(r.IntN(6))
			case 2:
				row.PutMax(styles[r.IntN(len(styles))], text, r.IntN(6))
			default:
				row.Put(styles[r.IntN(len(styles))], text)
			}
		}
		if got := row.String(); rows.Width(got) != w {
			t.Fatalf("row of %d cells takes %d: %q", w, rows.Width(got), got)
		}
		text := term.Line(celltest.Text(r, 12))
		for _, out := range []string{cells.Cut(text, w), cells.CutStart(text, w)} {
			if rows.Width(out) > w || !utf8.ValidString(out) {
				t.Fatalf("%q cut to %d cells is %q", text, w, out)
			}
		}
	}
}

// TestCutKeepsWhatFits holds that no more is cut off than must be.
func TestCutKeepsWhatFits(t *testing.T) {
	long := strings.Repeat("ab", 50)
	for w := 1; w < 100; w++ {
		if got := cells.Cut(long, w); rows.Width(got) != w || !strings.HasPrefix(long, strings.TrimSuffix(got, "…")) {
			t.Errorf("Cut to %d: %q", w, got)
		}
		if got := cells.CutStart(long, w); rows.Width(got) != w || !strings.HasSuffix(long, strings.TrimPrefix(got, "…")) {
			t.Errorf("CutStart to %d: %q", w, got)
		}
	}
}

func TestNext(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		text := term.Line(celltest.Text(r, 10))
		sum := 0
		for i := 0; i < len(text); {
			n, w := cells.Next(text[i:])
			if n <= 0 {
				t.Fatalf("no progress in %q at %d", text, i)
			}
			i, sum = i+n, sum+w
		}
		if want := ansi.StringWidth(text); sum != want {
			t.Fatalf("clusters of %q add up to %d cells, want %d", text, sum, want)
		}
	}
}

func BenchmarkRow(b *testing.B) {
	st := rows.NewStyles(themes.Dark())
	b.ReportAllocs()
	for b.Loop() {
		row := cells.NewRow(80)
		row.Skip(1).Put(st.Accent, "◐").Skip(1).Put(st.Text, "bisect the history of the store").Until(8).Put(st.Muted, "21t 38s")
		if row.String() == "" {
			b.Fatal("empty")
		}
	}
}
