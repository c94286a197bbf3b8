package composer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// golden compares frames with a file; UPDATE_GOLDEN=1 writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".golden")
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 accepts it):\n%s", path, got)
	}
}

// picture is a frame as text, with its edges and the place of the cursor.
func picture(t *testing.T, c *Composer, w, h int) string {
	t.Helper()
	var b strings.Builder
	list := frame(t, c, w, h)
	x, y, _ := c.Cursor()
	fmt.Fprintf(&b, "%d x %d, cursor %d, %d\n", w, h, x, y)
	for _, row := range list {
		b.WriteString("|" + ansi.Strip(row) + "|\n")
	}
	return b.String()
}

func TestFrames(t *testing.T) {
	long := "The quick brown fox jumps over the lazy dog, again and again.\n\n" +
		"中文文本没有空格，也要在正确的地方换行，不能超出边界。\n" +
		"emoji " + strings.Repeat(family+thumb+flagDE, 6) + " and marks " + strings.Repeat(accent, 30) + "\n" +
		"a_word_that_is_far_too_long_for_any_row_of_a_terminal_and_so_it_is_broken_inside\n" +
		"\tindented"
	for _, c := range []struct {
		name string
		make func() *Composer
	}{
		{"empty", func() *Composer {
			c := newTest()
			c.SetPlaceholder("type while it works — enter queues,\nctrl+s steers")
			return c
		}},
		{"short", func() *Composer { return at(t, "hello| world") }},
		{"full row", func() *Composer { return at(t, strings.Repeat("x", 17)+"|") }},
		{"blank in the margin", func() *Composer { return at(t, strings.Repeat("x", 17)+" |") }},
		{"long at the end", func() *Composer { return at(t, long+"|") }},
		{"long at the start", func() *Composer { return at(t, "|"+long) }},
		{"long in the middle", func() *Composer { return at(t, strings.Replace(long, "也要", "也|要", 1)) }},
		{"paste", func() *Composer {
			c := at(t, "look at |, please")
			c.Paste(lines(2000))
			return c
		}},
		{"no width of its own", func() *Composer { return at(t, "\u0301a\u00adb\u200d|"+strings.Repeat("\u0301", 100)) }},
	} {
		var b strings.Builder
		for _, w := range []int{20, 40, 80} {
			b.WriteString(picture(t, c.make(), w, c.make().Height(w, 6)))
		}
		golden(t, "frame "+c.name, b.String())
	}
}

func TestSmallRegions(t *testing.T) {
	c := at(t, "one 漢字 two\nthree "+family+"|\nfour\nfive")
	c.Paste(lines(6))
	for w := range 12 {
		for h := range 6 {
			frame(t, c, w, h)
			if n := c.Height(w, h); n > h || h > 0 && n < 1 {
				t.Errorf("height %d of %d", n, h)
			}
		}
	}
	if c.Rows(nil, 10, -1) != nil {
		t.Error("rows in a region of negative height")
	}
}

func TestScrolling(t *testing.T) {
	c := at(t, strings.Repeat("line\n", 30)+"end|")
	text := func() string { return ansi.Strip(strings.Join(frame(t, c, 10, 3), "/")) }
	for _, step := range []struct {
		do   Action
		n    int
		want string
	}{
		{BufferStart, 1, "❯ line    /  line    /↓ line    "},
		{Down, 2, "❯ line    /  line    /↓ line    "},
		{Down, 1, "↑ line    /  line    /↓ line    "},
		{BufferEnd, 1, "↑ line    /  line    /  end     "},
		{Up, 1, "↑ line    /  line    /  end     "},
		{End, 1, "↑ line    /  line    /  end     "},
		{KillToStart, 1, "↑ line    /          /  end     "},
		{BufferEnd, 1, "↑ line    /          /  end     "},
		{DeleteWordLeft, 2, "↑ line    /  line    /          "},
		{DeleteWordLeft, 1, "↑ line    /  line    /  line    "},
	} {
		for range step.n {
			c.Do(step.do)
		}
		if got := text(); got != step.want {
			t.Errorf("after %d of action %d: %q, want %q", step.n, step.do, got, step.want)
		}
	}
	c.Set("one")
	if got := text(); got != "❯ one     /          /          " {
		t.Errorf("%q", got)
	}
	if got := ansi.Strip(at(t, "a\n|b\nc").Rows(nil, 6, 1)[0]); got != "↕ b   " {
		t.Errorf("%q", got)
	}
}

func TestHeight(t *testing.T) {
	for _, c := range []struct {
		text     string
		w, limit int
		want     int
	}{
		{"", 80, 10, 1}, {"", 80, 0, 0}, {"a\nb\nc", 80, 10, 3}, {"a\nb\nc", 80, 2, 2}, {"aaaa bbbb", 8, 10, 2}, {strings.Repeat("x\n", 5000), 80, 12, 12},
	} {
		e := newTest()
		e.SetDraft(c.text)
		if got := e.Height(c.w, c.limit); got != c.want {
			t.Errorf("%.20q at %d, at most %d: %d", c.text, c.w, c.limit, got)
		}
	}
}

// Cached rows are the rows that a fresh composer draws.
func TestCacheIsTransparent(t *testing.T) {
	c := newTest()
	c.SetDraft("one\ntwo\x1d1\x1e" + lines(9) + "\x1fthree\nfour")
	compare := func() {
		t.Helper()
		fresh := New(Options{Styles: c.styles})
		fresh.SetDraft(c.Draft())
		fresh.cur = c.cur
		got := frame(t, c, c.screen.w, 3)
		frame(t, fresh, c.screen.w, 3)
		fresh.screen.top = c.screen.top
		want := frame(t, fresh, c.screen.w, 3)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("cached %q\nfresh  %q", got, want)
		}
	}
	for _, w := range []int{40, 20, 40} {
		frame(t, c, w, 3)
		compare()
	}
	c.SetStyles(rows.NewStyles(themes.Light()))
	compare()
	for i := range 2 * maxCached {
		c.Insert(fmt.Sprint(i, " "))
		c.Rows(nil, 40, 3)
	}
	if n := len(c.screen.cache); n > maxCached {
		t.Errorf("%d rows are kept", n)
	}
	compare()
}

func TestNoCursorBeforeTheFirstFrame(t *testing.T) {
	if _, _, ok := newTest().Cursor(); ok {
		t.Error("a cursor without a frame")
	}
}

func TestMenuFrames(t *testing.T) {
	c := at(t, "@m|")
	q, _ := c.Completion()
	items := []Item{
		{Label: "main.go", Detail: "the program", Insert: "main.go", Match: []int{0}},
		{Label: "ui/markdown/render_a_very_long_name_that_does_not_fit.go", Detail: "a folder with a long explanation", Insert: "x"},
		{Label: "中文/m.go", Detail: "漢字", Match: []int{7}},
		{Label: "evil\x1b[2J\nname\u202e", Detail: "bad\x07\ndetail", Match: []int{1}},
	}
	for i := range 10 {
		items = append(items, Item{Label: fmt.Sprintf("m%d", i), Match: []int{0}})
	}
	c.Offer(q.Gen, items)
	if n := c.MenuHeight(20); n != MaxMenuRows {
		t.Errorf("height %d", n)
	}
	if c.MenuHeight(3) != 3 || c.MenuHeight(-1) != 0 {
		t.Error("the limit of the height is not kept")
	}
	var b strings.Builder
	for _, w := range []int{20, 40, 80} {
		for range 5 {
			c.MenuDown()
		}
		fmt.Fprintf(&b, "%d columns\n", w)
		for _, row := range c.MenuRows(nil, w, 6) {
			if rows.Width(row) != w {
				t.Errorf("%d cells instead of %d: %q", rows.Width(row), w, row)
			}
			b.WriteString("|" + ansi.Strip(row) + "|\n")
		}
	}
	golden(t, "menu", b.String())
	for w := range 10 {
		for h := range 4 {
			list := c.MenuRows(nil, w, h)
			if len(list) != h {
				t.Fatalf("%d rows of %d", len(list), h)
			}
			for _, row := range list {
				if rows.Width(row) != w {
					t.Errorf("%d cells instead of %d: %q", rows.Width(row), w, row)
				}
			}
		}
	}
	if marked := c.MenuRows(nil, 80, 6)[0]; !strings.Contains(marked, "\x1b[") {
		t.Errorf("no style in %q", marked)
	}
	c.MenuClose()
	if c.MenuHeight(8) != 0 || ansi.Strip(c.MenuRows(nil, 3, 1)[0]) != "   " {
		t.Error("a closed menu has rows")
	}
}

// TestMoveTo clicks on every cell and compares with where the cursor is drawn: it
// stands at the cell, or at the last place before it where a character begins.
func TestMoveTo(t *testing.T) {
	for _, draft := range []string{"", "word", "some words that need more than one row", "漢字 and e\u0301 and 👍🏽", "one\n\nthree\n", strings.Repeat("long ", 40)} {
		c := New(Options{Styles: rows.NewStyles(themes.Dark())})
		c.Set(draft)
		const w, h = 20, 4
		c.Rows(nil, w, h)
		top := c.screen.top
		for y := range h {
			for x := range w + 5 {
				c.screen.top = top
				c.MoveTo(x, y)
				c.screen.top = top
				cx, cy, ok := c.Cursor()
				if !ok || cy > y || cy == y && cx > max(x, gutter) {
					t.Errorf("%q: a click at %d,%d puts the cursor at %d,%d", draft, x, y, cx, cy)
				}
				here := c.cur
				if c.MoveTo(cx, cy); c.cur != here {
					t.Errorf("%q: a click on the cursor at %d,%d moves it", draft, cx, cy)
				}
			}
		}
	}
}
