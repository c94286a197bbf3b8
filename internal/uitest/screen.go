package uitest

import (
	"image"
	"image/color"
	"strings"
)

// Screen is what a terminal showed at one moment. It is a value: it does not
// change while the program goes on. Columns and rows are counted from 0.
type Screen struct {
	Cols, Rows int
	Cursor     Cursor
	// Title is the window title without what the program adds for the driver. A
	// program finds the title "a shell".
	Title string
	// Alt reports whether the alternate screen is shown.
	Alt bool
	// Mouse, Focus and Paste tell what the program asked to be sent: mouse
	// events, changes of focus, pastes in brackets.
	Mouse, Focus, Paste bool

	cells [][]Cell
	lines []string
}

// Cursor is where the terminal's cursor stands.
type Cursor struct {
	X, Y    int
	Visible bool
}

// Cell is one place on a screen. The second half of a wide character has width
// 0 and no text.
type Cell struct {
	Text  string
	Width int
	Style Style
	// Link is the address of the hyperlink, empty without one.
	Link string
}

// Style is how a cell is drawn. Nil colours are the terminal's own.
type Style struct {
	Fg, Bg                                                 color.Color
	Bold, Faint, Italic, Underline, Blink, Reverse, Strike bool
}

// newScreen completes a screen whose cells are filled in.
func newScreen(s Screen) Screen {
	s.Rows = len(s.cells)
	if s.Rows > 0 {
		s.Cols = len(s.cells[0])
	}
	s.lines = make([]string, s.Rows)
	var b strings.Builder
	for y, row := range s.cells {
		b.Reset()
		for _, c := range row {
			b.WriteString(c.Text)
		}
		s.lines[y] = strings.TrimRight(b.String(), " ")
	}
	return s
}

// Lines are the rows of the screen without blanks at their ends.
func (s Screen) Lines() []string { return append([]string(nil), s.lines...) }

// Line is one row without blanks at its end; negative rows count from the
// bottom, -1 is the last. It is empty for a row outside the screen.
func (s Screen) Line(y int) string {
	if y < 0 {
		y += s.Rows
	}
	if y < 0 || y >= s.Rows {
		return ""
	}
	return s.lines[y]
}

// Text is all rows, each ended by a line feed, without blanks at the ends of
// rows and without empty rows at the end.
func (s Screen) Text() string {
	text := strings.TrimRight(strings.Join(s.lines, "\n"), "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

// Cell is what stands at a place; the zero Cell outside the screen.
func (s Screen) Cell(x, y int) Cell {
	if y < 0 || y >= len(s.cells) || x < 0 || x >= len(s.cells[y]) {
		return Cell{}
	}
	return s.cells[y][x]
}

// Find is the first place, from the top left, where text begins within a row.
func (s Screen) Find(text string) (x, y int, found bool) {
	for y := range s.cells {
		if !strings.Contains(s.lines[y], strings.TrimRight(text, " ")) {
			continue
		}
		if x := s.findIn(y, text); x >= 0 {
			return x, y, true
		}
	}
	return 0, 0, false
}

// findIn is the column where text begins in a row, -1 if it is not there.
func (s Screen) findIn(y int, text string) int {
	row := s.cells[y]
	for x := range row {
		if row[x].Width == 0 {
			continue
		}
		rest, ok := text, true
		for at := x; ok && rest != "" && at < len(row); at++ {
			rest, ok = cutEither(rest, row[at].Text)
		}
		if ok && rest == "" {
			return x
		}
	}
	return -1
}

// cutEither takes the text of a cell off the front of what is looked for; at the
// end that may be a part of the cell.
func cutEither(rest, cell string) (string, bool) {
	if after, ok := strings.CutPrefix(rest, cell); ok {
		return after, true
	}
	return "", strings.HasPrefix(cell, rest)
}

// In is the part of the screen in a rectangle, as a screen of its own; what lies
// outside the screen is left out. The cursor keeps its distance to the text and
// may lie outside.
func (s Screen) In(r image.Rectangle) Screen {
	r = r.Intersect(image.Rect(0, 0, s.Cols, s.Rows))
	part := s
	part.Cols, part.cells = r.Dx(), nil
	part.Cursor.X, part.Cursor.Y = s.Cursor.X-r.Min.X, s.Cursor.Y-r.Min.Y
	for y := r.Min.Y; y < r.Max.Y; y++ {
		part.cells = append(part.cells, s.cells[y][r.Min.X:r.Max.X])
	}
	return newScreen(part)
}

// String is the screen in a box, for people.
func (s Screen) String() string { return s.box() }
