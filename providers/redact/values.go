package redact

import (
	"strings"
	"unicode/utf8"
)

// quote is how a value is quoted: a quote sign behind any number of backslashes,
// as in JSON inside JSON.
type quote struct {
	sign    byte
	escapes int
}

// openQuote reads the quote that begins a value at i and returns where the value
// starts. Letters that mark a kind of string, as in f"…", may stand before it.
func openQuote(s string, i int) (q quote, start int, ok bool) {
	for n := 0; n < 2 && i < len(s) && strings.IndexByte("fFbBrRuU", s[i]) >= 0; n++ {
		i++
	}
	for i < len(s) && s[i] == '\\' && q.escapes < 7 {
		q.escapes++
		i++
	}
	if i >= len(s) || s[i] != '"' && s[i] != '\'' && (s[i] != '`' || q.escapes > 0) {
		return q, i, false
	}
	q.sign = s[i]
	return q, i + 1, true
}

// closeQuote returns where the value that starts at i ends: at the same quote
// with the same escapes, or at the end of the line when it is never closed.
func (q quote) closeQuote(s string, i int) int {
	run := 0
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '\n':
			return i
		case '\\':
			run++
		case q.sign:
			if run <= q.escapes {
				return i - run
			}
			run = 0
		default:
			run = 0
		}
	}
	return i
}

// plainEnd returns where an unquoted value that starts at i ends: at a blank, a
// quote, a bracket or a sign that separates members.
func plainEnd(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r', '\v', '\f', 0x1b, '"', '\'', '`', '&', ';', '<', '>', '(', ')', '[', ']', '}':
			return i
		case ',':
			if separates(s, i+1) {
				return i
			}
		case '\\':
			if i+1 < len(s) && strings.IndexByte(`nrt"'`, s[i+1]) >= 0 {
				return i
			}
		case 0xe2, 0xe3, 0xef:
			if r, _ := utf8.DecodeRuneInString(s[i:]); strings.ContainsRune("、。〉》」』】，；：！？）”’", r) {
				return i
			}
		}
		i++
	}
	return i
}

// separates reports whether the comma before i ends a value: nothing, a blank, a
// quote or another assignment follows.
func separates(s string, i int) bool {
	if i >= len(s) || strings.IndexByte(" \t\r\n\"'", s[i]) >= 0 {
		return true
	}
	end := i
	for end < len(s) && isName(s[end]) && end-i <= longestName {
		end++
	}
	return end > i && end < len(s) && s[end] == '='
}

// harmless tells values that are no secrets: nothing, references to where the
// secret is, and placeholders.
func harmless(v string) bool {
	if v == "" || strings.HasPrefix(v, keyMark) || reference(v) {
		return true
	}
	if strings.Trim(v, "*.xX•… ") == "" {
		return true
	}
	switch len(v) {
	case 3:
		return strings.EqualFold(v, "nil")
	case 4:
		return strings.EqualFold(v, "none") || strings.EqualFold(v, "null") || strings.EqualFold(v, "true")
	case 5:
		return strings.EqualFold(v, "false")
	case 9:
		return strings.EqualFold(v, "undefined")
	}
	return false
}

// reference tells values that name a variable or a member and hold no secret
// themselves: $NAME, ${…}, $(…), {{…}}, {name}, %NAME%, <…> and self.token.
func reference(v string) bool {
	last := v[len(v)-1]
	switch v[0] {
	case '$':
		if len(v) < 2 {
			return false
		}
		return v[1] == '(' || v[1] == '{' || upperName(v) && !isDigit(v[1]) && runEnd(v, 1, isWord) == len(v)
	case '{':
		name := strings.Trim(v, "{} ")
		return last == '}' && runEnd(name, 0, isWordOrDot) == len(name)
	case '<':
		return last == '>'
	case '%':
		return len(v) > 2 && last == '%' && upperName(v) && runEnd(v, 1, isWord) == len(v)-1
	}
	dot := strings.LastIndexByte(v, '.')
	if dot <= 0 || isDigit(v[0]) {
		return false
	}
	return runEnd(v, 0, isWordOrDot) == len(v) && secretName(v[dot+1:])
}

func isWordOrDot(c byte) bool { return isWord(c) || c == '.' }

// isWord tells the bytes of identifiers.
func isWord(c byte) bool { return isAlnum(c) || c == '_' }

// strong tells values that look random rather than written.
func strong(v string) bool {
	letters, digits := false, false
	for i := range len(v) {
		letters = letters || isLetter(v[i])
		digits = digits || isDigit(v[i])
	}
	return letters && digits && len(v) >= 16
}

// isRandom tells values that no one has written by hand: at least 20 characters of
// base64 with small letters, capitals, and digits in two places. Identifiers, paths
// and digests are not among them.
func isRandom(v string) bool {
	if len(v) < 20 || v[0] == '/' || runEnd(v, 0, func(c byte) bool { return isBase64(c) || c == '-' || c == '_' }) != len(v) {
		return false
	}
	small, capital, digits := false, false, 0
	for i := range len(v) {
		small = small || 'a' <= v[i] && v[i] <= 'z'
		capital = capital || isUpper(v[i])
		if isDigit(v[i]) && (i == 0 || !isDigit(v[i-1])) {
			digits++
		}
	}
	return small && capital && digits > 1
}

// typeWord tells words that stand behind a name to say its type or use.
func typeWord(v string) bool {
	switch strings.ToLower(v) {
	case "string", "str", "text", "bytes", "bool", "boolean", "int", "number", "any", "object", "required",
		"optional", "yes", "no", "on", "off", "hidden", "redacted", "~", "|", ">", "|-", ">-":
		return true
	}
	return false
}
