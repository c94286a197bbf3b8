package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// still is a clock that stands, so that no lexer runs out of time.
func still() time.Time { return time.Time{} }

func testStyles() *rows.Styles { return rows.NewStyles(themes.Dark()) }

func testRenderer() *Renderer { return New(Options{Clock: still}) }

var widths = []int{20, 40, 80, 120}

func stripped(in []string) string { return ansi.Strip(strings.Join(in, "\n")) }

func checkRows(t *testing.T, in []string, w int) {
	t.Helper()
	for i, row := range in {
		if n := rows.Width(row); n > w {
			t.Fatalf("row %d takes %d of %d cells: %q", i, n, w, row)
		}
		if strings.ContainsAny(row, "\n\t\r") {
			t.Fatalf("row %d holds a control character: %q", i, row)
		}
		if i := strings.LastIndex(row, "\x1b["); i >= 0 && !strings.HasPrefix(row[i:], reset) {
			t.Fatalf("row %d leaves a style on: %q", i, row)
		}
	}
}

// tricky are documents whose parts change their meaning while they arrive.
var tricky = map[string]string{
	"loose list":        "- a\n- b\n\n  para of b\n\n- c\n\n\n- d\nlazy\n\nafter\n",
	"nested lists":      "1. one\n   - sub\n     - subsub\n   - sub2\n2. two\n\n   two para\n3. three\n10. ten\n* other\n",
	"number or not":     "List:\n1. a\n2\n3. c\n\n2. no interrupt\n1986 was\n",
	"table":             "Before\n\n| a | b |\n|---|:-:|\n| 1 | `x` |\n| 2 |\nafter without blank\n\n| not | a table |\nend\n",
	"table after text":  "text\n| a | b |\n|---|---|\n| c | d |\n\nnext\n",
	"wide table":        "| Column one | Column two | Column three | Four |\n|:--|--:|:-:|---|\n| some long text in here | 12345 | **bold** words in a cell | 雛形と蛭の話 |\n| x | y | z | [l](http://e.org/a/b/c) |\n",
	"fence":             "Run:\n```go\nfunc main() {\n\n\tx := `a`\n}\n```\nafter\n\n~~~\nplain ``` not closed\n\n~~~\nend\n",
	"fence in list":     "- item\n\n  ```sh\n  ls -l\n\n  echo\n  ```\n\n  more\n- next\n  ~~~py\n  x = 1\n  ~~~\n",
	"fence lookalikes":  "```\na\n``\n   ```\n    ```\nx\n\n````md\n```\ninner\n```\n````\n\n``` info `with` ticks\ntext\n",
	"fence set in":      "  ```go\n  x := 1\n y\n  ```\n\n```\n\ttab\n```\n",
	"unclosed fence":    "intro\n\n```python\ndef f():\n    return 1\n\n# end",
	"setext":            "Title\n===\n\nSub\nof two lines\n---\n\ntext\n\n---\n\n* * *\n- a\n---\n",
	"headings":          "# One\n## Two ##\ntext\n### Three\n#### Four\n##### Five `c`\n###### Six\n#\n####### no\n",
	"late definitions":  "See [a][1] and [b] and *[c][1]*.\n\n- [d]: x\n\n[1]: https://example.org \"T\"\n[b]: <https://b>\n\nAnd [a][1] again.\n[x]: y\nz\n",
	"quotes":            "> one\n> two\nlazy\n\n> - list\n>   more\n>\n> para\n\n>> deep\n> less\n\nout\n",
	"html":              "<div>\n<b>x</b>\n\n</div>\n\n<!-- comment\n\nstill -->\nafter <i>inline</i> a<br>b &amp; &lt; &#x41; &#27;[2J\n\n<script>\nif (a < b) {\n\n}\n</script>\n",
	"indented code":     "para\n\n    code\n\n    more\n\n\tx\n\nback\n    not code\n",
	"tasks":             "- [ ] open\n- [x] done\n  - [ ] sub\n- [x]no\n1. [X] numbered\n",
	"emphasis":          "*a **b** c* __d__ _e_f_ ***g*** ~~h~~ ~i~ `` c ` d `` **unclosed\n\n* not\n*em\nover lines*\n",
	"hard breaks":       "a  \nb\\\nc\n\nd   \n\ne\\",
	"links":             "<https://x.org> www.y.org me@z.org [t](u \"title\") [](empty) ![i](j) ![](k) [a [b](c) d](e) [same.org](https://same.org) [https://x.org](https://x.org)\n",
	"wide characters":   "雛形と蛭の話をする。これは長い文章です、折り返し（かっこ）を「確認」します。👨‍👩‍👧 emoji 🇩🇪🇫🇷 e\u0301\u0301 ❤️ end\n\n漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n",
	"long words":        strings.Repeat("x", 300) + " https://example.org/" + strings.Repeat("path/", 40) + "\n\n`" + strings.Repeat("c ", 100) + "`\n",
	"empty blocks":      "-\n\n-\n\n  x\n\n>\n\n```\n```\n\n~~~\n~~~\n\n#\n\n&#8203;\n\n``  ``\n\n- \n  foo\n",
	"escapes":           "\\*not\\* \\`x\\` \\\\ \\& &copy; &nosuch; & &#0; &#xD800; \x1b[31mred\x1b[0m \x1b]0;t\x07 \u202e\u200b \r\ncr\rlf\n",
	"blank start":       "\n\n   \n\n```\nx\n```\n\n\n\nend\n\n\n",
	"definition inside": "[foo]: /url\n\n[foo]: /other\n===\n[foo]\n\n> [q]: /quote\n\n[q]\n",
	"footnotes":         "A claim[^1], another[^long-name] and[^ no] [^x](y).\n\n[^1]: The source,\nover lines.\n[^long-name]: Second\n\ntext\n[^2]: third\n",
	"formulas":          "Let $x_1^2 + \\alpha$ be \\(y \\le 3\\), $5 or $6, $HOME/$USER.\n\n$$\n\\sum_{i=1}^{n} i\n= \\frac{n(n+1)}{2}\n$$\n\ntext\n\\[ E = mc^2 \\]\n\\[\n- a\n\nopen\n\n$$ a_1 $$\nend $\\nosuch{x}$ and $a_b$ `$x^2$`\n",
	"difference":        "```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old word\n+new word\n```\n\n```diff\n-x\n",
	"mixed":             "# T\n\nText with `code`.\n\n1. a\n\n   ```go\n   x\n   ```\n\n2. b\n   > q\n   > | a | b |\n   > |---|---|\n   > | 1 | 2 |\n\n---\nend",
}

// follow feeds a text in pieces and compares every state with a full drawing.
func follow(t *testing.T, src string, w int, pieces []string) {
	t.Helper()
	m, st := testRenderer(), testStyles()
	s, parts := m.Stream(), m.Parts(1+len(src)%50)
	sofar, shown := "", []string(nil)
	for _, p := range pieces {
		s.Append(p)
		sofar += p
		parts.Set([]byte(sofar), false)
		got := s.Rows(w, st)
		checkSame(t, s, shown, got)
		shown = append(shown[:0], got...)
		if r, n := utf8.DecodeLastRuneInString(sofar); r == utf8.RuneError && n == 1 {
			continue // inside a character
		}
		want := testRenderer().Render(sofar, w, st)
		checkRows(t, got, w)
		if g, f := stripped(got), stripped(want); g != f {
			t.Fatalf("after %q at width %d:\n%s\nfull:\n%s", sofar, w, g, f)
		}
		if g, f := stripped(apart(m, parts, w, st)), stripped(want); g != f {
			t.Fatalf("in parts after %q at width %d:\n%s\nfull:\n%s", sofar, w, g, f)
		}
		if !openAtEnd(m, s) && strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("styles differ after %q at width %d:\n%q\nfull:\n%q", sofar, w, got, want)
		}
	}
	s.Close()
	got, want := s.Rows(w, st), testRenderer().Render(src, w, st)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("at the end of %q at width %d:\n%q\nfull:\n%q", src, w, got, want)
	}
	parts.Set([]byte(src), true)
	if got := apart(m, parts, w, st); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("in parts at the end of %q at width %d:\n%q\nfull:\n%q", src, w, got, want)
	}
	for i := range parts.Len() {
		if p := parts.At(i); p.Ended && len(p.Text) > 0 && parts.Find(strings.Index(src, string(p.Text[:1]))) > i {
			t.Fatalf("part %d of %q begins in a later one", i, src)
		}
	}
}

// apart draws the parts of a text, each on its own.
func apart(m *Renderer, parts *Parts, w int, st *rows.Styles) (out []string) {
	for i := range parts.Len() {
		p, s := parts.At(i), m.Stream()
		s.SetPart(p)
		list := s.Rows(w, st)
		if i > 0 && p.Gap() && len(list) > 0 {
			out = append(out, "")
		}
		out = append(out, list...)
	}
	return out
}

// openAtEnd reports whether a fence is open where the text ends.
func openAtEnd(m *Renderer, s *Stream) bool {
	return unclosed(m.parse(s.src), s.src) != nil
}

func checkSame(t *testing.T, s *Stream, before, now []string) {
	t.Helper()
	n := s.Same()
	if n > len(before) || n > len(now) {
		t.Fatalf("%d rows are said to be the same of %d, %d", n, len(before), len(now))
	}
	for i := range n {
		if before[i] != now[i] {
			t.Fatalf("row %d is said to be the same: %q, %q", i, before[i], now[i])
		}
	}
}

func randomPieces(s string, rnd *rand.Rand, most int) []string {
	var out []string
	for s != "" {
		n := min(1+rnd.IntN(most), len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

func bytePieces(s string) []string {
	out := make([]string, len(s))
	for i := range len(s) {
		out[i] = s[i : i+1]
	}
	return out
}

func TestStreamEqualsFull(t *testing.T) {
	t.Parallel()
	for name, doc := range tricky {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(1, 2))
			for _, w := range widths {
				follow(t, doc, w, bytePieces(doc))
				follow(t, doc, w, randomPieces(doc, rnd, 40))
			}
		})
	}
}

// TestStreamOfAll joins the documents, so that each stands in the middle.
func TestStreamOfAll(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var docs []string
	for _, d := range tricky {
		docs = append(docs, d)
	}
	for i := range 2 {
		rnd.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		all := strings.Join(docs[:10], "\n")
		follow(t, all, widths[i], randomPieces(all, rnd, 200))
	}
}

func TestStreamKeepsWhatIsFinished(t *testing.T) {
	m, st := testRenderer(), testStyles()
	s := m.Stream()
	s.Append("# One\n\nSome text.\n\n```go\nx := 1\n")
	s.Rows(40, st)
	if s.from == 0 || !s.fence.active {
		t.Fatalf("nothing is finished: %d, fence %v", s.from, s.fence.active)
	}
	kept := s.kept
	s.Append("y := 2\nz")
	s.Rows(40, st)
	if s.kept != kept || s.Same() != 6 {
		t.Errorf("kept %d then %d, same %d", kept, s.kept, s.Same())
	}
	if s.Rows(40, st); s.Same() != len(s.rows) {
		t.Errorf("without a change %d of %d rows are the same", s.Same(), len(s.rows))
	}
}

func TestStreamSet(t *testing.T) {
	m, st := testRenderer(), testStyles()
	s := m.Stream()
	check := func(text string, closed bool) {
		t.Helper()
		want := testRenderer().Render(text, 40, st)
		if got := s.Rows(40, st); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	}
	a := []byte("one *two*\n\nthree")
	s.Set(a[:9])
	check("one *two*", false)
	s.Set(a)
	check(string(a), false)
	s.Append(" four")
	check(string(a)+" four", false)
	if string(a) != "one *two*\n\nthree" {
		t.Fatalf("the caller's bytes changed: %q", a)
	}
	s.Set([]byte("one *two*\n\nthree four five"))
	check("one *two*\n\nthree four five", false)
	s.Set([]byte("other"))
	check("other", false)
	s.Close()
	s.Close()
	check("other", true)
	s.Append("wise")
	check("otherwise", false)
	s.Set([]byte("oth"))
	check("oth", false)
	s.Set(nil)
	if got := s.Rows(40, st); len(got) != 0 {
		t.Errorf("empty text gives %q", got)
	}
	if got := s.Rows(0, st); len(got) != 0 {
		t.Errorf("width 0 gives %q", got)
	}
}

func TestStreamRestyles(t *testing.T) {
	for name, doc := range tricky {
		m := testRenderer()
		s := m.Stream()
		dark, light := testStyles(), rows.NewStyles(themes.Light())
		for _, p := range randomPieces(doc, rand.New(rand.NewPCG(5, 6)), 30) {
			s.Append(p)
			s.Rows(40, dark)
		}
		s.Close()
		for _, w := range widths {
			for _, st := range []*rows.Styles{light, dark} {
				got, want := s.Rows(w, st), testRenderer().Render(doc, w, st)
				if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
					t.Fatalf("%s at width %d: got %q, want %q", name, w, got, want)
				}
			}
		}
	}
}

func TestDeferredCode(t *testing.T) {
	st := testStyles()
	doc := "a\n\n```go\nfunc f() {}\n```\n\n- b\n  ```sh\n  ls | wc\n  ```\n\nc\n"
	m := New(Options{Clock: still, Defer: true})
	s := m.Stream()
	s.Append(doc)
	s.Close()
	plain := append([]string(nil), s.Rows(40, st)...)
	want := testRenderer().Render(doc, 40, st)
	if stripped(plain) != stripped(want) {
		t.Fatalf("text differs: %q, %q", plain, want)
	}
	if !s.Pending() || fmt.Sprint(plain) == fmt.Sprint(want) {
		t.Fatal("code was coloured at once")
	}
	if !s.Refine() || s.Pending() {
		t.Fatal("not refined")
	}
	if got := s.Rows(40, st); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("refined: %q, want %q", got, want)
	}
	if s.Refine() {
		t.Error("refined again")
	}
}

// TestLexerBudget lets a lexer take too long.
func TestLexerBudget(t *testing.T) {
	var now time.Time
	slow := func() time.Time { now = now.Add(time.Second); return now }
	doc := "```go\n" + strings.Repeat("x := 1\n", 50) + "```\n"
	m := New(Options{Clock: slow})
	st := testStyles()
	got := m.Render(doc, 40, st)
	want := testRenderer().Render(strings.Replace(doc, "go", "", 1), 40, st)
	if fmt.Sprint(got[1:]) != fmt.Sprint(want) {
		t.Errorf("got %q, want plain code", got[1])
	}
}

func FuzzStream(f *testing.F) {
	for _, d := range tricky {
		f.Add(d, uint64(1), uint8(40))
	}
	f.Fuzz(func(t *testing.T, doc string, seed uint64, width uint8) {
		if len(doc) > 2000 || !utf8.ValidString(doc) {
			return
		}
		w := 1 + int(width)%130
		follow(t, doc, w, randomPieces(doc, rand.New(rand.NewPCG(seed, 0)), 20))
	})
}

// TestLongFences takes fences apart that are too large for colours, as they arrive and at once.
func TestLongFences(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("x := 1\n\n", 1+maxCodeLines/2)
	for name, src := range map[string]string{
		"closed":     "a\n\n```go\n" + code + "```\n\nafter\n\n- i\n- j\n",
		"then text":  "~~~\n" + code + "~~~~\nafter\nmore\n\nb\n",
		"then title": "```\n" + code + "```\nafter\n---\nb\n",
		"then code":  "```\n" + code + "```\n```diff\n-x\n" + code + "```\n",
		"lookalikes": "````\n\tz\n" + code + "```\n``` no\n    ````\n````x\n ````",
		"open":       "```\n" + code + "\n\ny",
		"small":      "```go\nx := 1\n```\n\n```go\n" + strings.Repeat("y\n", maxCodeLines-1) + "```\nend\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := strings.SplitAfter(src, "\n")
			head := strings.Join(lines[:maxCodeLines-5], "")
			pieces := []string{head}
			for _, line := range lines[maxCodeLines-5:] {
				if n := len(line); n > 2 {
					pieces = append(pieces, line[:2], line[2:n-1], line[n-1:])
				} else {
					pieces = append(pieces, line)
				}
			}
			follow(t, src, 40, pieces)

			m, st := testRenderer(), testStyles()
			parts := m.Parts(50)
			parts.Set([]byte(src), true)
			var traced []string
			for i := range parts.Len() {
				p := parts.At(i)
				if n := len(p.Text); n > 200 && (name == "open" || name == "lookalikes") {
					t.Errorf("part %d has %d bytes", i, n)
				}
				list := m.TracePart(p, 40, st, &rows.Trace{})
				if i > 0 && p.Gap() && len(list) > 0 {
					traced = append(traced, "")
				}
				traced = append(traced, list...)
			}
			if got, want := stripped(traced), stripped(m.Render(src, 40, st)); got != want {
				t.Errorf("traced:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
