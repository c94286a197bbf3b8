// Package overlay draws the windows that float over the screen: a [Picker] to
// choose from a list, a [Pager] to read a long text, and [Help].
//
// Guarantees:
//
//   - A [Box] yields exactly the rows and cells it is asked for; [Draw] changes
//     nothing outside of it but narrow margins, which it clears, and keeps every
//     row of the frame as wide as it was.
//   - Text from outside is made safe before it is shown. A [Pager] keeps the
//     colours of its text and nothing else of it.
//   - The cost of a frame depends on the rows in sight, not on how much there is
//     behind them. What is not so cheap, such as searching a long list, is handed
//     out to be run elsewhere, and answers that come too late are dropped.
//   - There is no clock and no input or output here.
//
// A box belongs to one goroutine.
package overlay

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Move is a step through what a box shows.
type Move int

// The moves. A page is what is in sight but one row.
const (
	Up Move = iota
	Down
	PageUp
	PageDown
	Top
	Bottom
)

var moves = map[keys.Action]Move{
	keys.Up: Up, keys.Down: Down, keys.PageUp: PageUp, keys.PageDown: PageDown, keys.Top: Top, keys.Bottom: Bottom,
}

// From is where the move leads from entry at of n, with pages of so many.
func (m Move) From(at, n, page int) int {
	by := [...]int{Up: -1, Down: 1, PageUp: -page, PageDown: page, Top: -n, Bottom: n}[m]
	return max(min(at+by, n-1), 0)
}

// Do has a window carry out an action of the table of keys.
func Do(b Box, a keys.Action) Request {
	if m, ok := moves[a]; ok {
		return b.Move(m)
	}
	return b.Act(a)
}

// Request is what a window asks of the program, which knows what to do by its type.
// nil asks for nothing.
type Request any

// Close asks to close the window.
type Close struct{}

// Copy asks to put a text on the clipboard.
type Copy struct{ Text string }

// Edit asks to show a text in the user's editor.
type Edit struct{ Text string }

// Box is a window that floats over the screen.
type Box interface {
	// Size is the size of the box, its border included, on a screen of w×h
	// cells. It is never larger than the screen.
	Size(w, h int) (bw, bh int)
	// Rows appends the box to dst: exactly h rows of exactly w cells.
	Rows(dst []string, w, h int) []string
	// Cursor is where the insertion point stands in a box of w×h cells, if there
	// is one.
	Cursor(w, h int) (x, y int, ok bool)
	// Move steps through the content.
	Move(m Move) Request
	// Act carries out an action of the table of keys that is no move; it ignores those
	// that mean nothing here.
	Act(a keys.Action) Request
	// Type takes typed or pasted text.
	Type(text string) Request
	// Back gives up what was begun last, such as a search. It reports whether
	// nothing was begun and the box itself should close.
	Back() (closed bool)
	// SetStyles changes the colours.
	SetStyles(st *rows.Styles)
}

// Silent is the part of a [Box] in which nothing is typed or begun.
type Silent struct{}

// Cursor implements [Box].
func (Silent) Cursor(int, int) (x, y int, ok bool) { return 0, 0, false }

// Act implements [Box].
func (Silent) Act(keys.Action) Request { return nil }

// Type implements [Box].
func (Silent) Type(string) Request { return nil }

// Back implements [Box].
func (Silent) Back() (closed bool) { return true }

// The three windows.
var (
	_ Box = (*Picker)(nil)
	_ Box = (*Pager)(nil)
	_ Box = (*Help)(nil)
)

// Place is where a box stands on a screen of w×h cells: its left upper corner
// and its size.
func Place(b Box, w, h int) (x, y, bw, bh int) {
	bw, bh = b.Size(w, h)
	bw, bh = min(max(bw, 0), w), min(max(bh, 0), h)
	return (w - bw) / 2, (h - bh) / 2, bw, bh
}

// scrap is up to how many cells beside a box nothing is left of the frame: too few
// to be read.
const scrap = 8

// Draw lays a box over a frame of h rows of w cells, in place.
func Draw(frame []string, b Box, w, h int) {
	x, y, bw, bh := Place(b, w, min(h, len(frame)))
	for i, over := range b.Rows(nil, bw, bh) {
		row := ""
		if x > scrap {
			row = rows.Splice(frame[y+i], x, over, w)
		}
		if rows.Width(row) != w {
			// A character that joins with others stood under the edge: what is
			// left of this row of the frame is not worth a crooked screen.
			row = rows.Blank(x) + over + rows.Blank(w-x-bw)
		}
		frame[y+i] = row
	}
}

// Leave puts a text into the lower edge of a box of w cells, on the right, where nothing else
// stands: how it is left, where the box lies over the row that says so.
func Leave(st *rows.Styles, edge, text string, w int) string {
	n := rows.Width(text) + 2
	from := w - n - 2
	if from < edgeCells || strings.Trim(ansi.Strip(rows.Cut(edge, from-1, w-1)), "─") != "" {
		return edge
	}
	return rows.Splice(edge, from, " "+st.Faint.Render(text)+" ", w)
}

// The width of windows in cells, where the screen allows it.
const (
	minWidth = 40
	maxWidth = 90
)

// boxWidth is the width of a window on a screen of w cells.
func boxWidth(w int) int {
	return min(max(min(w-6, maxWidth), minWidth), w)
}

// edges are the cells that the border and the blank beside it take in a row.
const edges = 4

// border draws the upper or the lower edge of a box with texts in it.
type border struct {
	st          *rows.Styles
	left, right string // corners
}

func upper(st *rows.Styles) border { return border{st, "╭", "╮"} }
func lower(st *rows.Styles) border { return border{st, "╰", "╯"} }

// edgeCells are the cells that corners, line and blanks take beside the text in an edge.
const edgeCells = 6

// draw makes an edge of w cells: title on the left, note on the right, which
// yields first.
func (b border) draw(w int, title string, titleStyle rows.Style, note string, noteStyle rows.Style) string {
	row := cells.NewRow(w)
	row.Put(b.st.Border, b.left)
	if n := w - edgeCells; title != "" && n > 0 {
		row.Put(b.st.Border, "─").Skip(1).PutMax(titleStyle, title, n).Skip(1)
	}
	n := rows.Width(note)
	if note == "" || row.Left() < n+5 {
		fillLine(row, b.st.Border, 1)
	} else {
		fillLine(row, b.st.Border, n+4)
		row.Skip(1).Put(noteStyle, note).Skip(1).Put(b.st.Border, "─")
	}
	return row.Put(b.st.Border, b.right).String()
}

// fillLine draws a line until left cells are free.
func fillLine(row *cells.Row, style rows.Style, left int) {
	if n := row.Left() - left; n > 0 {
		row.Put(style, lineOf(n))
	}
}

// lineOf is a line of n cells.
func lineOf(n int) string {
	const piece = "────────────────────────────────────────────────────────────────"
	const bytes = len("─")
	if n*bytes <= len(piece) {
		return piece[:n*bytes]
	}
	return piece + lineOf(n-len(piece)/bytes)
}

// side is the left or right edge of a row.
const side = "│"

// divider is a line through a box of w cells.
func divider(st *rows.Styles, w int) string {
	row := cells.NewRow(w)
	row.Put(st.Border, "├")
	fillLine(row, st.Border, 1)
	return row.Put(st.Border, "┤").String()
}

// inside puts the edges of a box of w cells around a row of w-2 cells.
func inside(st *rows.Styles, content string, w int) string {
	if w < 2 {
		return rows.Blank(w)
	}
	edge := st.Border.Render(side)
	if st.Border.Open() == "" {
		edge = "\x1b[m" + side + "\x1b[m"
	}
	return edge + content + edge
}

// hintLine writes key hints in the lower edge of a window of w cells: whole ones, as many
// as there is room for, and a mark for the others. The first stands in any case.
func hintLine(hints []status.Hint, w int) string {
	const more = " · …"
	text := ""
	for i, h := range hints {
		next := term.Line(h.Key) + " " + term.Line(h.Text)
		if i > 0 {
			next = text + " · " + next
		}
		left := w - edgeCells - rows.Width(next)
		if last := i == len(hints)-1; i > 0 && (left < 0 || !last && left < rows.Width(more)) {
			return text + more
		}
		text = next
	}
	return text
}
