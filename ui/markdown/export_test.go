package markdown

import (
	"hermes-tui/ui/rows"
)

// Render draws a whole text as rows of at most w cells. Code is coloured
// whether its fence is closed or not.
func Render(src string, w int, st *rows.Styles) []string {
	return New(Options{}).Render(src, w, st)
}
