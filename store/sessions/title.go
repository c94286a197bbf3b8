package sessions

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTitle is how many code points a title may have.
const maxTitle = 100

// TitleTooLongError says that a title has more than 100 code points.
type TitleTooLongError struct {
	Length int // in code points, after cleaning
}

// Error is one sentence with the next step.
func (e *TitleTooLongError) Error() string {
	return fmt.Sprintf("the title has %d characters: use at most %d", e.Length, maxTitle)
}

// CleanTitle makes a title that is safe to show on one line: control,
// zero-width and bidirectional characters are removed, runs of white space
// become one space, the ends are trimmed. The result is empty when nothing is
// left. More than 100 code points are a [*TitleTooLongError].
func CleanTitle(title string) (string, error) {
	title = tidy(title)
	if n := utf8.RuneCountInString(title); n > maxTitle {
		return "", &TitleTooLongError{Length: n}
	}
	return title, nil
}

// tidy is CleanTitle without the limit.
func tidy(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case invisible(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible reports whether a character takes no place of its own or changes the
// direction of others: controls, format characters but for the visible ones
// that stand before a number, and the joiner of combining marks.
func invisible(r rune) bool {
	const graphemeJoiner = '\u034f'
	return unicode.IsControl(r) || r == graphemeJoiner ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// cut shortens text to so many code points, without a space at the end.
func cut(s string, points int) string {
	n := 0
	for i := range s {
		if n == points {
			return strings.TrimRight(s[:i], " ")
		}
		n++
	}
	return s
}
