// Package shorten cuts texts and joins their lines.
//
// The functions are pure, cut between characters only, and cost no more than what they
// return when a text is huge. A mark "…" stands for what was cut off.
package shorten

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools/unseen"
)

// mark stands for what was cut off.
const mark = "…"

// Runes returns at most the first n characters of a text, without a mark.
func Runes(s string, n int) string {
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Bytes returns at most the first n bytes of a text, in whole characters, without a mark.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// After cuts a text behind n characters and adds a mark.
func After(s string, n int) string {
	if head := Runes(s, n); len(head) < len(s) {
		return head + mark
	}
	return s
}

// To cuts a text to n characters, the mark included.
func To(s string, n int) string {
	if len(Runes(s, n)) < len(s) {
		return Runes(s, n-1) + mark
	}
	return s
}

// Line makes one line of a text, with single spaces, and cuts it to n characters, the mark
// included.
func Line(s string, n int) string {
	// A line of n characters is made of few words: what is far behind cannot matter.
	return To(strings.Join(strings.Fields(Runes(s, 16*n)), " "), n)
}

// Join makes one line of a text of unknown origin: white space and controls become single
// spaces, invalid bytes U+FFFD, and characters that no one sees are removed.
func Join(s string) string {
	s = unseen.Strip(strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// First returns the first line of a text that is not blank, trimmed.
func First(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}
