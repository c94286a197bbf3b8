package overlay

import (
	"cmp"
	"slices"
	"strconv"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
)

// listRows is how many rows of entries a picker shows at once, or half of a tall screen.
const listRows = 12

// frameRows are the rows of a picker around its list: the edges, the query and
// the line below it.
const frameRows = 4

// Size implements [Box]. The height does not change while the user types.
func (p *Picker) Size(w, h int) (bw, bh int) {
	if p.opts.Tail {
		return p.tailedSize(w, h)
	}
	n, most := len(p.items), max(listRows, h/2)
	for i := range p.items {
		if n >= most {
			break
		}
		if g := p.items[i].Group; g != "" && (i == 0 || g != p.items[i-1].Group) {
			n++
		}
	}
	if len(p.entries) == 0 && p.query == "" {
		text, _ := p.nothing()
		n = len(rows.Wrap(nil, text, boxWidth(w)-edges))
	}
	n = min(max(n, 1), most)
	if p.opts.Notes {
		return p.notedSize(w, h)
	}
	if above := len(p.above(boxWidth(w))); n+frameRows+above+leastBeside <= h {
		n += above
	}
	return boxWidth(w), min(n+frameRows, max(h, 0))
}

// above are the lines over the list in a box of w cells.
func (p *Picker) above(w int) []string {
	if p.opts.Above == nil {
		return nil
	}
	return p.opts.Above(max(w-edges, 1))
}

// leastBeside is how many rows of the screen stay free beside a list with lines above it.
const leastBeside = 6

// Cursor implements [Box].
func (p *Picker) Cursor(w, h int) (x, y int, ok bool) {
	if p.opts.Tail {
		return 0, 0, false
	}
	return p.query.Cursor(w, h)
}

// Rows implements [Box].
func (p *Picker) Rows(dst []string, w, h int) []string {
	if h < 3 || w < edges+1 {
		return rows.Fill(dst, len(dst), max(h, 0), w)
	}
	f := NewFrame(p.st, dst, w, h)
	f.Top(p.opts.Title, p.count())
	if p.opts.Tail {
		p.tailed(f)
	} else {
		p.filtered(f)
	}
	hints := p.opts.Hints
	if it, ok := p.Selected(); !ok || it.Disabled != "" {
		hints = slices.DeleteFunc(slices.Clone(hints), func(h status.Hint) bool { return h.Entry })
	}
	return f.Bottom(hints)
}

// filtered adds the query, and the list below it.
func (p *Picker) filtered(f *Frame) {
	f.Add(p.query.Row(p.st, f.w-2, cmp.Or(p.opts.Could, "type to filter")))
	if f.h > frameRows {
		f.Divide()
	}
	if p.opts.Notes {
		p.noted(f)
		return
	}
	if above := p.above(f.w); len(above)+leastBeside < f.Left() {
		for _, line := range above {
			f.Add(cells.NewRow(f.w-2).Skip(1).PutMax(p.st.Muted, line, f.w-edges).String())
		}
	}
	for _, row := range p.list(f.Left(), f.w-2) {
		f.Add(row)
	}
}

// count says how many entries there are, and how many of them fit the query.
func (p *Picker) count() string {
	switch {
	case p.loading:
		return "loading…"
	case p.pending:
		return "searching…"
	case len(p.items) == 0:
		return ""
	case needle(p.query) != "" && p.opts.Ask == nil:
		return strconv.Itoa(len(p.entries)) + " of " + strconv.Itoa(len(p.items))
	}
	return strconv.Itoa(len(p.items))
}

// list gives the rows of entries that there is room for, of w cells, or the reason why
// there are none.
func (p *Picker) list(room, w int) []string {
	p.page = max(room, 1)
	if room <= 0 {
		return nil
	}
	if len(p.entries) == 0 || p.failure != "" {
		text, style := p.nothing()
		var list []string
		for _, line := range rows.Wrap(nil, text, w-2) {
			list = append(list, cells.NewRow(w).Skip(1).PutMax(style, line, w-2).String())
		}
		return list[:min(len(list), room)]
	}
	p.scroll(room)
	end := min(p.top+room, len(p.entries))
	col := p.columns(p.top, end, w-2-itemMark)
	list := make([]string, 0, end-p.top)
	for i := p.top; i < end; i++ {
		list = append(list, p.entry(i, w, col))
	}
	return list
}

// nothing says why there are no entries.
func (p *Picker) nothing() (string, rows.Style) {
	switch {
	case p.failure != "":
		return p.failure, p.st.Bad
	case p.loading || p.pending:
		return "One moment …", p.st.Muted
	case p.query == "" && p.opts.Unasked != "":
		return p.opts.Unasked, p.st.Muted
	case len(p.items) == 0:
		return p.opts.Empty, p.st.Muted
	}
	return "Nothing matches what you typed.", p.st.Muted
}

// scroll brings the selection into sight, with the header above it if it has
// one.
func (p *Picker) scroll(room int) {
	first := max(p.selected, 0)
	if first > 0 && p.entries[first-1].item < 0 && room > 1 {
		first--
	}
	p.top = min(p.top, first)
	p.top = max(p.top, p.selected-room+1)
	p.top = max(min(p.top, len(p.entries)-room), 0)
}

// itemMark is the room for the marks before a label: selected, current, blank.
const itemMark = 3

// columns are the widths of the parts of the rows in sight. Details have what is
// left, and no place at all when that is too little.
type columns struct {
	label, right int
	detail       bool
}

// detailCells is the least room for details.
const detailCells = 14

// columns gives labels what the longest of them needs, up to three fifths of the
// room when details follow, or half where all details are whole then. The texts on the right
// have up to a third, or what labels leave where there are no details. Labels without a detail
// have the room of one.
func (p *Picker) columns(from, to, room int) columns {
	var c columns
	alone, detail := 0, 0 // the longest label without a detail, the longest detail
	for _, e := range p.entries[from:to] {
		if e.item < 0 {
			continue
		}
		it := &p.items[e.item]
		if it.Detail == "" && it.Disabled == "" {
			alone = max(alone, rows.Width(it.Label))
		} else {
			c.label = max(c.label, rows.Width(it.Label))
		}
		c.right = max(c.right, rows.Width(it.Right))
		detail = max(detail, rows.Width(it.Detail))
	}
	right, whole := c.right, room
	c.right = min(right, whole/3)
	if c.right > 0 {
		room -= c.right + 2
	}
	most := room * 3 / 5
	if detail+2 <= room/2 {
		most = min(most, room-detail-2)
	}
	if c.detail = detail > 0 && room-min(c.label, most)-2 >= detailCells; !c.detail {
		c.label = max(c.label, alone)
		c.right = max(c.right, min(right, whole-c.label-2))
		if most = whole; c.right > 0 {
			most -= c.right + 2
		}
	}
	c.label = max(min(c.label, most), 0)
	return c
}

// entry draws entry i in w cells.
func (p *Picker) entry(i, w int, col columns) string {
	e := &p.entries[i]
	row := cells.NewRow(w)
	row.Skip(1)
	if e.item < 0 {
		return row.PutMax(p.st.Muted.With(rows.Bold), e.header, w-2).String()
	}
	it := &p.items[e.item]
	p.marks(row, it, i == p.selected)
	tail := 1 // the margin, and what stands on the right
	if col.right > 0 {
		tail += col.right + 2
	}
	p.texts(row, e, col, tail)
	if col.right > 0 {
		right := cells.Cut(it.Right, col.right)
		row.Until(rows.Width(right)+1).Put(p.st.Faint, right)
	}
	if i != p.selected {
		return row.String()
	}
	return p.st.Selected.Over(row.String())
}

// texts draws the label of an entry and its detail, or the reason why it can't
// be chosen, which always has a place.
func (p *Picker) texts(row *cells.Row, e *entry, col columns, tail int) {
	it := &p.items[e.item]
	if it.Disabled == "" && it.Detail == "" && col.detail {
		if it.Right == "" {
			tail = 1
		}
		p.matched(row, p.st.Text, it.Label, row.Left()-tail, e.match, true)
		return
	}
	if it.Disabled == "" {
		end := row.Left() - col.label
		p.matched(row, p.st.Text, it.Label, col.label, e.match, !e.inDetail)
		if col.detail && it.Detail != "" {
			row.Until(end).Skip(2)
			p.matched(row, p.st.Muted, it.Detail, row.Left()-tail, e.match, e.inDetail)
		}
		return
	}
	end, label := row.Left()-col.label, col.label
	if !col.detail {
		label = min(label, max((row.Left()-tail)/2, 1))
		end = row.Left() - min(label, rows.Width(it.Label))
	}
	p.matched(row, p.st.Faint, it.Label, label, e.match, !e.inDetail)
	row.Until(end).Skip(2).PutMax(p.st.Faint, it.Disabled, row.Left()-tail)
}

// marks draws what stands before a label.
func (p *Picker) marks(row *cells.Row, it *Item, selected bool) {
	if selected {
		row.Put(p.st.Accent, "▸")
	} else {
		row.Skip(1)
	}
	if it.Current {
		row.Put(p.st.Good, "●")
	} else {
		row.Skip(1)
	}
	row.Skip(1)
}

// matched draws a text of at most n cells; the characters at the given offsets
// stand out when mark is set.
func (p *Picker) matched(row *cells.Row, style rows.Style, text string, n int, offsets []int, mark bool) {
	if !mark {
		offsets = nil
	}
	row.PutMarked(style, p.st.Accent.With(rows.Bold), text, n, offsets)
}
