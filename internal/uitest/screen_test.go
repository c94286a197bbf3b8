package uitest

import (
	"image"
	"strings"
	"testing"
)

// picture is a screen of 20×5 with wide characters, styles and a link.
func picture() Screen {
	return ParseScreen(20, 5, "one two  日本語 end\r\n"+
		"\x1b[1;31mred\x1b[m \x1b[7mback\x1b[m \x1b]8;id=1;http://a.example/ü;x\x1b\\link\x1b]8;;\x1b\\\r\n"+
		"│ ❯ typed\r\n\r\nlast   ")
}

func TestScreenReadsBack(t *testing.T) {
	s := picture()
	want := "one two  日本語 end\nred back link\n│ ❯ typed\n\nlast\n"
	if s.Text() != want {
		t.Errorf("the text is %q, want %q", s.Text(), want)
	}
	if s.Cols != 20 || s.Rows != 5 || len(s.Lines()) != 5 || s.Line(-1) != "last" || s.Line(7) != "" || s.Line(-9) != "" {
		t.Errorf("the screen is %d×%d with %q", s.Cols, s.Rows, s.Lines())
	}
	for _, c := range []struct {
		text string
		x, y int
	}{{"one", 0, 0}, {"日本", 9, 0}, {"本", 11, 0}, {" end", 15, 0}, {"back", 4, 1}, {"❯ t", 2, 2}, {"last  ", 0, 4}, {"", 0, 0}} {
		if x, y, ok := s.Find(c.text); !ok || x != c.x || y != c.y {
			t.Errorf("%q is found at %d,%d (%t), want %d,%d", c.text, x, y, ok, c.x, c.y)
		}
	}
	if x, y, ok := s.Find("two one"); ok {
		t.Errorf("what is not there is found at %d,%d", x, y)
	}
	if c := s.Cell(0, 1); !c.Style.Bold || c.Style.Fg == nil || c.Text != "r" {
		t.Errorf("the first cell of the second row is %+v", c)
	}
	if c := s.Cell(5, 1); !c.Style.Reverse || c.Style.Bold {
		t.Errorf("a reversed cell is %+v", c)
	}
	if c := s.Cell(9, 1); c.Link != "http://a.example/??%3Bx" {
		t.Errorf("the link is %+v", c)
	}
	if a, b := s.Cell(9, 0), s.Cell(10, 0); a.Text != "日" || a.Width != 2 || b.Text != "" || b.Width != 0 {
		t.Errorf("a wide character is %+v and %+v", a, b)
	}
	if s.Cell(20, 0) != (Cell{}) || s.Cell(0, -1) != (Cell{}) {
		t.Error("outside the screen there is a cell")
	}
}

func TestScreenPart(t *testing.T) {
	s := picture().In(image.Rect(2, 2, 99, 4))
	if s.Text() != "❯ typed\n" || s.Cols != 18 || s.Rows != 2 {
		t.Errorf("the part is %d×%d with %q", s.Cols, s.Rows, s.Text())
	}
	if s.Cursor != (Cursor{5, 2, true}) {
		t.Errorf("the cursor is at %+v", s.Cursor)
	}
	if empty := picture().In(image.Rect(50, 50, 60, 60)); empty.Text() != "" || empty.Rows != 0 || empty.String() == "" {
		t.Errorf("a part outside is %q", empty)
	}
}

func TestBox(t *testing.T) {
	want := strings.Join([]string{
		"     ┌────────┐", "   0 │日 x    │", "▸  1 │yz      │", "     └────────┘",
		`     8×2 · cursor at 2,1 · hidden · mouse · bracketed paste · title "named"`, "",
	}, "\n")
	s := ParseScreen(8, 2, "\x1b]0;named\x07\x1b[?25l\x1b[?1000h\x1b[?2004h日 x\r\nyz")
	if s.String() != want {
		t.Errorf("the box is\n%s\nwant\n%s", s, want)
	}
}

func TestMatchers(t *testing.T) {
	s := picture()
	s.Title = "a title"
	for _, c := range []struct {
		m    Matcher
		miss string // empty: it holds
	}{
		{Contains("one", "日本語"), ""},
		{Contains("end\nred"), ""},
		{Contains("typed\n\nlast"), ""},
		{Contains("last   "), ""},
		{Contains("end \nred"), ""},
		{Contains("one", "three"), `the screen contains "one", "three": "three" is not there`},
		{NotContains("three"), ""},
		{NotContains("three", "本語"), `the screen does not contain "three", "本語": "本語" is at column 11 of row 0`},
		{NotContains("end\nred"), `: "end\nred" is there`},
		{Count("e", 4), ""},
		{Count("e", 2), `it is there 4 times`},
		{LineMatches(`^red \w+ link$`), ""},
		{LineMatches(`^back`), `the screen has a row like /^back/: no row is like that`},
		{LineContains(2, "typed"), ""},
		{LineContains(-1, "typed"), `row -1 is "last"`},
		{CursorAt(7, 4), ""},
		{CursorAt(6, 4), `it is at 7,4`},
		{CursorAfter("last   "), ""},
		{CursorAfter("last"), `it is at 7,4, after "last   "`},
		{CursorHidden(), `it is at 7,4`},
		{Title("title"), ""},
		{Title("other"), `the title is "a title"`},
		{Styled("in red", "red", func(s Style) bool { return s.Bold }), ""},
		{Styled("in red", "red b", func(s Style) bool { return s.Bold }), `the style at 3,1 is`},
		{Styled("in red", "green", func(s Style) bool { return s.Bold }), `"green" is not there`},
		{Not(Contains("three")), ""},
		{Not(Contains("one")), `not: contains "one": it does`},
		{Any(Contains("three"), Contains("one")), ""},
		{Any(Contains("three"), Contains("four")), `none of them holds`},
		{In(image.Rect(0, 0, 8, 1), Contains("two"), NotContains("日")), ""},
		{In(image.Rect(0, 1, 8, 5), Contains("two")), `"two" is not there`},
		{Matches("is small", func(s Screen) bool { return s.Cols < 30 }), ""},
		{Matches("is large", func(s Screen) bool { return s.Cols > 30 }), "the screen is large: it is not so"},
	} {
		got := Explain(s, c.m)
		if (got == "") != (c.miss == "") || !strings.Contains(got, c.miss) {
			t.Errorf("%s: %q, want %q", c.m, got, c.miss)
		}
	}
	if got := Explain(s, Contains("a1"), Contains("one"), Contains("a2")); strings.Count(got, "\n") != 1 {
		t.Errorf("two misses are explained by %q", got)
	}
	hidden := ParseScreen(4, 1, "\x1b[?25lab")
	for _, m := range []Matcher{CursorAt(2, 0), CursorAfter("ab")} {
		if got := Explain(hidden, m); !strings.Contains(got, "it is hidden, at 2,0") {
			t.Errorf("%s of a hidden cursor: %q", m, got)
		}
	}
	if got := Explain(hidden, CursorHidden()); got != "" {
		t.Error(got)
	}
}
