// Package celltest helps the tests of screen regions: hostile text, checks of
// rows and frames kept as files.
package celltest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// A frame has its colours however busy the machine is.
func init() { markdown.Clock = func() time.Time { return time.Time{} } }

// alphabet holds characters that break careless width arithmetic: wide ones,
// joiners, marks, flags, characters that swallow the next one, controls and
// bytes that are no UTF-8.
var alphabet = []string{
	"a", "b", "1", " ", "-", "é", "☤", "日", "本", "ｶ", "ก", "\u0e33", "क", "\u094d", "ष", "\u0d4e", "\u0600",
	"\u1100", "\u1161", "\u11a8", "\u115f", "🇩", "🇪", "👩", "\u200d", "👧", "\ufe0f", "\u20e3", "\u0301", "\u00ad",
	"\u200b", "\u202e", "\ufeff", "\t", "\n", "\r", "\x1b[31m", "\x1b[2J", "\x1b]0;t\a", "\x00", "\x9b", "\xff", "\u2028", "\U000e0041",
}

// Text makes a random text of at most n characters.
func Text(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// Row makes a row of exactly w cells with random text in it, as another part of
// the screen might draw it.
func Row(r *rand.Rand, w int) string {
	row := cells.NewRow(w)
	for row.Left() > 0 && r.IntN(8) > 0 {
		row.Put(rows.Style{}, term.Line(Text(r, 6))).Skip(r.IntN(3))
	}
	return row.String()
}

// Check reports rows that aren't h rows of w cells, or that hold anything but
// text and colours.
func Check(t testing.TB, got []string, w, h int) {
	t.Helper()
	if len(got) != h {
		t.Fatalf("%d rows, want %d:\n%s", len(got), h, strings.Join(got, "\n"))
	}
	for i, row := range got {
		if n := rows.Width(row); n != w {
			t.Fatalf("row %d takes %d cells, want %d: %q", i, n, w, row)
		}
		bare := ansi.Strip(row)
		if !utf8.ValidString(row) || strings.ContainsFunc(bare, func(c rune) bool { return c < 0x20 || c >= 0x7f && c < 0xa0 }) {
			t.Fatalf("row %d holds control characters: %q", i, row)
		}
		if j := strings.LastIndex(row, "\x1b["); j >= 0 && !strings.HasPrefix(row[j:], "\x1b[m") {
			t.Fatalf("row %d leaves a colour on: %q", i, row)
		}
	}
}

// Golden compares a frame with testdata/name, without its colours. With
// UPDATE_GOLDEN=1 in the environment it writes the file instead, by write,
// which is [os.WriteFile]; the folder must exist.
func Golden(t testing.TB, name string, frame []string, write func(string, []byte, os.FileMode) error) {
	t.Helper()
	var b strings.Builder
	for _, row := range frame {
		b.WriteString(strings.TrimRight(ansi.Strip(row), " ") + "\n")
	}
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := write(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (UPDATE_GOLDEN=1 writes it)", err)
	}
	if b.String() != string(want) {
		t.Errorf("%s differs (- in the file, + drawn):\n%s", file, differing(string(want), b.String()))
	}
}

// differing are the lines that two texts do not share, as far as they are worth reading.
func differing(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i := 0; i < max(len(w), len(g)) && b.Len() < 8000; i++ {
		var was, is string
		if i < len(w) {
			was = w[i]
		}
		if i < len(g) {
			is = g[i]
		}
		if was != is {
			fmt.Fprintf(&b, "line %d\n- %s\n+ %s\n", i+1, was, is)
		}
	}
	return b.String()
}
