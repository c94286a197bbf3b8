package overlay

import (
	"strconv"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// Line is a paragraph of a [Confirm]. One that warns stands out.
type Line struct {
	Text string
	Warn bool
}

// Confirm asks whether something is to be done, and says what that means. The zero
// value is not ready, see [NewConfirm].
type Confirm struct {
	Silent
	// Yes is asked for when that is to be done.
	Yes Request

	st    *rows.Styles
	title string
	lines []Line
	hints []status.Hint

	top  int // first row in sight
	page int // rows in sight
	rows int // of the text, as drawn last
}

var _ Box = (*Confirm)(nil)

// NewConfirm makes a question of a title and paragraphs. The hints say what the
// keys do.
func NewConfirm(st *rows.Styles, title string, lines []Line, hints []status.Hint) *Confirm {
	c := &Confirm{st: st, title: term.Line(title), hints: hints, page: 1}
	for _, l := range lines {
		c.lines = append(c.lines, Line{term.Line(l.Text), l.Warn})
	}
	return c
}

// SetStyles implements [Box].
func (c *Confirm) SetStyles(st *rows.Styles) { c.st = st }

// confirmWidth is the most cells that a question takes: what reads well.
const confirmWidth = 76

// Size implements [Box].
func (c *Confirm) Size(w, h int) (bw, bh int) {
	bw = min(boxWidth(w), confirmWidth)
	return bw, min(len(c.wrap(bw-edges))+2, max(h, 0))
}

// wrap is the text in rows of at most w cells.
func (c *Confirm) wrap(w int) []string {
	var out []string
	for _, l := range c.lines {
		style, mark, indent := c.st.Text, "", ""
		if l.Warn {
			style, mark, indent = c.st.Warn, "! ", "  "
		}
		for i, row := range rows.Wrap(nil, l.Text, w-len(mark)) {
			if i > 0 {
				mark = indent
			}
			out = append(out, style.Render(mark+row))
		}
	}
	return out
}

// Rows implements [Box].
func (c *Confirm) Rows(dst []string, w, h int) []string {
	if h < 3 || w < edges+1 {
		return rows.Fill(dst, len(dst), max(h, 0), w)
	}
	text := c.wrap(w - edges)
	c.rows, c.page = len(text), h-2
	c.top = max(min(c.top, c.rows-c.page), 0)
	note := ""
	if c.rows > c.page {
		note = strconv.Itoa(c.top+1) + "–" + strconv.Itoa(min(c.top+c.page, c.rows)) + " of " + strconv.Itoa(c.rows)
	}
	f := NewFrame(c.st, dst, w, h)
	f.Top(c.title, note)
	for _, row := range text[c.top:min(c.top+c.page, c.rows)] {
		f.Put(rows.Fit(row, f.Inner()))
	}
	return f.Bottom(c.hints)
}

// Hints are none besides those on its lower edge, which say what either answer does.
func (c *Confirm) Hints(string) []keys.Hint { return nil }

// Move implements [Box]: it scrolls.
func (c *Confirm) Move(m Move) Request {
	c.top = max(min(m.From(c.top, c.rows, c.page), c.rows-c.page), 0)
	return nil
}

// Act implements [Box].
func (c *Confirm) Act(a keys.Action) Request {
	if a == keys.Accept {
		return c.Yes
	}
	return nil
}
