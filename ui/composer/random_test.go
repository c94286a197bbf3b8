package composer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// pieces are what random texts are made of.
var pieces = []string{
	"a", "bc", "word ", " ", "   ", ".", "->", "\n", "\t", "漢", "字。", "ﾊﾞ", "한글", "\u1112\u1161\u11ab", accent, "\u0301", "\u200d", "\ufe0f", "\u0600", "\u00ad",
	"👨", family, thumb, "🏽", "🇩", flagFR, keycap, devanag, "\u0903", "مرحبا", "\x1b[31m", "\x00", "\xff", "\u202e", "@fi", "/mo", `"`, "\u2028", "é", "ñ",
	strings.Repeat("\u0301", 40), strings.Repeat("x", 30),
}

// dice is where random decisions come from: a generator, or the bytes of a fuzz
// input.
type dice interface{ IntN(n int) int }

type bytesDice struct{ b []byte }

func (d *bytesDice) IntN(n int) int {
	if len(d.b) == 0 {
		return 0
	}
	v := int(d.b[0])
	d.b = d.b[1:]
	return v % n
}

// act does one random thing and says what it was.
func act(c *Composer, d dice) string {
	text := func(n int) string {
		var b strings.Builder
		for range d.IntN(n) {
			b.WriteString(pieces[d.IntN(len(pieces))])
		}
		return b.String()
	}
	switch n := d.IntN(40); {
	case n < 10:
		s := text(4)
		c.Insert(s)
		return fmt.Sprintf("Insert(%q)", s)
	case n < 12:
		s := text(40)
		c.Paste(s)
		return fmt.Sprintf("Paste(%q)", s)
	case n == 12:
		c.Clear()
		return "Clear"
	case n == 13:
		return fmt.Sprint("HistoryPrev ", c.HistoryPrev())
	case n == 14:
		return fmt.Sprint("HistoryNext ", c.HistoryNext())
	case n == 15:
		s := text(6)
		c.Set(s)
		return fmt.Sprintf("Set(%q)", s)
	case n == 16:
		q, ok := c.Completion()
		c.Offer(q.Gen, []Item{{Label: "one", Insert: text(3)}, {Label: "two", Insert: "dir/"}})
		return fmt.Sprint("Offer ", q, ok)
	case n == 17:
		c.MenuDown()
		return fmt.Sprint("MenuAccept ", c.MenuAccept())
	case n == 18:
		c.MenuClose()
		return "MenuClose"
	}
	a := Action(d.IntN(int(ExpandChip) + 1))
	return fmt.Sprint("Do(", int(a), ") ", c.Do(a))
}

// exercise does random things and checks after each.
func exercise(t *testing.T, d dice, steps int) {
	c := New(Options{Styles: rows.NewStyles(themes.Dark()), PasteLines: 3, PasteChars: 30})
	widths := []int{1, 2, 3, 5, 9, 20, 80}
	w, h := 20, 3
	var trace []string
	defer func() {
		if t.Failed() {
			t.Log(strings.Join(trace, "\n"))
		}
	}()
	for range steps {
		alone := d.IntN(3) == 0
		if alone {
			c.log.seal()
		}
		before, from := c.Draft(), c.cur
		trace = append(trace, act(c, d))
		check(t, c)
		if d.IntN(8) == 0 {
			w, h = widths[d.IntN(len(widths))], d.IntN(6)
		}
		frame(t, c, w, h)
		c.MenuRows(nil, w, h)
		check(t, c)
		redone := strings.HasPrefix(trace[len(trace)-1], fmt.Sprint("Do(", int(Redo)))
		if len(c.log.undone) == 0 && c.Draft() != before && !redone {
			thereAndBack(t, c, before, from, alone)
		}
		e := newTest()
		e.SetDraft(c.Draft())
		if e.Draft() != c.Draft() || e.Value() != c.Value() {
			t.Fatalf("the draft %q comes back as %q", c.Draft(), e.Draft())
		}
	}
	unwind(t, c)
}

// thereAndBack undoes the edit that was just made and does it again. The edit is
// a step of its own when it was made alone.
func thereAndBack(t *testing.T, c *Composer, before string, from pos, alone bool) {
	t.Helper()
	open := c.log.open
	after, to := c.Draft(), c.cur
	if !c.Do(Undo) {
		t.Fatal("an edit can't be undone")
	}
	if alone && (c.Draft() != before || c.cur != from) {
		t.Fatalf("undone to %q at %v, it was %q at %v", c.Draft(), c.cur, before, from)
	}
	check(t, c)
	if !c.Do(Redo) || c.Draft() != after || c.cur != to {
		t.Fatalf("done again to %q at %v, it was %q at %v", c.Draft(), c.cur, after, to)
	}
	c.log.open = open
}

// unwind undoes everything and does it again: every state on the way must be the
// same both ways.
func unwind(t *testing.T, c *Composer) {
	t.Helper()
	for c.Do(Redo) {
	}
	c.Do(BufferEnd)
	var texts []string
	for texts = append(texts, c.Draft()); c.Do(Undo); texts = append(texts, c.Draft()) {
		check(t, c)
	}
	for i := len(texts) - 2; i >= 0; i-- {
		if !c.Do(Redo) {
			t.Fatalf("%d steps can't be done again", i+1)
		}
		if c.Draft() != texts[i] {
			t.Fatalf("done again %q, undone from %q", c.Draft(), texts[i])
		}
		check(t, c)
	}
	if c.Do(Redo) {
		t.Fatal("more was done again than was undone")
	}
}

func TestRandomEdits(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			exercise(t, rand.New(rand.NewPCG(seed, 1)), 120)
		})
	}
}

func FuzzEdits(f *testing.F) {
	f.Add([]byte("some bytes that decide what is done"))
	f.Add([]byte{0, 3, 1, 2, 3, 11, 39, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 30, 3, 17, 17})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 2000 {
			b = b[:2000]
		}
		exercise(t, &bytesDice{b}, min(len(b), 200))
	})
}

func FuzzDraft(f *testing.F) {
	f.Add("a\x1d3\x1ebody\x1fb")
	f.Add("\ta\x1d3\x1e\tbody\x1f\tb")
	f.Add("\x01" + "1\x02\x1d\x1d1\x1e\x1e\x1f\r\n\t")
	f.Fuzz(func(t *testing.T, s string) {
		c := newTest()
		c.SetDraft(s)
		check(t, c)
		d := newTest()
		d.SetDraft(c.Draft())
		if d.Draft() != c.Draft() {
			t.Fatalf("%q comes back as %q", c.Draft(), d.Draft())
		}
		draft, value := canonical(s)
		if draft != c.Draft() || untab(value) != untab(c.Value()) {
			t.Fatalf("history would hold %q, the draft is %q", draft, c.Draft())
		}
		c.Remember(s)
		c.Insert(s)
		c.Paste(s)
		check(t, c)
		frame(t, c, 20, 4)
	})
}

// Boundaries found from near by are those found from the start of the text, and
// those of the library.
func TestBoundariesFromNearBy(t *testing.T) {
	d := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		var b strings.Builder
		for range d.IntN(30) {
			b.WriteString(clean(pieces[d.IntN(len(pieces))]))
			if d.IntN(12) == 0 {
				b.WriteString("\x01" + "17\x02")
			}
		}
		text := strings.ReplaceAll(b.String(), "\n", "")
		list := boundaries(text)
		for i, off := range list {
			if i > 0 && prev(text, off) != list[i-1] {
				t.Fatalf("before %d of %q: %d, want %d", off, text, prev(text, off), list[i-1])
			}
		}
		for off, i := 0, 0; off <= len(text); off++ {
			if off > list[i] {
				i++
			}
			if inRef(text, off) {
				continue
			}
			if got := snap(text, off); got != list[i] {
				t.Fatalf("from %d of %q: %d, want %d", off, text, got, list[i])
			}
		}
		compareClusters(t, strings.ReplaceAll(text, "\x01"+"17\x02", ""))
	}
}

// inRef reports whether an offset is inside of a reference.
func inRef(text string, off int) bool {
	open := strings.LastIndexByte(text[:off], refOpen)
	return open >= 0 && strings.IndexByte(text[open:off], refClose) < 0
}

func compareClusters(t *testing.T, text string) {
	t.Helper()
	for off := 0; off < len(text); {
		cluster, _ := ansi.FirstGraphemeCluster(text[off:], ansi.GraphemeWidth)
		if got := next(text, off); got != off+len(cluster) {
			t.Fatalf("cluster at %d of %q ends at %d, want %d", off, text, got, off+len(cluster))
		}
		off += len(cluster)
	}
}
