package markdown

import (
	"strings"
	"testing"
	"time"
)

// bombs are inputs that make a careless program slow or deep.
func bombs() map[string]string {
	rep := strings.Repeat
	var ticks, nest strings.Builder
	for i := range 440 {
		ticks.WriteString(rep("`", i+1) + "a")
		nest.WriteString(rep(" ", 2*i) + "- a\n")
	}
	head := func(n int) string { return rep("|a", n) + "|\n" + rep("|-", n) + "|\n" }
	return map[string]string{
		"quotes on a line":    rep(">", 100_000),
		"quotes on lines":     rep(rep("> ", 200)+"a\n", 200),
		"quotes with tabs":    rep(">\t", 20_000) + "a",
		"bullets on a line":   rep("- ", 30_000) + "a",
		"numbers on a line":   rep("1. ", 30_000) + "a",
		"lists set in":        nest.String(),
		"stars":               rep("*a **a ", 15_000),
		"stars and letters":   rep("*_", 30_000) + "a" + rep("_*", 30_000),
		"tildes":              rep("~a ", 30_000),
		"brackets":            rep("[", 100_000),
		"brackets closed":     rep("[", 50_000) + rep("]", 50_000),
		"links":               rep("[a](", 30_000),
		"links whole":         rep("[a](b) ", 20_000),
		"images":              rep("![", 30_000) + rep("]()", 30_000),
		"parentheses":         "[a](" + rep("(", 100_000),
		"ticks":               ticks.String(),
		"tags":                rep("<a ", 30_000),
		"tags with quotes":    rep("<a b=\"", 20_000),
		"comments":            rep("<!-- ", 20_000),
		"instructions":        rep("<?", 50_000),
		"entities":            rep("&amp", 30_000) + rep("&#x27;", 10_000),
		"backslashes":         rep("\\", 100_000),
		"definitions":         rep("[a]: b\n", 10_000),
		"table of 10k rows":   "| a | b | c |\n|---|---|---|\n" + rep("| `x` y | **b** | [l](u) |\n", 10_000),
		"table of 3k rows":    "| a | b | c |\n|---|---|---|\n" + rep("| `x` y | **b** | [l](u) |\n", 3_300),
		"table of 5k columns": head(5000) + rep(rep("|a", 5000)+"|\n", 10),
		"table without cells": head(64) + rep("|a|\n", 20_000),
		"setext":              rep("a\n", 20_000) + "===",
		"tabs":                rep("\t", 50_000) + "a",
		"one line":            rep("x", 1_000_000),
		"one line of code":    "```\n" + rep("x ", 500_000),
		"marks on a letter":   "e" + rep("\u0301", 50_000) + " end",
		"joined emoji":        rep("👨‍", 10_000),
		"braces":              rep("{", 50_000) + rep("}", 50_000),
		"code in a language":  "```js\n" + rep("{[(", 20_000) + "\n```",
		"language of 10 KB":   "```" + rep("a", 10_000) + "\nx\n```",
		"formulas":            rep("$a ", 20_000) + rep("$a_1$ ", 10_000) + rep("$$a", 10_000) + rep("\\(a", 10_000) + rep("\\(a_1\\) ", 5_000),
		"formulas on lines":   rep("$$\n", 20_000) + rep("\\[\na\n\n", 10_000) + rep("\\begin{align}\n", 5_000),
		"footnotes":           rep("[^a", 30_000) + rep("[^a] ", 10_000) + "\n" + rep("[^a]: b\n", 10_000),
		"difference":          "```diff\n" + rep("-"+rep("a b ", 90)+"\n", 150) + rep("+"+rep("b a ", 90)+"\n", 150) + "```",
		"links to addresses":  rep("http://a.b/c ", 10_000) + rep("a@b.c ", 10_000),
	}
}

// TestHostileInput draws each bomb. The bound is far above what they take and
// far below what they would take without limits.
func TestHostileInput(t *testing.T) {
	st := testStyles()
	for name, doc := range bombs() {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			began := time.Now()
			got := Render(doc, 80, st)
			took := time.Since(began)
			t.Logf("%d KB in %v", len(doc)>>10, took)
			if took > 3*time.Second {
				t.Errorf("takes %v", took)
			}
			checkRows(t, got, 80)
			s := New(Options{}).Stream()
			s.Append(doc[:len(doc)/2])
			s.Rows(80, st)
			s.Append(doc[len(doc)/2:])
			s.Close()
			if g := s.Rows(80, st); stripped(g) != stripped(got) {
				t.Error("the stream differs")
			}
		})
	}
}

func TestEveryWidth(t *testing.T) {
	for name, doc := range tricky {
		for w := range 24 {
			got := testRenderer().Render(doc, w, testStyles())
			checkRows(t, got, w)
			if w == 0 && len(got) > 0 {
				t.Errorf("%s has rows without width", name)
			}
		}
	}
}

// TestNothingEscapes looks for what could act on a terminal.
func TestNothingEscapes(t *testing.T) {
	doc := "\x1b]0;title\x07 &#27;[2J &#x9b;2J &#7; &#x202e;evil &#8203; `\x1b[31m` \u009b1A\n\n" +
		"[a](\x1b[2J) ![b](&#27;c) <b \x1b[5n>\n\n```\x1b]52;c;eA==\x07\n\x1b[?1049l\rx\n```\n\n| \x1b[1m |\n|---|\n| &#27; |\n"
	for _, row := range Render(doc, 60, testStyles()) {
		rest := row
		for {
			i := strings.Index(rest, "\x1b")
			if i < 0 {
				break
			}
			end := strings.IndexByte(rest[i:], 'm')
			if end < 0 || strings.Trim(rest[i+2:i+end], "0123456789;") != "" || rest[i+1] != '[' {
				t.Fatalf("escape in %q", row)
			}
			rest = rest[i+end+1:]
		}
		for _, r := range row {
			if r < 0x20 && r != 0x1b || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b {
				t.Errorf("%U in %q", r, row)
			}
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, d := range tricky {
		f.Add(d, uint8(40))
	}
	f.Add("\x1b[31m&#27;[2J\xff\xfe\r", uint8(3))
	f.Add("_ \u0323", uint8(1))
	f.Fuzz(func(t *testing.T, doc string, width uint8) {
		w := int(width) % 130
		got := testRenderer().Render(doc, w, testStyles())
		checkRows(t, got, w)
		if w > 0 && len(strings.TrimSpace(doc)) > 0 && len(got) > 50+len(doc) {
			t.Fatalf("%d rows of %d bytes", len(got), len(doc))
		}
	})
}
