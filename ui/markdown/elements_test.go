package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

func TestElements(t *testing.T) {
	for _, c := range []struct {
		name, src string
		w         int
		want      string
	}{
		{"headings", "# One\n## Two\n### Three\n#### Four\n##### Five\ntext", 40,
			"▌ One\n\n▍ Two\n\n▎ Three\n\n▏ Four\n\nFive\ntext"},
		{"long heading", "# one two three four", 12, "▌ one two\n▌ three four"},
		{"paragraph", "Some *words* in `a` paragraph\nof two lines.\n\nNext.", 20, "Some words in a\nparagraph of two\nlines.\n\nNext."},
		{"hard breaks", "a  \nb\\\nc<br>d", 20, "a\nb\nc\nd"},
		{"tight list", "Items:\n- a\n- b\n  - c\n    - d\n      - e", 20, "Items:\n  • a\n  • b\n    ◦ c\n      ▪ d\n        ▪ e"},
		{"loose list", "- a\n\n  para\n\n- b", 20, "  • a\n\n    para\n\n  • b"},
		{"numbers", "9. a\n9. b\n9. c\n\n   d", 20, "  9. a\n 10. b\n 11. c\n\n     d"},
		{"other numbers", "0) a\n1) b", 20, "  0) a\n  1) b"},
		{"item of two rows", "- one two three four", 14, "  • one two\n    three four"},
		{"tasks", "- [x] a\n- [ ] b\n1. [x] c", 20, "  ☑ a\n  ☐ b\n  1. ☑ c"},
		{"quote", "> a\n> b\n>\n> - c\n>> d", 20, "▎ a b\n▎\n▎   • c\n▎ ▎ d"},
		{"fence", "```go\nfunc f() {\n\treturn\n}\n```", 40, "╭╴go\n│ func f() {\n│     return\n│ }"},
		{"labels", "```js:main.js\nx\n```\n\n```{.python .numberLines}\ny\n```\n\n~~~ text title=z\nz", 40, "╭╴js:main.js\n│ x\n\n╭╴python\n│ y\n\n╭╴text\n│ z"},
		{"no room for a label", "```go\nabcd\n```", 5, "abcd"},
		{"long code", "```\nabcdefghijkl\n```", 8, "│ abcdef\n↳ ghijkl"},
		{"indented code", "    a\n\n    b", 20, "│ a\n│\n│ b"},
		{"rule", "a\n\n---\n\nb", 5, "a\n\n─────\n\nb"},
		{"table", "| a | bb | c |\n|:--|---:|:-:|\n| 1 | 2 | x y z |\n| `q\\|r` | | |", 40,
			"a   │ bb │   c\n────┼────┼──────\n1   │  2 │ x y z\nq|r │    │"},
		{"table that shrinks", "| name | what |\n|---|---|\n| a | one two three four |", 20,
			"name │ what\n─────┼──────────────\na    │ one two three\n     │ four"},
		{"table too narrow", "| name | what | more |\n|---|---|---|\n| a | long enough words | other words |\n| b | c | d |", 16,
			"name: a\nwhat: long\n  enough words\nmore: other\n  words\n────────────\nname: b\nwhat: c\nmore: d"},
		{"links", "[text](http://a.b) <http://c.d> http://e.f [http://g.h](http://g.h) [](x) <m@n.o>", 80,
			"text (http://a.b) http://c.d http://e.f http://g.h (x) m@n.o"},
		{"link that lies", "[https://good.org](https://evil.org)", 80, "https://good.org (https://evil.org)"},
		{"image", "![alt](img.png)", 80, "▣ alt (img.png)"},
		{"reference links", "See [a][1].\n\n[1]: http://x\n[2]: http://y", 80, "See [a][1].\n\n[1]: http://x\n[2]: http://y"},
		{"footnotes", "One[^1] and two[^12][^note].\n\n[^1]: First one,\nand more.\n[^12]: Second", 16, "One¹ and\ntwo¹²[note].\n\n¹ First one, and\n  more.\n¹² Second"},
		{"no footnotes", "[^a b] [^] [^x](http://u) [^\\*]", 80, "[^a b] [^] ^x (http://u) [^*]"},
		{"formula", "Let $x_1^2$ and \\(\\alpha \\le \\beta\\) with $n$: $\\frac{a+b}{2}$.", 80, "Let $x_1^2$ and \\(\\alpha \\le \\beta\\) with $n$: $\\frac{a+b}{2}$."},
		{"no formula", `It costs $5 or $6-$7, US$5 and HK$6; $HOME/$USER, \[x\], a\(b\), \$x^2$ and ` + "`$x^2$`.", 200,
			"It costs $5 or $6-$7, US$5 and HK$6; $HOME/$USER, [x], a(b), $x^2$ and $x^2$."},
		{"formula on lines", "Then\n$$\n\\sum_{i=1}^n i\n= \\frac{n(n+1)}{2}\n$$\nand \n\\[ E = mc^2 \\]\n\n\\begin{align}\na &= b \\\\\n- c &= d\n\\end{align}", 80,
			"Then\n$$\n\\sum_{i=1}^n i\n= \\frac{n(n+1)}{2}\n$$\nand\n\\[ E = mc^2 \\]\n\n\\begin{align}\na &= b \\\\\n- c &= d\n\\end{align}"},
		{"formula that is not complete", "$$\nx^2\n\nafter\n", 80, "$$\nx^2\n\nafter"},
		{"difference", "```diff\n-a\n+b\n```", 80, "╭╴diff\n│ -a\n│ +b"},
		{"html", "<div>\n  x\n</div>\n\na <b>c</b>", 80, "<div>\n  x\n</div>\n\na <b>c</b>"},
		{"entities", "&amp; &copy; &#65; &#x1b;[2J &#x202e; &nosuch; \\* &NewLine;", 80, "& © A [2J ⟨U+202E⟩ &nosuch; *"},
		{"wide characters", "雛形と蛭の話をする。", 10, "雛形と蛭の\n話をする。"},
		{"brackets", "あいう「えお」", 8, "あいう\n「えお」"},
		{"word longer than a row", "a abcdefghij b", 6, "a\nabcdef\nghij b"},
		{"nothing", "", 10, ""},
		{"blank", " \n\n", 10, ""},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			got := Render(c.src, c.w, testStyles())
			checkRows(t, got, c.w)
			plain := make([]string, len(got))
			for i, r := range got {
				plain[i] = strings.TrimRight(ansi.Strip(r), " ")
			}
			if s := strings.Join(plain, "\n"); s != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", s, c.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	m := testRenderer()
	for src, want := range map[string]string{
		"": "", "plain": "plain", "# A *title*\n\ntext": "A title", "**Done**: `x`\nmore[^1]": "Done: x more¹", "- [x] a\n- b": "a", "> 1. q\n": "q",
		"```go\nx := 1\ny\n```": "x := 1", "---\n\na": "", "<b>\nc": "<b>", "a<br>b": "a", "    code\n": "code", "\x1b[2J\n": "",
	} {
		if got := m.Line(src, testStyles()); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestLooks(t *testing.T) {
	st := testStyles()
	for src, want := range map[string]string{
		"a **b** *c* ~~d~~": st.Text.Render("a ") + st.Text.With(rows.Bold).Render("b") + st.Text.Render(" ") +
			st.Text.With(rows.Italic).Render("c") + st.Text.Render(" ") + st.Text.With(rows.Strike).Render("d"),
		"`x`":      st.Code.Render("x"),
		"[a](b)":   st.Link.Render("a") + st.Faint.Render(" (b)"),
		"> q":      st.Faint.Render("▎ ") + st.Muted.Render("q"),
		"##### m":  st.Text.With(rows.Bold, rows.Italic).Render("m"),
		"***both*": st.Text.Render("**") + st.Text.With(rows.Italic).Render("both"),
	} {
		if got := Render(src, 40, st); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
	// Without colours only attributes are left.
	bare := rows.NewStyles(themes.Theme{})
	if got := Render("plain `x` **b**", 40, bare); got[0] != "plain x \x1b[1mb\x1b[m" {
		t.Errorf("without colours: %q", got)
	}
}

func TestCodeIsColoured(t *testing.T) {
	st := testStyles()
	got := testRenderer().Render("```go\nfunc f() int { return 1 } // one\n```\n\n```nosuch\nfunc\n```\n", 60, st)
	syntax := st.Theme.Syntax
	for text, colour := range map[string]themes.Color{"func": syntax.Keyword, "f": syntax.Name, "int": syntax.Type, "1": syntax.Number, "// one": syntax.Comment} {
		if want := rows.NewStyle(rows.Fg(colour)).Render(text); !strings.Contains(got[1], want) {
			t.Errorf("%q has not its colour in %q", text, got[1])
		}
	}
	if want := st.Border.Render("│ ") + st.Code.Render("func"); got[4] != want {
		t.Errorf("code in an unknown language: %q", got[4])
	}
	large := "```go\n" + strings.Repeat("func\n", maxCodeLines+1) + "```"
	if got := testRenderer().Render(large, 60, st); got[1] != st.Border.Render("│ ")+st.Code.Render("func") {
		t.Errorf("large code is coloured: %q", got[1])
	}
}

// TestDifference has the lines of a difference in their colours, and the words that
// have changed stand out.
func TestDifference(t *testing.T) {
	st := testStyles()
	got := strings.Join(testRenderer().Render("```diff\n@@ -1 +1 @@\n-a := 1\n+a := 2\n same\n```", 60, st), "\n")
	for what, want := range map[string]string{
		"removed": rows.NewStyle(rows.Fg(st.Theme.Syntax.Deleted), rows.Bg(st.Theme.RemovedBg)).Render("-a := "),
		"word":    rows.NewStyle(rows.Fg(st.Theme.Syntax.Inserted), rows.Bg(st.Theme.AddedBg)).Open() + rows.NewStyle(rows.Bg(st.Theme.AddedWordBg)).Open() + "2",
		"place":   st.Info.Render("@@ -1 +1 @@"),
		"context": st.Text.Render(" same"),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %q", what, got)
		}
	}
}

// TestHyperlinks makes links of addresses, on each row that they are broken into, and
// of nothing else.
func TestHyperlinks(t *testing.T) {
	st := testStyles()
	got := Render("see [the text of a link](https://example.org/a?b=c) now", 12, st)
	links := 0
	for _, row := range got {
		if strings.Contains(row, hyperlink) {
			links++
			if !strings.Contains(row, "https://example.org/a?b=c\a") || !strings.HasSuffix(row, hyperlinkEnd) && !strings.HasSuffix(row, reset) {
				t.Errorf("row %q", row)
			}
		}
		if strings.Count(row, hyperlink) != 2*strings.Count(row, hyperlinkEnd) {
			t.Errorf("a link is left on: %q", row)
		}
	}
	if links < 4 {
		t.Errorf("%d of %d rows lead somewhere: %q", links, len(got), got)
	}
	for src, want := range map[string]bool{
		"http://e.f": true, "www.e.org": true, "<m@n.o>": true, "[a](mailto:m@n.o)": true, "[a](HTTPS://x.org)": true, "[ä](https://x.org/ä)": true,
		"[a](javascript:alert(1))": false, "[a](file:///etc/passwd)": false, "[a](b)": false, "[a](https:b)": false, "[a](http://x/" + strings.Repeat("y", maxTarget) + ")": false,
		"[a](https://x.org/%1b]8;;evil)": true, "[a](https://x.org/&#27;]8;;evil&#7;)": true,
	} {
		got := strings.Join(Render(src, 4000, st), "\n")
		if strings.Contains(got, hyperlink) != want {
			t.Errorf("%.60s: %.200q", src, got)
		}
		if strings.Count(got, "\x1b]") != strings.Count(got, hyperlink) || strings.Count(got, "\a") != strings.Count(got, hyperlink) {
			t.Errorf("%s brings in a sequence: %q", src, got)
		}
	}
}

func TestLanguage(t *testing.T) {
	for info, want := range map[string]string{
		"go": "go", "Go title=x": "go", "{.python .numberLines}": "python", "c++": "c++", "rust,ignore": "rust", "js:main.js": "js",
		"": "", "text": "", "漢": "", strings.Repeat("x", 100): "", "objective-c": "objective-c",
	} {
		if got := language(info); got != want {
			t.Errorf("language(%q) = %q, want %q", info, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want []string
	}{
		{"", 5, []string{""}},
		{"   ", 5, []string{""}},
		{"a  b", 5, []string{"a  b"}},
		{"  in dent", 6, []string{"  in", "dent"}},
		{"aa bb  cc ", 5, []string{"aa bb", "cc"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"a\tb", 10, []string{"a   b"}},
		{"aaaaaaa", 3, []string{"aaa", "aaa", "a"}},
		{"          x", 4, []string{"x"}},
		{"漢漢漢", 5, []string{"漢漢", "漢"}},
		{"漢漢。", 4, []string{"漢", "漢。"}},
		{"ab漢cd漢", 4, []string{"ab漢", "cd漢"}},
		{"👨‍👩‍👧👨‍👩‍👧", 3, []string{"👨‍👩‍👧", "👨‍👩‍👧"}},
		{"1️⃣1️⃣", 3, []string{"1️⃣", "1️⃣"}},
		{"漢", 1, []string{""}},
		{"4 \u0612", 1, []string{"4", " \u0612"}},
		{"a b", 0, []string{"a", "b"}},
	} {
		if got := Wrap(nil, c.in, c.w); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestTailIsStable(t *testing.T) {
	const sample = "some words 漢字漢字。 and averyveryverylongword then more"
	for w := 2; w < 30; w++ {
		whole := Wrap(nil, sample, w)
		var rows []string
		line := ""
		for _, r := range sample {
			line += string(r)
			at := Tail(line, w)
			if at > 0 {
				rows = Wrap(rows, strings.TrimRight(line[:at], " "), w)
				line = line[at:]
			}
		}
		if rows = Wrap(rows, line, w); !slices.Equal(rows, whole) {
			t.Errorf("at width %d: %q, want %q", w, rows, whole)
		}
	}
}

func TestSanitizedText(t *testing.T) {
	var line Text
	line.AddSanitized("a\x1b[31mred\x1b[0mb\n\x1b[1mc", "\x1b[2m")
	got := line.Rows(nil, 10)
	want := []string{"\x1b[2ma\x1b[m\x1b[31mred\x1b[m\x1b[2mb\x1b[m", "\x1b[1mc\x1b[m"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// failing is a parser with a defect.
type failing struct{ parser.Parser }

func (failing) Parse(text.Reader, ...parser.ParseOption) ast.Node { panic("defect") }

func TestParserThatFails(t *testing.T) {
	m := testRenderer()
	m.parser = failing{}
	want := "│ # a\n│\n│ b"
	got := strings.ReplaceAll(stripped(m.Render("# a\n\nb\n", 20, testStyles())), " \n", "\n")
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s := m.Stream()
	s.Append("# a\n")
	s.Rows(20, testStyles())
	s.Append("\nb")
	s.Close()
	if got := strings.ReplaceAll(stripped(s.Rows(20, testStyles())), " \n", "\n"); got != want {
		t.Errorf("stream: got %q, want %q", got, want)
	}
}
