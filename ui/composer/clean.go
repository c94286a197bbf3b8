package composer

import (
	"strings"

	"hermes-tui/ui/term"
)

// tab is what a tab becomes in the buffer.
const tab = "    "

// clean makes text from outside fit for the buffer: what is left is printable
// text and line feeds. Line ends of all kinds become line feeds.
func clean(s string) string { return untab(cleanPaste(s)) }

// untab turns tabs into blanks.
func untab(s string) string { return strings.ReplaceAll(s, "\t", tab) }

// cleanPaste makes text from outside fit for a chip. It does what clean does,
// but keeps tabs: a chip is sent as it was pasted, and never drawn.
func cleanPaste(s string) string {
	s = term.Plain(s)
	if strings.ContainsAny(s, "\u2028\u2029") {
		s = strings.NewReplacer("\u2028", "\n", "\u2029", "\n").Replace(s)
	}
	return s
}
