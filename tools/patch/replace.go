package patch

import (
	"strings"
	"unicode"
)

// Replacement is a text after a replacement.
type Replacement struct {
	Body string
	// Count is how many places were replaced.
	Count int
	// Strategy is how they were found.
	Strategy string
	// Lines are the numbers of the lines where the places began, from 1.
	Lines []int
	// Decoded says that a written-out \t or \r in the new text became the
	// character.
	Decoded bool
}

// Replace puts a text in the place of another one, which is found by the first of
// seven strategies that finds anything: exactly, or in ways that forgive what models
// get wrong in quoting (see the constants). Several places are a problem unless
// all are to be replaced. A text that was not found exactly gives up its
// indentation for that of the place; new lines end like those they replace. What
// lies outside the places stays as it is, byte for byte. An error is a [*Problem].
func Replace(body, before, after string, all bool) (Replacement, error) {
	switch {
	case before == "":
		return Replacement{}, problem(EmptyOld, "old_string is empty. Quote the text to replace; to create a file or to fill an empty one use write_file.")
	case before == after:
		return Replacement{}, problem(Identical, "old_string and new_string are the same, so there is nothing to change.")
	}
	h, n := newHaystack(body), newNeedle(before)
	name, places := search(h, n)
	if len(places) == 0 {
		return Replacement{}, notFound(NotFound, "old_string was not found in the file, neither exactly nor with other white space, escapes or quotes.", h, n)
	}
	r := Replacement{Strategy: name}
	if len(places) > 1 && !all {
		p := problem(Ambiguous, "old_string was found in %d places, beginning in %s. Quote more of the text around the one you mean, or set replace_all.",
			len(places), listLines(lineNumbers(body, places)))
		p.Matches = len(places)
		return Replacement{}, p
	}
	places = apart(places)
	if guessed(name) && !isBlank(after) {
		for i, p := range places { // whole lines, of which the end may not have been quoted
			places[i].end -= len(tail(body[p.start:p.end], before, after))
		}
	}
	if name != Exact {
		if p := drift(body, places, before, after); p != nil {
			return Replacement{}, p
		}
	}
	r.Lines, r.Count = lineNumbers(body, places), len(places)
	r.Body, r.Decoded = splice(body, places, quoted(before, name), after, name != Exact)
	return r, nil
}

// apart keeps, from the left, the places that do not overlap.
func apart(places []span) []span {
	kept := places[:0:0]
	end := 0
	for _, p := range places {
		if p.start >= end {
			kept, end = append(kept, p), p.end
		}
	}
	return kept
}

// lineNumbers gives the numbers of the lines in which places begin, from 1.
func lineNumbers(body string, places []span) []int {
	numbers := make([]int, len(places))
	at, number := 0, 1
	for i, p := range places {
		number += strings.Count(body[at:p.start], "\n")
		at, numbers[i] = p.start, number
	}
	return numbers
}

// drift tells when quotes are escaped in both texts but not in the file: then the
// new text would bring backslashes that no one wants.
func drift(body string, places []span, before, after string) *Problem {
	for _, escaped := range []string{`\'`, `\"`} {
		if !strings.Contains(before, escaped) || !strings.Contains(after, escaped) {
			continue
		}
		for _, p := range places {
			if !strings.Contains(body[p.start:p.end], escaped) {
				return problem(EscapeDrift, "Both texts have %s where the file has %s alone. Write quotes as they stand in the file, without a backslash before them.",
					escaped, escaped[1:])
			}
		}
	}
	return nil
}

// quoted is the old text as the strategy has read it.
func quoted(before, strategy string) string {
	if strategy == EscapeNormalized {
		return unescape(before)
	}
	return before
}

// splice puts the new text into every place.
func splice(body string, places []span, before, after string, shift bool) (string, bool) {
	var b strings.Builder
	b.Grow(len(body) + len(places)*max(len(after)-len(before), 0))
	at, decoded := 0, false
	for _, p := range places {
		if p.start < p.end && body[p.start] == '\n' && p.start > at && body[p.start-1] == '\r' {
			p.start-- // the place begins with half of a line break
		}
		stretch := body[p.start:p.end]
		text, done := decodeLike(after, stretch)
		decoded = decoded || done
		if shift {
			text = reindent(text, before, stretch)
		}
		b.WriteString(body[at:p.start])
		b.WriteString(endLike(text, body, p))
		at = p.end
	}
	b.WriteString(body[at:])
	return b.String(), decoded
}

// decodeLike turns a written-out \t or \r in a new text into the character when
// the stretch it replaces has the real one and none that is written out. Two guards
// keep strings in source code as they are: a tab that indents says nothing about
// written-out tabs inside a line, and where the new text has real tabs its author
// can write them. A carriage return of a line break says nothing at all.
func decodeLike(text, stretch string) (string, bool) {
	before := text
	if strings.Contains(text, `\t`) && !strings.Contains(stretch, `\t`) && strings.IndexByte(stretch, '\t') >= 0 {
		text = decodeTabs(text, stretch)
	}
	if strings.Contains(text, `\r`) && !strings.Contains(stretch, `\r`) && strings.Contains(strings.ReplaceAll(stretch, "\r\n", "\n"), "\r") {
		text = strings.ReplaceAll(text, `\r`, "\r")
	}
	return text, text != before
}

func decodeTabs(text, stretch string) string {
	indents, separates := tabs(text)
	_, model := tabs(stretch)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		head := 0
		for head < len(l) && (l[head] == ' ' || l[head] == '\t' || strings.HasPrefix(l[head:], `\t`)) {
			if l[head] == '\\' {
				head++
			}
			head++
		}
		indent, rest := l[:head], l[head:]
		if !indents {
			indent = strings.ReplaceAll(indent, `\t`, "\t")
		}
		if model && !separates {
			rest = strings.ReplaceAll(rest, `\t`, "\t")
		}
		lines[i] = indent + rest
	}
	return strings.Join(lines, "\n")
}

// tabs reports whether a text has tabs that indent, and tabs inside of lines.
func tabs(s string) (indent, separate bool) {
	for _, l := range strings.Split(s, "\n") {
		head := indentOf(l)
		indent = indent || strings.IndexByte(head, '\t') >= 0
		separate = separate || strings.IndexByte(l[len(head):], '\t') >= 0
	}
	return indent, separate
}

// reindent gives a new text the indentation of the stretch it replaces: that of
// the first full line of the old text is exchanged for that of the first full
// line of the stretch. What a line is indented further stays as it is; a line that
// is indented less stays less indented.
func reindent(text, before, stretch string) string {
	from, to := indentOf(firstFull(strings.Split(before, "\n"))), indentOf(firstFull(strings.Split(stretch, "\n")))
	if from == to {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = reindentLine(l, from, to)
	}
	return strings.Join(lines, "\n")
}

func reindentLine(l, from, to string) string {
	indent := indentOf(l)
	switch {
	case len(indent) == len(l): // blank
		return l
	case strings.HasPrefix(indent, from):
		return to + l[len(from):]
	case !strings.HasPrefix(from, indent): // other white space: nothing to compare
		return l
	}
	rest := l[len(indent):]
	if shorter, ok := strings.CutSuffix(to, from[len(indent):]); ok {
		return shorter + rest
	}
	// Other white space in the file: the same share of its indentation, if it
	// comes out even.
	if n := len(to) * len(indent); n%len(from) == 0 && strings.Count(to, to[:min(1, len(to))]) == len(to) {
		return to[:n/len(from)] + rest
	}
	return l
}

// endLike gives the lines of a new text the line breaks of the stretch it
// replaces, or where that has none, of the line it stands in.
func endLike(text, body string, p span) string {
	if strings.IndexByte(text, '\n') < 0 || strings.IndexByte(body, '\n') < 0 {
		return text
	}
	if strings.IndexByte(body, '\r') < 0 && strings.IndexByte(text, '\r') < 0 {
		return text
	}
	stretch := body[p.start:p.end]
	breaks := lineBreaks(stretch)
	if len(breaks) == 0 {
		return joinWith(plainLines(text), func(int) string { return breakAt(body, p.end) })
	}
	have, want := plainLines(stretch), plainLines(text)
	front := 0
	for front < min(len(have), len(want)) && have[front] == want[front] {
		front++
	}
	back := 0
	for back < min(len(have), len(want))-front && have[len(have)-1-back] == want[len(want)-1-back] {
		back++
	}
	return joinWith(want, func(i int) string {
		if i >= len(want)-back {
			return breaks[i-len(want)+len(have)]
		}
		return breaks[min(i, len(breaks)-1)]
	})
}

// lineBreaks lists the line breaks of a text.
func lineBreaks(s string) []string {
	var breaks []string
	for i := range len(s) {
		switch {
		case s[i] != '\n':
		case i > 0 && s[i-1] == '\r':
			breaks = append(breaks, "\r\n")
		default:
			breaks = append(breaks, "\n")
		}
	}
	return breaks
}

// breakAt is the break that ends the line at a place; in the last line, the one
// before it.
func breakAt(body string, at int) string {
	i := strings.IndexByte(body[at:], '\n')
	if i >= 0 {
		i += at
	} else {
		i = strings.LastIndexByte(body[:at], '\n')
	}
	if i > 0 && body[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// joinWith joins lines, each but the last ended by its break.
func joinWith(lines []string, end func(i int) string) string {
	var b strings.Builder
	for i, l := range lines {
		b.WriteString(l)
		if i < len(lines)-1 {
			b.WriteString(end(i))
		}
	}
	return b.String()
}

// isBlank reports whether a text is white space only.
func isBlank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }) < 0
}
