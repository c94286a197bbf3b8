package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// traced draws a text with a trace and checks that it shows what it shows without one,
// and that every run stands where it says.
func traced(t *testing.T, m *Renderer, src string, w int) ([]string, [][]rows.Run, *rows.Trace) {
	t.Helper()
	return tracedIn(t, m, src, w, testStyles())
}

func tracedIn(t *testing.T, m *Renderer, src string, w int, st *rows.Styles) ([]string, [][]rows.Run, *rows.Trace) {
	t.Helper()
	tr := &rows.Trace{}
	list := m.Trace(src, w, st, tr)
	plain := m.Render(src, w, st)
	clean := term.Plain(src)
	if len(list) != len(plain) {
		t.Fatalf("%q at %d: %d rows with a trace, %d without", src, w, len(list), len(plain))
	}
	runs := tr.Read(list)
	for i, row := range list {
		text := ansi.Strip(row)
		if text != ansi.Strip(plain[i]) {
			t.Fatalf("%q at %d: row %d is %q with a trace, %q without", src, w, i, text, ansi.Strip(plain[i]))
		}
		for _, r := range runs[i] {
			if !r.Whole && clean[r.At:r.End] != r.Text {
				t.Fatalf("%q at %d: row %d has %q where %q stands", src, w, i, r.Text, clean[r.At:r.End])
			}
			if got := ansi.Cut(text, r.From, r.To); !strings.HasPrefix(r.Text, got) && !strings.HasPrefix(got, r.Text) {
				t.Fatalf("%q at %d: row %d has %+q in the cells of %+q", src, w, i, got, r.Text)
			}
		}
	}
	return list, runs, tr
}

func TestTraceShowsTheSame(t *testing.T) {
	m := testRenderer()
	for name, src := range tricky {
		t.Run(name, func(t *testing.T) {
			for _, w := range widths {
				for end := range len(src) + 1 {
					traced(t, m, src[:end], w)
				}
			}
		})
	}
	mono := rows.NewStyles(themes.Theme{Mono: true})
	for seed := range uint64(300) {
		doc := randomDoc(rand.New(rand.NewPCG(seed, 9)))
		traced(t, m, doc, 20+int(seed%60))
		tracedIn(t, m, doc, 20+int(seed%60), mono)
	}
}

// between is the source of what the rows from..to show.
func between(runs [][]rows.Run, t *rows.Trace, from, to int) string {
	at, end := -1, -1
	for _, row := range runs[from:to] {
		for _, r := range row {
			if at < 0 || r.At < at {
				at = r.At
			}
			end = max(end, r.End)
		}
	}
	if at < 0 {
		return ""
	}
	return t.Slice(0, at, end)
}

// TestTraceGivesTheSource takes parts of documents back to their source.
func TestTraceGivesTheSource(t *testing.T) {
	m := testRenderer()
	for _, c := range []struct {
		src      string
		w        int
		from, to int
		want     string
	}{
		{"Some words that go on\nand on over the rows.", 12, 0, 4, "Some words that go on\nand on over the rows."},
		{"Some words  that go on.", 10, 0, 3, "Some words  that go on."},
		{"# One\n\n- a **b c** d\n- e `f`\n\n1. x\n2. y", 40, 0, 1, "# One"},
		{"# One\n\n- a **b c** d\n- e `f`\n\n1. x\n2. y", 40, 2, 4, "- a **b c** d\n- e `f`"},
		{"- [x] done\n- [ ] not\n   - sub", 40, 0, 3, "- [x] done\n- [ ] not\n   - sub"},
		{"> one\n> two\n\nend", 40, 0, 1, "> one\n> two"},
		{"Run:\n\n```go\nfunc f() {\n\treturn 1\n}\n```\n\nDone.", 40, 2, 6, "func f() {\n\treturn 1\n}"},
		{"Run:\n\n```go\nfunc f() {\n\treturn 1\n}\n```\n\nDone.", 40, 0, 5, "Run:\n\nfunc f() {\n\treturn 1"},
		{"Run:\n\n```go\nfunc f() {\n\treturn 1\n}\n```\n\nDone.", 40, 4, 8, "\treturn 1\n}\n\nDone."},
		{"Run:\n\n```go\nfunc f() {\n\treturn 1\n}\n```\n\nDone.", 40, 0, 8, "Run:\n\n```go\nfunc f() {\n\treturn 1\n}\n```\n\nDone."},
		{"a **b c d** e", 6, 0, 1, "a b c"},
		{"a **b c d** e", 6, 1, 2, "d e"},
		{"a *b* ***c d*** ~~e f~~ g", 7, 0, 1, "a *b* ***c d***"},
		{"a *b* ***c d*** ~~e f~~ g", 5, 0, 1, "a *b* c"},
		{"`` a`b `` x", 40, 0, 1, "`` a`b `` x"},
		{"see [the page](http://e.org/x \"t\") for more", 20, 0, 1, "see [the page](http://e.org/x \"t\")"},
		{"see [the page](http://e.org/x) for more", 200, 0, 1, "see [the page](http://e.org/x) for more"},
		{"a \\* b &amp; c &#x41;", 40, 0, 1, "a \\* b &amp; c &#x41;"},
		{"| a | b |\n|---|---|\n| c | d |\n| e | f |", 40, 2, 3, "c | d"},
		{"<b>x</b> and <https://e.org> and https://f.org/a_b.", 60, 0, 1, "<b>x</b> and <https://e.org> and https://f.org/a_b."},
		{"Let $x_1^2$ be[^1] so.\n\n[^1]: A note", 40, 0, 1, "Let $x_1^2$ be[^1] so."},
		{"Let $x_1^2$ be[^1] so.\n\n[^1]: A note", 40, 2, 3, "[^1]: A note"},
		{"Then\n\n$$\n\\sum_{i=1}^n i\n$$\n\nand on", 40, 2, 5, "$$\n\\sum_{i=1}^n i\n$$"},
		{"$$\nx^2\n\nafter", 40, 0, 2, "$$\nx^2"},
		{"日本語の長い文章です。折り返します。", 9, 1, 3, "長い文章です。折"},
	} {
		_, runs, tr := traced(t, m, c.src, c.w)
		if got := between(runs, tr, c.from, min(c.to, len(runs))); got != c.want {
			t.Errorf("rows %d to %d of %q at %d:\n%q\nwant\n%q", c.from, c.to, c.src, c.w, got, c.want)
		}
	}
}

func BenchmarkTrace(b *testing.B) {
	m := testRenderer()
	for _, kb := range []int{4, 80} {
		src := strings.Repeat("## Part\n\nText with `code` and **more** that goes on for a while, and a list:\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| c | d |\n\n", kb<<10/128)
		b.Run(fmt.Sprint(kb, "KB"), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				tr := &rows.Trace{}
				tr.Read(m.Trace(src, 120, testStyles(), tr))
			}
		})
	}
}
