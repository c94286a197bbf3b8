package patch

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools/spelling"
)

// sameNames reports whether a place that is only like the text searched for can be meant
// by it: spaces, punctuation and quotes may differ, names and numbers may not. One name
// may lack a letter, or have one too many, where it defines nothing and is no name of the
// file. Between anchors one number may differ.
func sameNames(h *haystack, want []string, place []line, anchored bool) bool {
	wanted, have := strings.Join(want, "\n"), joined(place)
	if !h.work.spend(len(wanted) + len(have)) {
		return false
	}
	a, b := words(wanted), words(have)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if strings.Join(a, "") == strings.Join(b, "") {
		return true
	}
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (a[i] != a[0] || b[i] != b[0]) {
			return false
		}
	}
	if anchored && len(a) == 1 && isNumber(a[0]) && isNumber(b[0]) {
		return true
	}
	return misspelt(a[0], b[0]) && !slices.ContainsFunc(want, func(l string) bool { return defines(l, a[0]) }) && !h.names(a[0])
}

// words are the names, words and numbers of a text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// misspelt reports whether a word is another one with a letter too few or too many. An s at
// the end makes another name.
func misspelt(a, b string) bool {
	short, long := a, b
	if len(a) > len(b) {
		short, long = b, a
	}
	if len(short) < 4 || len(long) != len(short)+1 || spelling.Distance(short, long, 2) != 1 {
		return false
	}
	at := 0
	for at < len(short) && short[at] == long[at] {
		at++
	}
	return long[at] >= 'a' && long[at] <= 'z' && (at < len(short) || long[at] != 's')
}

// defines reports whether a line defines something by a name.
func defines(text, name string) bool {
	list := words(text)
	return slices.Contains(list, name) && slices.ContainsFunc(list, func(w string) bool {
		switch w {
		case "class", "def", "enum", "fn", "fun", "func", "function", "impl", "interface", "macro", "method", "module", "namespace", "package", "proc", "struct", "sub",
			"trait", "type", "union":
			return true
		}
		return false
	})
}

// names reports whether a word is one of the text.
func (h *haystack) names(word string) bool {
	return slices.ContainsFunc(h.lines(), func(l line) bool { return strings.Contains(l.text, word) && slices.Contains(words(l.text), word) })
}

// guessed reports whether a strategy finds places by likeness alone.
func guessed(strategy string) bool { return strategy == BlockAnchor || strategy == ContextAware }

// tail returns what stands in a line behind all that the quoted one says, such as a
// semicolon that a formatter has put there, where text can take the place of the rest.
// It is empty for nothing.
func tail(have, quoted, text string) string {
	list := words(quoted)
	if len(list) == 0 {
		return ""
	}
	word := list[len(list)-1]
	i := strings.LastIndex(have, word)
	if i < 0 {
		return ""
	}
	rest := strings.TrimRightFunc(have[i+len(word):], unicode.IsSpace)
	for _, r := range quoted[strings.LastIndex(quoted, word)+len(word):] {
		if unicode.IsSpace(r) {
			continue
		}
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		o, size := utf8.DecodeRuneInString(rest)
		if o != r && !(isQuote(o) && isQuote(r)) {
			return ""
		}
		rest = rest[size:]
	}
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if endsAlike(quoted, text) && !strings.HasSuffix(text, strings.TrimSpace(rest)) {
		return rest
	}
	return ""
}

// endsAlike reports whether two texts end with the same mark, or both with a value.
func endsAlike(a, b string) bool {
	x, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(a, unicode.IsSpace))
	y, _ := utf8.DecodeLastRuneInString(b)
	value := func(r rune) bool {
		return r == ')' || r == ']' || r == '_' || isQuote(r) || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return x == y || value(x) && value(y)
}

func isQuote(r rune) bool { return strings.ContainsRune("\"'`", r) }
