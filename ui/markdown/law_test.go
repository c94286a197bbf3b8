package markdown

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// fragments are what random documents are made of.
var fragments = []string{
	"- ", "* ", "+ ", "1. ", "2) ", "10. ", "> ", ">", "  ", "    ", "\t", "   ", " ",
	"```", "```go", "~~~", "````", "# ", "###### ", "===", "---", "***", "_", "| a | b |", "|---|:-:|", "|---|", "|", "a|b",
	"[x] ", "[ ] ", "[a]", "[a]: /u", "[a](b)", "![i](j)", "<div>", "</div>", "<!--", "-->", "<br>", "<b>", "<script>", "</script>",
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
