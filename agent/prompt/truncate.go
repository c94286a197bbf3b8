package prompt

import (
	"fmt"
	"unicode/utf8"
)

// Truncate cuts a text to limit characters: the first 70 % and the last 20 % of
// the limit stay, with a mark between them that says what is missing. It reports
// whether it cut. Characters are code points.
func Truncate(name, text string, limit int) (string, bool) {
	total := utf8.RuneCountInString(text)
	if total <= limit {
		return text, false
	}
	head, tail := limit*7/10, limit*2/10
	mark := fmt.Sprintf("\n\n[… %s is cut here: the first %d and the last %d of %d characters are shown; read the file for the rest …]\n\n",
		name, head, tail, total)
	return text[:offset(text, head)] + mark + text[offset(text, total-tail):], true
}

// offset is the byte position of the n-th code point.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
