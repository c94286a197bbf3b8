package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"hermes-tui/tools/shorten"
)

// News is a change around an agent that it is told of unasked.
type News struct {
	// Text says it to the model. What others have named is in it only as [Quote]
	// writes it.
	Text string
	// Short says it to the user, in a few words.
	Short string
}

// Quote writes a name that others have chosen so that it is one line of what can be
// seen, at most n characters of it: what ends a line, moves a cursor, turns the
// direction of text or cannot be seen becomes an escape.
func Quote(name string, n int) string {
	cut := shorten.Runes(name, n)
	quoted := strings.TrimSuffix(strconv.Quote(cut), `"`)
	if strings.ContainsFunc(quoted, unseen) {
		var b strings.Builder
		for _, r := range quoted {
			if unseen(r) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		quoted = b.String()
	}
	if len(cut) < len(name) {
		quoted += "…"
	}
	return quoted + `"`
}

// unseen reports whether a character counts as printable and shows nothing.
func unseen(r rune) bool {
	return r > unicode.MaxLatin1 && (unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800')
}
