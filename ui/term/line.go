package term

import "strings"

// Line makes text from outside fit for a place of one line: a title, a label, a
// path. It is [Plain] with line breaks shown as ␤ and tabs as a blank; line
// breaks at the end are left out.
func Line(s string) string {
	s = strings.TrimRight(Plain(s), "\n")
	if !strings.ContainsAny(s, "\n\t\u2028\u2029") {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\u2028', '\u2029':
			return '␤'
		case '\t':
			return ' '
		}
		return r
	}, s)
}
