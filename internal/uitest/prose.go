package uitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// words are what generated texts are made of. Now and then there is one of rare,
// which hold wide characters, marks and other scripts.
var (
	words = strings.Fields(`anchor basin cobalt drift ember fjord gravel hollow inlet juniper kestrel ledger
mortar nettle orchard pebble quarry ripple saddle timber umber valley willow yarrow zenith writes reads opens
closes holds drops counts merges splits waits returns before after within without under between because
although therefore again never always rarely slowly`)
	rare = strings.Fields(`Brücke façade naïve smørrebrød ключ 天気 漢字 🌱`)
)

// rareWord is how many words there are to each of the rare ones.
const rareWord = 200

// prose makes up texts. The same numbers give the same texts.
type prose struct{ *rand.Rand }

func (p prose) between(from, to int) int { return from + p.IntN(to-from+1) }

func (p prose) pick(choices ...string) string { return choices[p.IntN(len(choices))] }

func (p prose) word() string {
	if p.IntN(rareWord) == 0 {
		return rare[p.IntN(len(rare))]
	}
	return words[p.IntN(len(words))]
}

// phrase is n words.
func (p prose) phrase(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = p.word()
	}
	return strings.Join(parts, " ")
}

func (p prose) sentence() string {
	return p.pick("The", "A", "This", "One", "Each") + " " + p.phrase(p.between(5, 14)) + "."
}

func (p prose) question() string {
	q := fmt.Sprintf("%s %s?", p.pick("why does", "where is", "how can", "what if"), p.phrase(p.between(4, 12)))
	if p.IntN(5) == 0 {
		q += "\n\n" + p.paragraph()
	}
	return q
}

func (p prose) paragraph() string {
	parts := make([]string, p.between(1, 3))
	for i := range parts {
		parts[i] = p.sentence()
	}
	return strings.Join(parts, " ")
}

func (p prose) reasoning() string {
	parts := make([]string, p.between(1, 2))
	for i := range parts {
		parts[i] = p.paragraph()
	}
	return strings.Join(parts, "\n\n")
}

// document is an answer in Markdown.
func (p prose) document() string {
	blocks := []string{p.paragraph()}
	for range p.between(0, 3) {
		blocks = append(blocks, p.block())
	}
	return strings.Join(blocks, "\n\n")
}

func (p prose) block() string {
	switch p.IntN(7) {
	case 0:
		return "## " + p.phrase(3)
	case 1:
		return p.list("- ")
	case 2:
		return p.list("1. ")
	case 3:
		return "```go\n" + p.code() + "```"
	case 4:
		return p.table()
	case 5:
		return "> " + p.sentence()
	}
	return fmt.Sprintf("%s **%s** and `%s`, *%s*. %s", p.phrase(5), p.phrase(2), p.word(), p.word(), p.sentence())
}

func (p prose) list(bullet string) string {
	items := make([]string, p.between(2, 5))
	for i := range items {
		items[i] = bullet + p.phrase(p.between(3, 10))
	}
	return strings.Join(items, "\n")
}

func (p prose) table() string {
	var b strings.Builder
	b.WriteString("| name | count |\n|---|---:|")
	for range p.between(2, 5) {
		fmt.Fprintf(&b, "\n| %s | %d |", p.word(), p.IntN(9000))
	}
	return b.String()
}

// code is a piece of a program; its lines end with line feeds.
func (p prose) code() string {
	var b strings.Builder
	for i := range p.between(1, 5) {
		fmt.Fprintf(&b, "\tif n := count(%q, %d); n > %d { // %s\n\t\treturn n\n\t}\n", p.word(), i, p.IntN(500), p.phrase(3))
	}
	return b.String()
}

// lines are what a command printed.
func (p prose) lines(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%6d  %s\n", p.IntN(100_000), p.phrase(p.between(2, 9)))
	}
	return b.String()
}

func (p prose) path() string {
	return fmt.Sprintf("%s/%s.go", p.pick("store", "agent", "tools", "ui"), p.pick("anchor", "basin", "drift", "ledger", "quarry"))
}
