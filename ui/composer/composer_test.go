package composer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// Clusters that editors tend to take apart.
const (
	family  = "👨‍👩‍👧"
	accent  = "e\u0301"
	flagDE  = "🇩🇪"
	flagFR  = "🇫🇷"
	thumb   = "👍🏽"
	keycap  = "1️⃣"
	devanag = "क्षि"
)

func newTest() *Composer {
	return New(Options{Styles: rows.NewStyles(themes.Dark()), PasteLines: 5, PasteChars: 2000})
}

// at makes a composer with a text in which | is the cursor.
func at(t *testing.T, text string) *Composer {
	t.Helper()
	before, after, ok := strings.Cut(text, "|")
	if !ok {
		t.Fatalf("no cursor in %q", text)
	}
	c := newTest()
	c.SetDraft(before + after)
	c.cur = pos{}.after(before)
	return c
}

// shownState writes the draft with | at the cursor and pastes as their labels.
func shownState(c *Composer) string {
	var b strings.Builder
	label := func(b *strings.Builder, p *chip) { b.WriteString(p.label) }
	for i, l := range c.buf.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i != c.cur.line {
			c.buf.expand(&b, l.text, label)
			continue
		}
		c.buf.expand(&b, l.text[:c.cur.off], label)
		b.WriteByte('|')
		c.buf.expand(&b, l.text[c.cur.off:], label)
	}
	return b.String()
}

func wantState(t *testing.T, c *Composer, want string) {
	t.Helper()
	if got := shownState(c); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	check(t, c)
}

// check holds everything that is true of a composer at all times.
func check(t *testing.T, c *Composer) {
	t.Helper()
	b := &c.buf
	if len(b.lines) == 0 || c.cur.line < 0 || c.cur.line >= len(b.lines) || c.cur.off < 0 || c.cur.off > len(b.text(c.cur)) {
		t.Fatalf("cursor %v outside of %d lines", c.cur, len(b.lines))
	}
	if len(c.log.done) > maxUndo {
		t.Fatalf("%d steps to undo", len(c.log.done))
	}
	bytes := 0
	c.log.each(func(text string) { bytes += len(text) })
	if bytes != c.log.bytes {
		t.Fatalf("the undo log counts %d bytes and holds %d", c.log.bytes, bytes)
	}
	for i, l := range b.lines {
		checkLine(t, b, l)
		if i == c.cur.line && !slices.Contains(boundaries(l.text), c.cur.off) {
			t.Fatalf("cursor at %d is inside a cluster of %q", c.cur.off, l.text)
		}
	}
	plain := c.join(func(*strings.Builder, *chip) {})
	if i := strings.IndexFunc(plain, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); i >= 0 {
		t.Fatalf("control character at %d of %q", i, plain)
	}
	for _, p := range b.chips {
		if i := strings.IndexFunc(p.text, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 {
			t.Fatalf("control character at %d of the paste %q", i, p.text)
		}
	}
}

// checkLine compares what is known of the rows of a line with a fresh look.
func checkLine(t *testing.T, b *buffer, l *line) {
	t.Helper()
	if l.width != b.width {
		return
	}
	fresh := &line{text: l.text}
	b.lastRow(fresh)
	if len(l.starts) > len(fresh.starts) || !slices.Equal(l.starts, fresh.starts[:len(l.starts)]) || l.whole && len(l.starts) != len(fresh.starts) {
		t.Fatalf("rows of %q at width %d begin at %v, known are %v (all: %v)", l.text, b.width, fresh.starts, l.starts, l.whole)
	}
}

// boundaries are the boundaries of the clusters of a text, found from its start.
func boundaries(text string) []int {
	list := []int{0}
	for off := 0; off < len(text); {
		off = next(text, off)
		list = append(list, off)
	}
	return list
}

// frame draws the composer and checks that the rows are exact and the cursor is
// on them.
func frame(t *testing.T, c *Composer, w, h int) []string {
	t.Helper()
	const before = "what was there"
	list := c.Rows([]string{before}, w, h)
	if list[0] != before || len(list) != h+1 {
		t.Fatalf("%d rows of %d at width %d", len(list)-1, h, w)
	}
	list = list[1:]
	for i, row := range list {
		if rows.Width(row) != w || strings.ContainsAny(row, "\n\t\r") {
			t.Fatalf("row %d has %d cells instead of %d: %q", i, rows.Width(row), w, row)
		}
	}
	x, y, ok := c.Cursor()
	if ok != (h > 0 && w > 0) || ok && (x < 0 || x >= w || y < 0 || y >= h) {
		t.Fatalf("cursor at %d, %d (%v) in %d x %d", x, y, ok, w, h)
	}
	return list
}

func TestActions(t *testing.T) {
	for _, c := range []struct {
		name, from string
		do         Action
		want       string // empty: nothing happens
	}{
		{"left", "ab|c", Left, "a|bc"},
		{"left over an emoji", "a" + family + "|b", Left, "a|" + family + "b"},
		{"left over a letter with a mark", "x" + accent + "|", Left, "x|" + accent},
		{"left over a wide character", "漢字|", Left, "漢|字"},
		{"left over a flag after a flag", flagDE + flagFR + "|", Left, flagDE + "|" + flagFR},
		{"left over a syllable", devanag + "|", Left, "|" + devanag},
		{"left to the line before", "ab\n|c", Left, "ab|\nc"},
		{"left at the start", "|ab", Left, ""},
		{"right", "a|bc", Right, "ab|c"},
		{"right over an emoji", "|" + thumb + keycap, Right, thumb + "|" + keycap},
		{"right to the next line", "ab|\nc", Right, "ab\n|c"},
		{"right at the end", "ab|", Right, ""},
		{"word left", "one two|", WordLeft, "one |two"},
		{"word left over blanks", "one  |two", WordLeft, "|one  two"},
		{"word left over signs", "a.b->|c", WordLeft, "a.b|->c"},
		{"word left in a script without blanks", "见 漢字|", WordLeft, "见 |漢字"},
		{"word left over marks", "x n" + accent + "e|", WordLeft, "x |n" + accent + "e"},
		{"word left over emoji", "x " + family + "|", WordLeft, "x |" + family},
		{"word left to the line before", "one\n|two", WordLeft, "one|\ntwo"},
		{"word left over blanks at the start of a line", "one\n  |two", WordLeft, "one\n|  two"},
		{"word left at the start", "|one", WordLeft, ""},
		{"word right", "|one two", WordRight, "one| two"},
		{"word right over blanks", "one|  two-x", WordRight, "one  two|-x"},
		{"word right to the next line", "one|\ntwo", WordRight, "one\n|two"},
		{"word right at the end", "one|", WordRight, ""},
		{"home", "x\nab|c", Home, "x\n|abc"},
		{"home at the start", "x\n|abc", Home, ""},
		{"end", "a|bc\nx", End, "abc|\nx"},
		{"start of the draft", "a\nb\nc|", BufferStart, "|a\nb\nc"},
		{"end of the draft", "a|\nb\nc" + accent, BufferEnd, "a\nb\nc" + accent + "|"},
		{"up", "abc\nab|", Up, "ab|c\nab"},
		{"up to a shorter line", "a\nabc|", Up, "a|\nabc"},
		{"up keeps to the cell", "漢字\nabcd|", Up, "漢字|\nabcd"},
		{"up into the middle of a wide character", "漢字\nabc|", Up, "漢|字\nabc"},
		{"up at the first row", "ab|c", Up, ""},
		{"down", "ab|c\nxyz", Down, "abc\nxy|z"},
		{"down at the last row", "abc|", Down, ""},
		{"backspace", "ab|c", Backspace, "a|c"},
		{"backspace over an emoji", "a" + family + "|", Backspace, "a|"},
		{"backspace over a letter with marks", "a" + accent + "\u0323|b", Backspace, "a|b"},
		{"backspace of one flag of two", flagDE + flagFR + "|x", Backspace, flagDE + "|x"},
		{"backspace joins lines", "ab\n|c", Backspace, "ab|c"},
		{"backspace joins a mark with a letter", "e\n|\u0301x", Backspace, accent + "|x"},
		{"backspace at the start", "|ab", Backspace, ""},
		{"delete", "a|bc", Delete, "a|c"},
		{"delete over an emoji", "|" + thumb + "x", Delete, "|x"},
		{"delete joins lines", "ab|\nc", Delete, "ab|c"},
		{"delete at the end", "ab|", Delete, ""},
		{"delete word left", "one two|x", DeleteWordLeft, "one |x"},
		{"delete word left with blanks", "one two  |", DeleteWordLeft, "one |"},
		{"delete word left of wide characters", "a 漢字|", DeleteWordLeft, "a |"},
		{"delete word left joins lines", "one\n|two", DeleteWordLeft, "one|two"},
		{"delete word left at the start", "|x", DeleteWordLeft, ""},
		{"delete word right", "one| two x", DeleteWordRight, "one| x"},
		{"delete word right at the end", "x|", DeleteWordRight, ""},
		{"kill to the end", "a|bc\nd", KillToEnd, "a|\nd"},
		{"kill a line break to the right", "a|\nd", KillToEnd, "a|d"},
		{"kill at the end", "a|", KillToEnd, ""},
		{"kill to the start", "x\nab|c", KillToStart, "x\n|c"},
		{"kill a line break to the left", "x\n|c", KillToStart, "x|c"},
		{"kill at the start", "|c", KillToStart, ""},
		{"yank nothing", "a|b", Yank, ""},
		{"newline", "a|b", Newline, "a\n|b"},
		{"newline inside of blanks", "a | b", Newline, "a \n| b"},
		{"undo nothing", "a|b", Undo, ""},
		{"redo nothing", "a|b", Redo, ""},
		{"expand nothing", "a|b", ExpandChip, ""},
		{"no such action", "a|b", Action(99), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := at(t, c.from)
			changed := c.want != ""
			if got := e.Do(c.do); got != changed {
				t.Errorf("Do reports %v", got)
			}
			if !changed {
				c.want = c.from
			}
			wantState(t, e, c.want)
			if strings.ReplaceAll(c.want, "|", "") != strings.ReplaceAll(c.from, "|", "") {
				e.Do(Undo)
				wantState(t, e, c.from)
				e.Do(Redo)
				wantState(t, e, c.want)
			}
		})
	}
}

func TestInsertKeepsTheCursorOnABoundary(t *testing.T) {
	for _, c := range []struct{ from, text, want string }{
		{"a|b", "x", "ax|b"},
		{"e|x", "\u0301", accent + "|x"},
		{"|\u0301x", "e", accent + "|x"},
		{"👨|👩", "\u200d", "👨\u200d👩|"},
		{"|🇫🇷", "🇩", "🇩🇫|🇷"},
		{"a|d", "b\nc", "ab\nc|d"},
		{"a|", "x\ty", "ax    y|"},
		{"a|", "\x1b[31mred\x1b[m\x00\x07\x01\x1d", "ared|"},
		{"a|", "\u202ereversed", "a⟨U+202E⟩reversed|"},
		{"a|", "x\r\ny\rz\u2028w", "ax\ny\nz\nw|"},
		{"a|", "\xff\xfe", "a��|"},
		{"a|b", "", "a|b"},
		{"a|b", "\x1b[2J", "a|b"},
	} {
		e := at(t, c.from)
		e.Insert(c.text)
		wantState(t, e, c.want)
	}
}

func TestUndoTakesTypedWordsTogether(t *testing.T) {
	c := newTest()
	for _, r := range "two words" {
		c.Insert(string(r))
	}
	for _, want := range []string{"two |", "|", "|"} {
		c.Do(Undo)
		wantState(t, c, want)
	}
	for _, want := range []string{"two |", "two words|", "two words|"} {
		c.Do(Redo)
		wantState(t, c, want)
	}
	for range 5 {
		c.Do(Backspace)
	}
	c.Do(Undo)
	wantState(t, c, "two words|")
	c.Do(BufferStart)
	c.Do(Delete)
	c.Do(Delete)
	c.Do(Right)
	c.Do(Delete)
	c.Do(Undo)
	wantState(t, c, "o| words")
	c.Do(Undo)
	wantState(t, c, "|two words")
	c.Insert("x")
	if c.Do(Redo) {
		t.Error("an edit leaves nothing to do again")
	}
	wantState(t, c, "x|two words")
}

func TestMovingEndsARun(t *testing.T) {
	c := newTest()
	c.Insert("a")
	c.Do(Left)
	c.Do(Right)
	c.Insert("b")
	c.Do(Undo)
	wantState(t, c, "a|")
}

func TestUndoIsBounded(t *testing.T) {
	c := newTest()
	for i := range 2 * maxUndo {
		c.Insert(fmt.Sprint(i))
		c.Do(Newline)
	}
	check(t, c)
	steps := 0
	for c.Do(Undo) {
		steps++
	}
	if steps != maxUndo {
		t.Errorf("%d steps", steps)
	}
	c.SetDraft("")
	big := strings.Repeat("x", maxUndoBytes/3)
	for range 5 {
		c.Set(big)
		check(t, c)
	}
	if c.log.bytes > maxUndoBytes || len(c.log.done) == 0 {
		t.Errorf("%d bytes in %d steps", c.log.bytes, len(c.log.done))
	}
}

func TestKillAndYank(t *testing.T) {
	c := at(t, "one two |three\nfour")
	c.Do(DeleteWordLeft)
	c.Do(DeleteWordLeft)
	c.Do(KillToEnd)
	c.Do(KillToEnd)
	wantState(t, c, "|four")
	c.Do(Yank)
	wantState(t, c, "one two three\n|four")
	c.Do(Home)
	c.Do(KillToEnd)
	wantState(t, c, "one two three\n|")
	c.Do(BufferStart)
	c.Do(Yank)
	wantState(t, c, "four|one two three\n")
	c.Do(KillToEnd)
	c.Do(Yank)
	c.Do(Yank)
	wantState(t, c, "fourone two threeone two three|\n")
}

func TestMovingByRowsOfTheScreen(t *testing.T) {
	c := at(t, "aaaa bbbb cccc|\ndd")
	c.Height(2+9+1, 10) // two words to a row
	for _, step := range []struct {
		do   Action
		want string
	}{
		{Up, "aaaa| bbbb cccc\ndd"},
		{Down, "aaaa bbbb cccc|\ndd"},
		{Down, "aaaa bbbb cccc\ndd|"},
		{Up, "aaaa bbbb cccc|\ndd"},
		{Home, "|aaaa bbbb cccc\ndd"},
		{End, "aaaa bbbb cccc|\ndd"},
	} {
		c.Do(step.do)
		wantState(t, c, step.want)
	}
	// The goal lies behind the end of a row that goes on: the cursor stays on it.
	c = at(t, "aaaaaa\nbbbbbbbb cc\nddddddddd|")
	c.Height(2+9+1, 10)
	c.Do(Up)
	wantState(t, c, "aaaaaa\nbbbbbbbb cc|\nddddddddd")
	c.Do(Up)
	wantState(t, c, "aaaaaa\nbbbbbbbb| cc\nddddddddd")
	c.Do(Up)
	wantState(t, c, "aaaaaa|\nbbbbbbbb cc\nddddddddd")
	if c.Do(Up) {
		t.Error("the first row is the edge")
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		width int
		text  string
		want  []string
	}{
		{5, "", []string{""}},
		{5, "hello", []string{"hello"}},
		{5, "hello ", []string{"hello ", ""}},
		{5, "hello world", []string{"hello ", "world"}},
		{5, "hello   world", []string{"hello ", "  ", "world"}},
		{5, "a bc def", []string{"a bc ", "def"}},
		{5, "abcdefghijk", []string{"abcde", "fghij", "k"}},
		{5, "a bcdefghijk", []string{"a ", "bcdef", "ghijk"}},
		{5, "漢字漢字", []string{"漢字", "漢字"}},
		{5, "ab漢字cd", []string{"ab漢", "字cd"}},
		{5, "a漢字 b", []string{"a漢字 ", "b"}},
		{1, "ab 漢", []string{"a", "b ", "漢"}},
		{3, accent + accent + accent + accent, []string{accent + accent + accent, accent}},
		{4, family + flagDE + thumb, []string{family + flagDE, thumb}},
	} {
		b := newBuffer()
		b.width = c.width
		l := &line{text: c.text}
		var got []string
		for row := range b.lastRow(l) + 1 {
			start, end, _ := b.span(l, row)
			got = append(got, l.text[start:end])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q at %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
