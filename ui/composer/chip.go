package composer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// chip is a collapsed paste, or an image. It never changes.
type chip struct {
	number int    // what the user sees, from 1; 0 for an image
	text   string // as cleanPaste leaves it, with its tabs
	label  string
	image  *event.Attachment
}

func newChip(number int, text string) *chip {
	size := format.Exact(utf8.RuneCountInString(text), "character", "characters")
	if n := countLines(text); n > 1 {
		size = format.Exact(n, "line", "lines")
	}
	return &chip{number: number, text: text, label: strings.TrimSuffix(PasteMark(number), "]") + " · " + size + "]"}
}

// PasteMark stands for a collapsed paste in what was typed around it.
func PasteMark(number int) string { return "[paste #" + strconv.Itoa(number) + "]" }

// countLines counts lines; a line break at the end begins no further one.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// refs calls f with the id and the place of every reference in a text.
func (b *buffer) refs(text string, f func(id, start, end int)) {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], refOpen)
		if i < 0 {
			return
		}
		start := at + i
		at = next(text, start)
		if id, err := strconv.Atoi(text[start+1 : at-1]); err == nil && b.chips[id] != nil {
			f(id, start, at)
		}
	}
}

// chipOf is the chip that a cluster refers to, nil for text.
func (b *buffer) chipOf(cluster string) *chip {
	if len(cluster) < 3 || cluster[0] != refOpen {
		return nil
	}
	id, err := strconv.Atoi(cluster[1 : len(cluster)-1])
	if err != nil {
		return nil
	}
	return b.chips[id]
}

// addChip keeps a chip and returns the reference to it.
func (b *buffer) addChip(c *chip) string {
	b.lastID++
	b.chips[b.lastID] = c
	return string(refOpen) + strconv.Itoa(b.lastID) + string(refClose)
}

// nextNumber is one more than the highest number of a chip in the given texts.
func (b *buffer) nextNumber(texts ...string) int {
	highest := 0
	for _, text := range texts {
		b.refs(text, func(id, _, _ int) { highest = max(highest, b.chips[id].number) })
	}
	return highest + 1
}

// expand replaces the references of a text by what form makes of their chips.
func (b *buffer) expand(dst *strings.Builder, text string, form func(*strings.Builder, *chip)) {
	at := 0
	b.refs(text, func(id, start, end int) {
		dst.WriteString(text[at:start])
		form(dst, b.chips[id])
		at = end
	})
	dst.WriteString(text[at:])
}
