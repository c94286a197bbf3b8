package patch

import (
	"slices"
	"strings"
	"unicode"
)

// span is a stretch of a text, in bytes.
type span struct{ start, end int }

// line is a line of a text.
type line struct {
	text string
	// ending is its line break, which the last line may lack.
	ending string
	start  int // where it begins, in bytes
}

// textLines splits a text at its line feeds, so that a final one begins a last,
// empty line. A carriage return before a line feed belongs to the line break.
func textLines(s string) []line {
	lines := make([]line, 0, strings.Count(s, "\n")+1)
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return append(lines, line{text: s[at:], start: at})
		}
		l := line{text: s[at : at+i], ending: s[at+i : at+i+1], start: at}
		if i > 0 && s[at+i-1] == '\r' {
			l.text, l.ending = s[at:at+i-1], s[at+i-1:at+i+1]
		}
		lines = append(lines, l)
		at += i + 1
	}
}

// fileLines splits a file; other than in a text that is searched, a final line
// break begins no further line.
func fileLines(body string) []line {
	lines := textLines(body)
	if lines[len(lines)-1].text == "" {
		return lines[:len(lines)-1]
	}
	return lines
}

// joinLines is the text that lines make.
func joinLines(lines []line) string {
	size := 0
	for _, l := range lines {
		size += len(l.text) + len(l.ending)
	}
	var b strings.Builder
	b.Grow(size)
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteString(l.ending)
	}
	return b.String()
}

// plainLines are the lines of a text without line breaks.
func plainLines(s string) []string {
	lines := strings.Split(s, "\n")
	for i, l := range lines[:len(lines)-1] {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// windows finds where lines stand one after the other, each compared by a key of
// it. Places may overlap. It looks at each line a bounded number of times.
func windows(lines []line, want []string, key func(string) string) []int {
	keys := make([]string, len(want))
	for i, w := range want {
		keys[i] = key(w)
	}
	fall := borders(keys)
	var found []int
	matched := 0
	for i, l := range lines {
		k := key(l.text)
		for matched > 0 && keys[matched] != k {
			matched = fall[matched-1]
		}
		if keys[matched] == k {
			matched++
		}
		if matched == len(keys) {
			found = append(found, i-matched+1)
			matched = fall[matched-1]
		}
	}
	return found
}

// borders gives, for each beginning of a list, the length of the longest shorter
// beginning that it ends with.
func borders(keys []string) []int {
	fall := make([]int, len(keys))
	k := 0
	for i := 1; i < len(keys); i++ {
		for k > 0 && keys[i] != keys[k] {
			k = fall[k-1]
		}
		if keys[i] == keys[k] {
			k++
		}
		fall[i] = k
	}
	return fall
}

// wholeLines turns places of n lines each into stretches of the text, without the
// last line break.
func wholeLines(lines []line, places []int, n int) []span {
	spans := make([]span, len(places))
	for i, p := range places {
		last := lines[p+n-1]
		spans[i] = span{lines[p].start, last.start + len(last.text)}
	}
	return spans
}

func same(s string) string { return s }

func trimLeft(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

// collapse writes every run of spaces and tabs as one space.
func collapse(s string) string {
	if !strings.Contains(s, "  ") && strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	inRun := false
	for i := range len(s) {
		blank := s[i] == ' ' || s[i] == '\t'
		switch {
		case !blank:
			b.WriteByte(s[i])
		case !inRun:
			b.WriteByte(' ')
		}
		inRun = blank
	}
	return b.String()
}

// typographic pairs characters that typesetting puts in with those that are typed.
func typographic() []string {
	return []string{
		"\u2018", "'", "\u2019", "'", "\u201A", "'", "\u201B", "'",
		"\u201C", `"`, "\u201D", `"`, "\u201E", `"`, "\u201F", `"`,
		"\u2013", "-", "\u2014", "--", "\u2026", "...", "\u00A0", " ",
	}
}

// typed writes typographic characters as they are typed.
func typed(s string) string {
	if !strings.ContainsAny(s, "\u2018\u2019\u201A\u201B\u201C\u201D\u201E\u201F\u2013\u2014\u2026\u00A0") {
		return s
	}
	return strings.NewReplacer(typographic()...).Replace(s)
}

// indentOf is the white space a line begins with.
func indentOf(s string) string { return s[:len(s)-len(trimLeft(s))] }

// firstFull is the first line with anything but white space; empty without one.
func firstFull(lines []string) string {
	i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	if i < 0 {
		return ""
	}
	return lines[i]
}
