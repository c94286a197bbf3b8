package prompt

import (
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
)

// The columns of a row: a blank, the bar and a blank, then the mark of the row
// and a blank, then its text, then a blank.
const (
	barCells  = 3
	markCells = 2
	endCells  = 1
	// minText is the narrowest text that counts as seen.
	minText = 8
)

// How many rows a text that is typed takes at most. What is to run is to be seen.
const (
	maxInput  = 4
	maxEdited = 16
)

// Height is how many rows the panel wants in a region of w cells, at most limit.
// It is 0 when no request waits.
func (p *Panel) Height(w, limit int) int {
	v := p.views[p.current]
	if v == nil {
		return 0
	}
	return max(min(1+len(p.content(v, textWidth(w)))+len(p.foot(v, w).rows), limit), 0)
}

func textWidth(w int) int { return max(w-barCells-markCells-endCells, 1) }

// Rows appends exactly h rows of exactly w cells to dst. Where there is little
// room, the rows to choose from come first, then the content, then the header.
func (p *Panel) Rows(dst []string, w, h int) []string {
	p.cursor.ok = false
	v, base := p.views[p.current], len(dst)
	if v == nil || h <= 0 {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	p.arming.drawn, p.sighted = !p.arming.covered, p.current
	content, foot := p.content(v, textWidth(w)), p.foot(v, w)
	r := divide(h, len(content), len(foot.rows))
	if v.page == editing { // what is to run comes first
		r = room{header: h > 1, foot: min(len(foot.rows), max(h-1, 1))}
		r.content = min(len(content), max(h-1-r.foot, 0))
	}
	if r.header {
		dst = append(dst, p.line(p.header(v, w-barCells-endCells, !r.more), w))
	}
	dst = p.drawContent(dst, v, content, r, w)
	foot = foot.cut(r.foot)
	if foot.cursor.ok {
		p.cursor.x, p.cursor.y, p.cursor.ok = min(barCells+foot.cursor.x, w-1), len(dst)-base+foot.cursor.y, w > 0
	}
	for _, text := range foot.rows {
		dst = append(dst, p.line(text, w))
	}
	for len(dst) < base+h {
		dst = append(dst, p.line("", w))
	}
	return dst
}

// Cursor is the cell of the cursor within what was drawn last, from 0 on. It
// reports false when nothing is typed in the panel.
func (p *Panel) Cursor() (x, y int, ok bool) { return p.cursor.x, p.cursor.y, p.cursor.ok }

// room is how the rows are divided.
type room struct {
	header, more  bool
	content, foot int
}

// divide gives rows to the parts. Content that does not fit gets half of the
// rows if it needs them, and a row that says how much more there is.
func divide(h, content, foot int) room {
	if 1+content+foot <= h {
		return room{header: true, content: content, foot: foot}
	}
	r := room{header: true}
	r.foot = min(foot, max(1, h-1-min(content, max(2, (h-1)/2))))
	r.content = h - 1 - r.foot
	if r.content <= 0 {
		r.header, r.content = false, h-r.foot
	}
	if r.content < content && r.content >= 3 {
		r.more = true
		r.content--
	}
	r.content = min(r.content, content)
	return r
}

// line puts the bar before a text.
func (p *Panel) line(text string, w int) string {
	style := p.styles.Border
	if p.Armed() {
		style = p.styles.Warn
	}
	return rows.Fit(" "+style.Render("┃")+" "+text, w)
}

// drawContent draws the content in sight.
func (p *Panel) drawContent(dst []string, v *view, content []row, r room, w int) []string {
	last := max(len(content)-r.content, 0)
	v.scroll = min(v.scroll, last)
	p.page = r.content
	p.read(v, r.content, w)
	for i := range r.content {
		c := content[v.scroll+i]
		mark := c.mark
		switch {
		case i == r.content-1 && v.scroll < last:
			mark = "↓"
		case i == 0 && v.scroll > 0:
			mark = "↑"
		}
		dst = append(dst, p.line(p.styles.Faint.Render(mark)+" "+c.render(p.styles), w))
	}
	if r.more {
		dst = append(dst, p.line(p.more(v, v.scroll, last-v.scroll, w-barCells), w))
	}
	return dst
}

// read notes that n rows of the content in w cells are in sight. All of it was seen
// once its rows were in sight one after the other, from the first on.
func (p *Panel) read(v *view, n, w int) {
	if p.arming.covered || textWidth(w) < minText || v.scroll > v.read.rows {
		return
	}
	v.read.rows = max(v.read.rows, v.scroll+n)
	if n > 0 && v.read.rows >= p.body.need {
		v.seen[v.spot()] = true
	}
}

// more says how much content is out of sight.
func (p *Panel) more(v *view, above, below, w int) string {
	var text string
	style := p.styles.Muted
	switch {
	case v.refused:
		style = p.styles.Warn
		text = "  ↓ " + format.Count(below, "row", "rows") + " not seen yet: " + p.keys.Down
	case below > 0:
		text = "  ↓ " + format.Count(below, "row", "rows") + " more: " + p.keys.Down
	default:
		text = "  ↑ " + format.Count(above, "row", "rows") + " above: " + p.keys.Up
	}
	return style.Render(rows.Fit(text, w))
}
