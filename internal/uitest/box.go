package uitest

import (
	"fmt"
	"strings"
)

// box draws a screen with its row numbers and everything beside the text that a
// user may want to know.
func (s Screen) box() string {
	var b strings.Builder
	fmt.Fprintf(&b, "     ┌%s┐\n", strings.Repeat("─", s.Cols))
	for y, row := range s.cells {
		mark := " "
		if y == s.Cursor.Y {
			mark = "▸"
		}
		fmt.Fprintf(&b, "%s%3d │", mark, y)
		for _, c := range row {
			b.WriteString(c.Text)
		}
		b.WriteString("│\n")
	}
	fmt.Fprintf(&b, "     └%s┘\n", strings.Repeat("─", s.Cols))
	fmt.Fprintf(&b, "     %d×%d · cursor at %d,%d", s.Cols, s.Rows, s.Cursor.X, s.Cursor.Y)
	for _, is := range []struct {
		holds bool
		text  string
	}{
		{!s.Cursor.Visible, "hidden"}, {s.Alt, "alternate screen"}, {s.Mouse, "mouse"}, {s.Focus, "focus reports"}, {s.Paste, "bracketed paste"},
	} {
		if is.holds {
			b.WriteString(" · " + is.text)
		}
	}
	fmt.Fprintf(&b, " · title %q\n", s.Title)
	return b.String()
}
