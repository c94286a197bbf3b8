package composer

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// gutter is how many cells stand before the text of a row, margin how many
// behind it: the cursor stands there at the end of a full row.
const (
	gutter = 2
	margin = 1
)

// What stands in the gutter.
const (
	promptMark = "❯ "
	vimMark    = "❮ " // while keys are commands of vim
	shellMark  = "$ " // before a command of the user
	indent     = "  "
	moreAbove  = "↑ "
	moreBelow  = "↓ "
	moreBoth   = "↕ "
)

// maxCached is how many rows are kept ready.
const maxCached = 512

// rowPos is a row of the screen: a line of the buffer and a row in it.
type rowPos struct{ line, row int }

func (p rowPos) less(q rowPos) bool { return p.line < q.line || p.line == q.line && p.row < q.row }

// screen is what was drawn last.
type screen struct {
	w, h int
	top  rowPos
	// cache holds finished rows by gutter and text, for one width and theme.
	cache map[string]string
}

// step is the row after or before another.
func (b *buffer) step(p rowPos, by int) (rowPos, bool) {
	switch {
	case by > 0 && b.hasRow(b.lines[p.line], p.row+1):
		return rowPos{p.line, p.row + 1}, true
	case by > 0 && p.line+1 < len(b.lines):
		return rowPos{p.line + 1, 0}, true
	case by < 0 && p.row > 0:
		return rowPos{p.line, p.row - 1}, true
	case by < 0 && p.line > 0:
		return rowPos{p.line - 1, b.lastRow(b.lines[p.line-1])}, true
	}
	return p, false
}

// setWidth lays the draft out for a region of w cells.
func (c *Composer) setWidth(w int) {
	c.buf.width = max(w-gutter-margin, 1)
	if w != c.screen.w {
		c.screen.w = w
		clear(c.screen.cache)
	}
}

// Height is how many rows the draft takes in a region of w cells: at least one
// and at most limit.
func (c *Composer) Height(w, limit int) int {
	c.setWidth(w)
	n := 0
	for _, l := range c.buf.lines {
		for row := 0; n < limit && c.buf.hasRow(l, row); row++ {
			n++
		}
		if n >= limit {
			break
		}
	}
	return min(max(n, 1), max(limit, 0))
}

// Rows appends exactly h rows of exactly w cells to dst. A draft that is longer
// is scrolled so that the cursor is in sight, with an arrow in the gutter where
// more is.
func (c *Composer) Rows(dst []string, w, h int) []string {
	c.setWidth(w)
	if c.screen.h = max(h, 0); h <= 0 {
		return dst
	}
	c.scroll()
	if c.Empty() {
		return rows.Fill(append(dst, c.emptyRow(w)), len(dst), h, w)
	}
	base, at, more := len(dst), c.screen.top, true
	for i := 0; i < h && more; i++ {
		row := at
		at, more = c.buf.step(at, 1)
		dst = append(dst, c.row(row, c.gutterOf(row, i == 0, more && i == h-1)))
	}
	return rows.Fill(dst, base, h, w)
}

func (c *Composer) emptyRow(w int) string {
	text := rows.Fit(term.Line(c.placeholder), max(w-gutter, 0))
	return rows.Fit(c.styles.Accent.Render(c.gutterOf(rowPos{}, true, false))+c.styles.Faint.Render(text), w)
}

// gutterOf is what stands before a row. first marks the first row drawn, below
// that more follows behind the last row drawn.
func (c *Composer) gutterOf(p rowPos, first, below bool) string {
	above := first && p != rowPos{}
	switch {
	case above && below:
		return moreBoth
	case above:
		return moreAbove
	case below:
		return moreBelow
	case p == rowPos{} && c.vim.mode != inserting:
		return vimMark
	case p == rowPos{} && c.TypedFirst("!"):
		return shellMark
	case p == rowPos{}:
		return promptMark
	}
	return indent
}

// row draws one row.
func (c *Composer) row(p rowPos, mark string) string {
	l := c.buf.lines[p.line]
	start, end, _ := c.buf.span(l, p.row)
	if from, to, some := c.selectedOn(p.line, start, end); some {
		return c.selectedRow(l.text, mark, start, end, from, to)
	}
	key := mark + l.text[start:end]
	if row, ok := c.screen.cache[key]; ok {
		return row
	}
	row := rows.Fit(c.markStyle(mark).Render(mark)+c.body(l.text[start:end]), c.screen.w)
	if len(c.screen.cache) >= maxCached {
		clear(c.screen.cache)
	}
	c.screen.cache[strings.Clone(key)] = row
	return row
}

func (c *Composer) markStyle(mark string) rows.Style {
	if mark == promptMark || mark == vimMark || mark == shellMark {
		return c.styles.Accent
	}
	return c.styles.Faint
}

// selectedOn is which part of a row is selected.
func (c *Composer) selectedOn(line, start, end int) (from, to int, some bool) {
	if !c.vim.selects() {
		return 0, 0, false
	}
	a, b, lines := c.selected()
	if line < a.line || line > b.line {
		return 0, 0, false
	}
	from, to = start, end
	if !lines && line == a.line {
		from = max(a.off, start)
	}
	if !lines && line == b.line {
		to = min(b.off, end)
	}
	return from, to, from < to || start == end
}

// selectedRow draws a row of which a part is selected; of an empty one that is a cell.
func (c *Composer) selectedRow(text, mark string, start, end, from, to int) string {
	inside := ansi.Strip(c.body(text[from:to]))
	if inside == "" {
		inside = " "
	}
	return rows.Fit(c.markStyle(mark).Render(mark)+c.body(text[start:from])+c.styles.Selected.Render(inside)+c.body(text[to:end]), c.screen.w)
}

// body draws the text of a row. What names something with an @ stands out.
func (c *Composer) body(text string) string {
	var out, run strings.Builder
	style, named := c.styles.Text, 0 // where a name ends
	flush := func() {
		out.WriteString(style.Render(run.String()))
		run.Reset()
	}
	for off := 0; off < len(text); {
		if off == named {
			flush()
			style = c.styles.Text
		}
		if text[off] == '@' && off >= named && beginsWord(text, off) {
			if m, ok := mentionAt(text[off:]); ok {
				flush()
				style, named = c.styles.Info, off+len(m.Word)
			}
		}
		end := next(text, off)
		if end == off+1 && text[off] < utf8.RuneSelf {
			run.WriteByte(text[off])
		} else if shown, _, _ := c.buf.shown(text[off:end]); text[off] == refOpen {
			flush()
			out.WriteString(c.styles.Info.Render(shown))
		} else {
			run.WriteString(shown)
		}
		off = end
	}
	flush()
	return out.String()
}

// scroll moves the window by as little as brings the cursor into it, and leaves
// no row of it empty while there are rows above.
func (c *Composer) scroll() {
	s, b := &c.screen, &c.buf
	here := rowPos{c.cur.line, b.rowOf(b.lines[c.cur.line], c.cur.off)}
	if s.top.line >= len(b.lines) || here.less(s.top) || !b.hasRow(b.lines[s.top.line], s.top.row) {
		s.top = here
	}
	at, ok, n := s.top, true, 1
	for ; ok && n < s.h && at != here; n++ {
		at, ok = b.step(at, 1)
	}
	if at != here { // it is below the window
		s.top = b.above(here, s.h-1)
		return
	}
	for ; ok && n < s.h; n++ {
		at, ok = b.step(at, 1)
	}
	if !ok {
		n--
	}
	s.top = b.above(s.top, s.h-n)
}

// above is the row n rows up, or the first.
func (b *buffer) above(p rowPos, n int) rowPos {
	for ok := true; ok && n > 0; n-- {
		p, ok = b.step(p, -1)
	}
	return p
}

// Cursor is the cell of the cursor within the region that was drawn last, from 0
// on. It reports false when no row was drawn.
func (c *Composer) Cursor() (x, y int, ok bool) {
	if c.screen.h == 0 || c.screen.w <= 0 {
		return 0, 0, false
	}
	c.scroll()
	l := c.buf.lines[c.cur.line]
	row := c.buf.rowOf(l, c.cur.off)
	for at := c.screen.top; at != (rowPos{c.cur.line, row}); y++ {
		at, _ = c.buf.step(at, 1)
	}
	before := c.body(l.text[l.starts[row]:c.cur.off])
	return min(gutter+rows.Width(before), c.screen.w-1), y, true
}

// MoveTo puts the cursor where a cell of the region is that was drawn last: at its
// character, or at the end of the text where there is none.
func (c *Composer) MoveTo(x, y int) {
	at := c.screen.top
	if at.line >= len(c.buf.lines) {
		return
	}
	for ok := true; ok && y > 0; y-- {
		if at, ok = c.buf.step(at, 1); !ok {
			x = c.screen.w // below the text is its end
		}
	}
	l := c.buf.lines[at.line]
	if !c.buf.hasRow(l, at.row) {
		return
	}
	c.move(pos{at.line, c.buf.offsetAt(l, at.row, max(x-gutter, 0))})
}
