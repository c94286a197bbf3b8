package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/internal/celltest"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the output\n", i+1)
	}
	return b.String()
}

const prose = "ok  \thermes-tui/store\t0.42s\n\n" +
	"\x1b[1;32m--- PASS\x1b[m: TestAppend and a long explanation of what it does, so that the line has to be broken somewhere sensible\n" +
	"\x1b[31m日本語の長い行はどこでも折り返すことができるので、幅いっぱいまで使われるはずです。もう少し長くします。さらに長くします。\n" +
	"still red\x1b[0m, plain again\x1b]0;evil\a\x1b[2J\r\n" +
	"averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongwordwithoutanyblankinit end"

func pager(s string) *overlay.Pager { return overlay.NewPager(styles, "terminal  go test", s, hints) }

func TestPagerGolden(t *testing.T) {
	golden(t, "pager", 16, func() overlay.Box { return pager(prose) }, nil)
	golden(t, "pager-end", 12, func() overlay.Box { return pager(numbered(500)) }, func(b overlay.Box) { b.Move(overlay.Bottom) })
	golden(t, "pager-found", 20, func() overlay.Box { return pager(numbered(500)) }, func(b overlay.Box) {
		for _, s := range []string{"/", "line 12", " of"} {
			press(b, s)
		}
		b.(*overlay.Pager).Accept()
	})
	golden(t, "pager-finding", 10, func() overlay.Box { return pager(numbered(3)) }, func(b overlay.Box) {
		press(b, "/")
		b.Type("line")
	})
	golden(t, "pager-missing", 10, func() overlay.Box { return pager("x") }, func(b overlay.Box) {
		press(b, "/")
		press(b, "y")
		b.(*overlay.Pager).Accept()
	})
	golden(t, "pager-empty", 8, func() overlay.Box { return pager("") }, nil)
}

// first is the first row of text in sight.
func first(t *testing.T, p *overlay.Pager) string {
	t.Helper()
	row := strings.Split(text(t, p, 80, 14), "\n")[1]
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(row), "│"))
}

func TestPagerMoves(t *testing.T) {
	p := pager(numbered(100))
	p.Move(overlay.Bottom) // before it was drawn: nothing to go by
	for _, c := range []struct {
		type_ string
		move  overlay.Move
		want  int
	}{
		{"", overlay.Up, 1},
		{"", overlay.Down, 2},
		{"j", 0, 3},
		{"k", 0, 2},
		{"", overlay.PageDown, 13}, // twelve rows of text: a page is eleven
		{"space", 0, 24},
		{"b", 0, 13},
		{"", overlay.PageUp, 2},
		{"", overlay.PageUp, 1},
		{"G", 0, 89},
		{"", overlay.PageDown, 89},
		{"", overlay.Up, 88},
		{"g", 0, 1},
		{"", overlay.Bottom, 89},
		{"", overlay.Top, 1},
		{"jj", 0, 1}, // a paste is no key
	} {
		first(t, p)
		if c.type_ != "" {
			press(p, c.type_)
		} else {
			p.Move(c.move)
		}
		if got, want := first(t, p), fmt.Sprintf("line %d of the output", c.want); got != want {
			t.Fatalf("after %q, %d: %q, want %q", c.type_, c.move, got, want)
		}
	}
}

func TestPagerFinds(t *testing.T) {
	p := pager(numbered(300))
	first(t, p)
	find := func(query string) {
		press(p, "/")
		p.Type(query)
		p.Accept()
	}
	find("LINE 7")
	contains(t, p, "1 of 11", "any case")
	p.Act(keys.MatchCase)
	contains(t, p, "not found", "exact case")
	p.Act(keys.MatchCase)
	p.Act(keys.Pattern)
	find("^line [78]\\b")
	contains(t, p, "1 of 2", "regexp", "▸line 7 of")
	find("(")
	contains(t, p, "missing closing")
	p.Act(keys.Pattern)
	find("line 7")
	contains(t, p, "1 of 11", "▸line 7 of")
	press(p, "n")
	contains(t, p, "2 of 11", "▸line 70 of")
	press(p, "N")
	press(p, "N")
	contains(t, p, "11 of 11", "▸line 79 of")
	p.Next()
	contains(t, p, "1 of 11", "▸line 7 of")
	if p.Back() {
		t.Fatal("Back must give up the matches first")
	}
	if strings.Contains(text(t, p, 80, 24), " of 11") {
		t.Error("the matches are still shown")
	}
	p.Next() // nothing to go to
	// A search begins at the top of the page.
	p.Move(overlay.Bottom)
	find("line 2")
	contains(t, p, "▸line 2") // wraps to the start or finds one in sight
	p.Find()
	p.Type("日本")
	p.Backspace()
	p.Backspace()
	p.Backspace()
	for i, want := range []bool{false, false, true} { // the search being typed, the matches, the window
		if got := p.Back(); got != want {
			t.Errorf("Back number %d: %v", i+1, got)
		}
	}
	find("")
	if !p.Back() {
		t.Error("an empty search leaves something to give up")
	}
}

func TestPagerFoldsCaseOfAllLetters(t *testing.T) {
	p := pager("Straße İstanbul ÜBER Ключ KEY ǅ")
	first(t, p)
	for query, want := range map[string]string{"über": "1 of 1", "ключ": "1 of 1", "key": "1 of 1", "Key": "1 of 1", "ÜBER": "1 of 1", "stan": "1 of 1"} {
		p.Find()
		p.Type(query)
		p.Accept()
		if got := text(t, p, 80, 24); !strings.Contains(got, want) {
			t.Errorf("%q:\n%s", query, got)
		}
	}
}

// TestPagerFindsAsYouType looks at the matches before enter, and gives them up.
func TestPagerFindsAsYouType(t *testing.T) {
	p := pager(numbered(300))
	first(t, p)
	press(p, "/")
	p.Type("line 2")
	contains(t, p, "1 of 111", "▸line 2 of")
	p.Type("9")
	contains(t, p, "1 of 11", "▸line 29 of")
	p.Act(keys.KillStart)
	p.Type("line 3")
	p.Accept()
	contains(t, p, "1 of 12", "▸line 3 of")
	press(p, "/")
	p.Type("line 88")
	contains(t, p, "1 of 1", "▸line 88 of")
	p.Back()
	contains(t, p, "1 of 12", "▸line 3 of")
}

// TestPagerFindsInLongTexts searches beside the window: the first match is shown before
// all are known, keys count meanwhile, and an answer that comes too late is dropped.
func TestPagerFindsInLongTexts(t *testing.T) {
	p := pager(bigText())
	first(t, p)
	p.Find()
	if r := p.Type("number 1234"); r != nil {
		t.Fatalf("each key of a long text asks for %T", r)
	}
	late := p.Accept().(overlay.Seek)
	contains(t, p, "searching")
	p.Find()
	p.Type("number 98765")
	s := p.Accept().(overlay.Seek)
	if r := p.Take(late.Run()); r != nil {
		t.Errorf("an answer that comes too late asks for %T", r)
	}
	all := p.Take(s.Run()).(overlay.Seek)
	contains(t, p, "searching", "▸098765 compiling package number 98765 of")
	p.Next()
	p.Find()
	p.Back()
	p.Find()
	p.Type("number 9876")
	s = p.Accept().(overlay.Seek)
	if r := p.Take(all.Run()); r != nil {
		t.Errorf("an answer that comes too late asks for %T", r)
	}
	all = p.Take(s.Run()).(overlay.Seek)
	p.Next()
	if r := p.Take(all.Run()); r != nil {
		t.Errorf("all that was found asks for %T", r)
	}
	contains(t, p, "5 of 11", "▸098763 compiling")
}

func TestPagerKeepsColoursAndNothingElse(t *testing.T) {
	p := pager(prose)
	var red, green bool
	for _, row := range draw(t, p, 60, 20) {
		green = green || strings.Contains(row, ";32m") && strings.Contains(row, "--- PASS")
		red = red || strings.Contains(row, ";31m") && strings.Contains(row, "still red")
	}
	if !red || !green {
		t.Errorf("colours are lost (red %v, green %v)", red, green)
	}
	if strings.ContainsAny(p.Text(), "\x1b\a") || !strings.Contains(p.Text(), "still red, plain again") {
		t.Errorf("text %q", p.Text())
	}
}

// TestPagerShowsEverything scrolls through texts row by row and compares with
// what they hold.
func TestPagerShowsEverything(t *testing.T) {
	var digits, words, wide strings.Builder
	for i := range 700 {
		fmt.Fprintf(&digits, "%d,", i)
		fmt.Fprintf(&words, "word %d ", i)
	}
	for i := range 150 {
		fmt.Fprintf(&wide, "日本語%d テスト", i)
	}
	for name, body := range map[string]string{
		"prose": prose, "lines": numbered(60), "long": digits.String() + "\n" + words.String(), "wide": wide.String(),
	} {
		for _, w := range []int{25, 100} {
			p := pager(body)
			inside := func() []string {
				list := p.Rows(nil, w, 12)
				for i, row := range list {
					list[i] = strings.TrimSpace(ansi.Strip(ansi.Cut(row, 1, w-1)))
				}
				return list[1:11]
			}
			var got strings.Builder
			for rows := inside(); ; {
				p.Move(overlay.Down)
				next := inside()
				if strings.Join(rows, "\n") == strings.Join(next, "\n") {
					got.WriteString(strings.Join(rows, ""))
					break
				}
				got.WriteString(rows[0])
				rows = next
			}
			squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
			if g, want := squeeze(got.String()), squeeze(p.Text()); g != want {
				t.Errorf("%s at %d cells: %d characters shown, want %d", name, w, len(g), len(want))
			}
		}
	}
}

func TestPagerKeepsItsPlaceOnResize(t *testing.T) {
	p := pager(strings.Repeat("some words in a line that wraps when the window is narrow\n", 50) + "target\n" + numbered(200))
	first(t, p)
	p.Find()
	p.Type("target")
	p.Accept()
	for _, w := range []int{80, 30, 120, 20, 80} {
		if got := text(t, p, w, 24); !strings.Contains(got, "target") {
			t.Fatalf("at %d cells the place is lost:\n%s", w, got)
		}
	}
}

func TestPagerRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for i := range 400 {
		var body strings.Builder
		for range r.IntN(30) {
			body.WriteString(celltest.Text(r, 60))
			if r.IntN(2) == 0 {
				body.WriteByte('\n')
			}
		}
		p := pager(body.String())
		if i%2 == 0 {
			p.SetStyles(&rows.Styles{})
		}
		for range r.IntN(12) {
			switch r.IntN(5) {
			case 0:
				p.Find()
				p.Type(celltest.Text(r, 2))
				if r.IntN(2) == 0 {
					p.Accept()
				}
			case 1:
				press(p, []string{"n", "N", "j", "G"}[r.IntN(4)])
			case 2:
				p.Backspace()
			default:
				p.Move(overlay.Move(r.IntN(6)))
			}
			w, h := r.IntN(60), r.IntN(14)
			celltest.Check(t, p.Rows(nil, w, h), w, h)
		}
	}
}

func FuzzPager(f *testing.F) {
	f.Add(prose, "line", 30)
	f.Add(strings.Repeat("\x1b[31mé\u0301", 20), "é", 6)
	f.Add("a\tb\tc\u0e33\u200d", "\t", 5)
	f.Fuzz(func(t *testing.T, body, query string, w int) {
		w = 5 + (w%100+100)%100
		p := pager(body)
		celltest.Check(t, p.Rows(nil, w, 9), w, 9)
		p.Find()
		p.Type(query)
		p.Accept()
		p.Move(overlay.Bottom)
		celltest.Check(t, p.Rows(nil, w, 9), w, 9)
		p.Next()
		celltest.Check(t, p.Rows(nil, w, 9), w, 9)
	})
}

func TestPagerLimit(t *testing.T) {
	p := pager(strings.Repeat("x", overlay.MaxText-1) + "日本")
	if got := p.Text()[overlay.MaxText-10:]; got != "xxxxxxxxx\n… 6 more bytes are not shown" {
		t.Errorf("%q", got)
	}
}

// bigText is about ten megabytes of output with colours.
func bigText() string {
	var b strings.Builder
	for i := 0; b.Len() < 10<<20; i++ {
		fmt.Fprintf(&b, "\x1b[32m%06d\x1b[m compiling package number %d of the program, with some words behind it\n", i, i)
	}
	return b.String()
}

func BenchmarkNewPager10MB(b *testing.B) {
	s := bigText()
	b.ReportAllocs()
	for b.Loop() {
		pager(s)
	}
}

func BenchmarkPagerRows10MB(b *testing.B) {
	p := pager(bigText())
	var dst []string
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%2 == 0 {
			p.Move(overlay.PageDown)
		} else {
			p.Move(overlay.Bottom)
		}
		dst = p.Rows(dst[:0], 116, 38)
	}
}

func BenchmarkPagerOneLine10MB(b *testing.B) {
	p := pager(strings.Repeat("{\"key\":\"value\"},", 10<<16))
	var dst []string
	b.ReportAllocs()
	for b.Loop() {
		p.Move(overlay.PageDown)
		dst = p.Rows(dst[:0], 116, 38)
	}
}

func BenchmarkPagerFind10MB(b *testing.B) {
	p := pager(bigText())
	p.Rows(nil, 116, 38)
	b.ReportAllocs()
	for b.Loop() {
		p.Find()
		p.Type("number 98765")
		for r := p.Accept(); r != nil; {
			r = p.Take(r.(overlay.Seek).Run())
		}
	}
}

// TestPagerGrows follows a text that grows until it is scrolled, and keeps its
// place from then on, also when the beginning of the text is lost.
func TestPagerGrows(t *testing.T) {
	p := pager(numbered(50))
	p.Follow()
	end := func() string {
		all := strings.Split(text(t, p, 80, 14), "\n")
		return strings.TrimSpace(strings.Trim(strings.TrimSpace(all[len(all)-2]), "│"))
	}
	if got := end(); got != "line 50 of the output" {
		t.Errorf("it begins at %q", got)
	}
	if !p.Grow(numbered(60)) || p.Grow(numbered(60)) || end() != "line 60 of the output" {
		t.Errorf("it follows to %q", end())
	}
	p.Move(overlay.PageUp)
	at := first(t, p)
	p.Grow(numbered(80))
	if got := first(t, p); got != at {
		t.Errorf("from %q it moves to %q", at, got)
	}
	_, late, _ := strings.Cut(numbered(90), "line 20 of the output\n")
	p.Grow(late)
	if got := first(t, p); got != at {
		t.Errorf("with the beginning lost it moves from %q to %q", at, got)
	}
	p.Move(overlay.Bottom)
	p.Grow(numbered(100))
	if got := end(); got != "line 100 of the output" {
		t.Errorf("back at the end it follows to %q", got)
	}
}

// TestPagerFits holds the height of the window to that of its text.
func TestPagerFits(t *testing.T) {
	for lines, want := range map[int]int{0: 5, 1: 5, 4: 6, 12: 14, 300: 48} {
		if w, h := pager(numbered(lines)).Size(160, 50); w != 156 || h != want {
			t.Errorf("%d lines make a window of %d×%d, want 156×%d", lines, w, h, want)
		}
	}
}
