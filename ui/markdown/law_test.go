package markdown

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fragments are what random documents are made of.
var fragments = []string{
	"- ", "* ", "+ ", "1. ", "2) ", "10. ", "> ", ">", "  ", "    ", "\t", "   ", " ",
	"```", "```go", "~~~", "````", "# ", "###### ", "===", "---", "***", "_", "| a | b |", "|---|:-:|", "|---|", "|", "a|b",
	"[x] ", "[ ] ", "[a]", "[a]: /u", "[a](b)", "![i](j)", "<div>", "</div>", "<!--", "-->", "<br>", "<b>", "<script>", "</script>",
	"[^1]", "[^1]: ", "[^a]", "$x^2$", "$", "$$", "\\[", "\\]", "\\(a_1\\)", "\\begin{align}", "\\end{align}", "```diff", "+a", "-b c", "@@",
	"text", "word and more words", "雛形", "**", "*", "`", "``", "~~", "\\", "&amp;", "&#27;", "http://x.org", "0", "2", ".", "e\u0301", "👨‍👩‍👧",
}

func randomDoc(rnd *rand.Rand) string {
	var b strings.Builder
	for range 1 + rnd.IntN(12) {
		for range rnd.IntN(5) {
			b.WriteString(fragments[rnd.IntN(len(fragments))])
		}
		for range 1 + rnd.IntN(2) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestStreamOfRandomDocuments follows documents no one would write.
func TestStreamOfRandomDocuments(t *testing.T) {
	n := uint64(150)
	if testing.Short() {
		n = 30
	}
	for seed := range n {
		rnd := rand.New(rand.NewPCG(seed, 7))
		doc := randomDoc(rnd)
		follow(t, doc, 1+rnd.IntN(60), randomPieces(doc, rnd, 4))
	}
}

// TestStreamOfRealDocuments follows answers in the forms that models write, byte by
// byte, and the documents of this project in pieces.
func TestStreamOfRealDocuments(t *testing.T) {
	answers, err := filepath.Glob("testdata/corpus/*.md")
	if err != nil || len(answers) < 6 {
		t.Fatal(answers, err)
	}
	var documents []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../skills/*/SKILL.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		documents = append(documents, found...)
	}
	for i, name := range append(answers, documents...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			doc := string(text)
			if i < len(answers) {
				follow(t, doc, widths[i%len(widths)], strings.Split(doc, ""))
				return
			}
			follow(t, doc, widths[i%len(widths)], randomPieces(doc, rand.New(rand.NewPCG(uint64(i), 1)), len(doc)/30))
		})
	}
}
