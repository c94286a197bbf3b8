package script

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longWord is how many characters a piece has before it is cut inside a word.
const longWord = 12

// split cuts text into pieces: of n characters, or, when n is 0, into words
// with the space before them, runs of newlines, and parts of long words. Joined
// they are the text.
func split(text string, n int) []string {
	if n > 0 {
		return splitEvery(text, n)
	}
	out := make([]string, 0, len(text)/5+1)
	start, chars := 0, 0
	var last rune
	for i, r := range text {
		newWord := unicode.IsSpace(r) && !unicode.IsSpace(last)
		newLine := (r == '\n') != (last == '\n')
		if i > start && (newWord || newLine || chars >= longWord) {
			out = append(out, text[start:i])
			start, chars = i, 0
		}
		chars++
		last = r
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

func splitEvery(text string, n int) []string {
	var out []string
	for text != "" {
		end, count := 0, 0
		for end < len(text) && count < n {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
			count++
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}

// resplit cuts pieces again into such of n characters.
func resplit(pieces []string, n int) []string { return splitEvery(strings.Join(pieces, ""), n) }

// vocabulary feeds generated text; any plain words would do.
const vocabulary = `river stone window garden paper lantern bridge winter signal market harbour copper meadow
letter engine silver corner travel shadow morning carries under between follows along quiet narrow bright
older seven after before because where nothing another small wide slowly often answer colour island thread`

// dice is a small deterministic source of choices.
type dice uint32

func (d *dice) roll(n int) int {
	*d = *d*1664525 + 1013904223
	return int(uint32(*d)>>9) % n
}

// writer composes generated documents.
type writer struct {
	dice  dice
	words []string
	out   strings.Builder
}

// generate returns exactly s.N pieces of a deterministic document. Where the
// last of them would leave a code block open, it is replaced so that none is.
func generate(s Tokens) []string {
	w := &writer{dice: dice(s.Seed*2654435761 + 97), words: strings.Fields(vocabulary)}
	pieces := make([]string, 0, s.N)
	open := false
	for section := 0; len(pieces) < s.N; section++ {
		w.out.Reset()
		if s.Kind == Prose {
			w.paragraph()
		} else {
			w.section(section)
		}
		for _, p := range split(w.out.String(), 0) {
			if len(pieces) == s.N {
				break
			}
			if strings.Contains(p, "```") {
				open = !open
			}
			pieces = append(pieces, p)
		}
	}
	if open {
		last := len(pieces) - 1
		if strings.Contains(pieces[last], "```") {
			pieces[last] = "\n"
		} else {
			pieces[last] = "\n```"
		}
	}
	return pieces
}

// phrase writes n words.
func (w *writer) phrase(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.words[w.dice.roll(len(w.words))])
	}
	return b.String()
}

func (w *writer) paragraph() {
	for range 3 {
		fmt.Fprintf(&w.out, "%s, %s. ", w.phrase(9), w.phrase(6))
	}
	w.out.WriteString("\n\n")
}

// section writes one of five kinds of blocks, in turn.
func (w *writer) section(i int) {
	switch i % 5 {
	case 0:
		fmt.Fprintf(&w.out, "## Part %d: %s\n\n", i+1, w.phrase(3))
		for range 2 {
			fmt.Fprintf(&w.out, "%s **%s** %s `%s` %s.\n\n", w.phrase(14), w.phrase(2), w.phrase(11), w.phrase(1), w.phrase(8))
		}
	case 1:
		for n := range 5 {
			fmt.Fprintf(&w.out, "%d. %s\n   - %s *%s*\n", n+1, w.phrase(9), w.phrase(6), w.phrase(1))
		}
		w.out.WriteByte('\n')
	case 2:
		w.out.WriteString("```go\n")
		for n := range 8 {
			fmt.Fprintf(&w.out, "if total := sum(%q, %d); total > %d {\n\treturn total // %s\n}\n",
				w.phrase(1), n, w.dice.roll(500), w.phrase(3))
		}
		w.out.WriteString("```\n\n")
	case 3:
		w.out.WriteString("| name | count | note |\n|---|---:|---|\n")
		for range 6 {
			fmt.Fprintf(&w.out, "| %s | %d | %s |\n", w.phrase(1), w.dice.roll(9000), w.phrase(3))
		}
		w.out.WriteByte('\n')
	default:
		fmt.Fprintf(&w.out, "> %s\n\n", w.phrase(13))
		w.paragraph()
	}
}
