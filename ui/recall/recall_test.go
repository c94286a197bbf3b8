package recall

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func prompts(texts ...string) []Prompt {
	list := make([]Prompt, len(texts))
	for i, text := range texts {
		list[i] = Prompt{Text: text, At: start.Add(-time.Duration(i) * time.Hour)}
	}
	return Ready(list)
}

func opened(texts ...string) *List {
	l := New(rows.NewStyles(themes.Dark()), nil)
	l.Open(prompts(texts...), start)
	l.Add(nil, false)
	return l
}

// screen draws the list and checks that its rows are exact.
func screen(t testing.TB, l *List, w, h int) string {
	t.Helper()
	drawn := l.Rows([]string{"before"}, w, h)
	if len(drawn) != h+1 {
		t.Fatalf("%d rows of %d", len(drawn)-1, h)
	}
	for i, r := range drawn[1:] {
		if rows.Width(r) != w || strings.ContainsAny(r, "\n\t\r") {
			t.Fatalf("row %d of %d×%d: %q", i, w, h, r)
		}
		drawn[i+1] = strings.TrimRight(ansi.Strip(r), " ")
	}
	if x, y, ok := l.Cursor(w, h); ok && (x < 0 || x >= w || y != h-1) {
		t.Fatalf("cursor at %d, %d of %d×%d", x, y, w, h)
	}
	return strings.Join(drawn[1:], "\n")
}

func TestSearch(t *testing.T) {
	l := opened("fix the tests", "Add a flag\nand its test", "fix the tests", "write docs")
	marked := func(want string) {
		t.Helper()
		if got, ok := l.Marked(); got != want || ok != (want != "") {
			t.Errorf("marked is %q, want %q", got, want)
		}
	}
	marked("fix the tests")
	if got, want := screen(t, l, 60, 4), "  write docs                                         3 h ago\n  Add a flag ↵ and its test                          1 h ago\n▸ fix the tests                                          now\nfind: an earlier prompt                               1 of 3"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	l.Type("test")
	l.Older()
	marked("Add a flag\nand its test")
	l.Older()
	marked("Add a flag\nand its test") // there is no older one
	l.Newer()
	l.Newer()
	marked("fix the tests")
	l.Type(" FLAG")
	marked("")
	if got := screen(t, l, 40, 3); !strings.Contains(got, "no earlier prompt has this") {
		t.Errorf("\n%s", got)
	}
	l.Clear()
	l.Type("Add te")
	marked("Add a flag\nand its test")
	l.Backspace()
	l.Add(prompts("Add tea", "add tea"), false)
	if got := screen(t, l, 60, 3); !strings.Contains(got, "1 of 2") {
		t.Errorf("a capital letter is none of its own:\n%s", got)
	}
	if l.Close(); l.IsOpen() || l.Height(10) != 0 {
		t.Error("still open")
	}
}

func TestMatchIsInSight(t *testing.T) {
	l := opened(strings.Repeat("漢字 and words ", 40) + "needle behind")
	l.Type("needle")
	if got := screen(t, l, 40, 2); !strings.Contains(got, "needle") {
		t.Errorf("\n%s", got)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	l := New(rows.NewStyles(themes.Dark()), func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") })
	l.Open(prompts("the key is hunter2"), start)
	l.Type("hunter2")
	if got := screen(t, l, 60, 3); strings.Contains(strings.Split(got, "find")[0], "hunter2") || !strings.Contains(got, "•••") {
		t.Errorf("\n%s", got)
	}
	if text, _ := l.Marked(); text != "the key is hunter2" {
		t.Errorf("taken is %q", text)
	}
}

func TestBounds(t *testing.T) {
	l := opened()
	many := make([]string, Most+10)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	if l.Add(prompts(many...), true) || len(l.prompts) != Most || l.more {
		t.Errorf("%d prompts", len(l.prompts))
	}
	l = opened()
	huge := strings.Repeat("x", 1<<20)
	for i := range 100 {
		l.Add(prompts(huge+fmt.Sprint(i)), true)
	}
	if l.bytes > MostBytes {
		t.Errorf("%d bytes", l.bytes)
	}
	screen(t, l, 80, 10)
}

// TestNarrowing types and deletes at random: what fits is what a new search finds.
func TestNarrowing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "b", "A", " ", "ab", "é", "漢"}
	var texts []string
	for range 300 {
		var b strings.Builder
		for range rnd.IntN(6) {
			b.WriteString(letters[rnd.IntN(len(letters))])
		}
		texts = append(texts, b.String())
	}
	l := opened(texts[:100]...)
	for i := range 2000 {
		switch rnd.IntN(8) {
		case 0, 1, 2:
			l.Type(letters[rnd.IntN(len(letters))])
		case 3, 4:
			l.Backspace()
		case 5:
			l.Older()
		case 6:
			if at := 100 + i%200; i%7 == 0 {
				l.Add(prompts(texts[at]), true)
			}
		case 7:
			l.Newer()
		}
		fresh := opened()
		for _, p := range l.prompts {
			fresh.Add(prompts(p.Text), true)
		}
		fresh.Type(string(l.query))
		if !slices.Equal(fresh.fits, l.fits) {
			t.Fatalf("%q: %d fit, %d would", l.query, len(l.fits), len(fresh.fits))
		}
		screen(t, l, 1+rnd.IntN(70), rnd.IntN(12))
	}
}

func FuzzRows(f *testing.F) {
	f.Add("fix \x1b[31mit\tnow\nplease", "it", 30)
	f.Fuzz(func(t *testing.T, text, query string, w int) {
		l := opened(text, "other")
		l.Type(query)
		screen(t, l, max(min(w, 200), 1), 4)
	})
}

// BenchmarkLetter types letters with 50,000 prompts of 200 bytes, and draws the list.
func BenchmarkLetter(b *testing.B) {
	list := make([]string, 50_000)
	for i := range list {
		list[i] = fmt.Sprintf("prompt %d ", i) + strings.Repeat("some words that are typed ", 7)
	}
	l := opened(list...)
	for b.Loop() {
		for _, letter := range []string{"t", "y", "p"} {
			l.Type(letter)
			l.Rows(nil, 120, MaxRows)
		}
		l.Clear()
	}
}

// BenchmarkOpen opens the list with what is shown first.
func BenchmarkOpen(b *testing.B) {
	list := make([]string, 100)
	for i := range list {
		list[i] = fmt.Sprintf("prompt %d ", i) + strings.Repeat("some words ", 20)
	}
	l, ready := New(rows.NewStyles(themes.Dark()), nil), prompts(list...)
	for b.Loop() {
		l.Open(ready, start)
		l.Rows(nil, 120, MaxRows)
	}
}
