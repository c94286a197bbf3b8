package models

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
)

// The size of the window, in cells and rows, where the screen allows it.
const (
	maxWidth  = 112
	minWidth  = 40
	maxHeight = 24
	minHeight = 12
	// frameRows are those around the list: edges, query, divider.
	frameRows = 4
	// roomy is the least height of a screen that the window leaves something of.
	roomy = 16
)

// markCells is the room for the marks before a name: a margin, selected, current,
// blank.
const markCells = 4

// Size implements [overlay.Box]. The height does not change while the user
// types, nor when a list that was waited for is there.
func (p *Picker) Size(w, h int) (bw, bh int) {
	bw = min(max(min(w-6, maxWidth), minWidth), w)
	n := maxHeight
	if !p.tall {
		n = frameRows + 2 + 2*len(p.list.groups)
		for _, g := range p.list.groups {
			n += len(g.rows)
		}
	}
	most := max(h, 0)
	if h >= roomy {
		most = h - 2 // the status row says what escape does
	}
	return bw, min(max(n, minHeight), maxHeight, most)
}

// Cursor implements [overlay.Box].
func (p *Picker) Cursor(w, h int) (x, y int, ok bool) { return p.query.Cursor(w, h) }

// Rows implements [overlay.Box].
func (p *Picker) Rows(dst []string, w, h int) []string {
	if h < 3 || w < 12 {
		return rows.Fill(dst, len(dst), max(h, 0), w)
	}
	if w-2 != p.width || p.stale {
		p.width = w - 2
		p.rebuild()
	}
	f := overlay.NewFrame(p.st, dst, w, h)
	f.Top(p.title, p.count())
	f.Add(p.query.Row(p.st, w-2, "type to filter by provider and name"))
	c := p.shapes.columns(w - 2)
	if h >= 7 {
		f.Divide()
	}
	if h >= 11 && len(p.entries) > 0 {
		f.Add(p.titles(w-2, c))
	}
	legend := h >= 16 && len(p.entries) > 0 && (c.price > 0 || c.abilities)
	room := f.Left()
	if legend {
		room--
	}
	p.rows(f, room, c)
	if legend {
		for f.Left() > 1 {
			f.Add(rows.Blank(w - 2))
		}
		f.Say(p.st.Faint, legendOf(c))
	}
	return f.Bottom(p.hints)
}

// count says how many models there are, and who has not answered yet.
func (p *Picker) count() string {
	asking := p.list.Asking()
	text := format.Count(p.list.Len(), "model", "models")
	if strings.TrimSpace(string(p.query)) != "" {
		text = strconv.Itoa(len(p.hits)) + " of " + strconv.Itoa(p.list.Len())
	}
	switch {
	case p.failure != "":
		return ""
	case asking > 0:
		return text + " · asking " + format.Count(asking, "provider", "providers")
	}
	return text
}

// rows appends at most room rows of the list, or why there is none.
func (p *Picker) rows(f *overlay.Frame, room int, c columns) {
	if p.failure != "" || len(p.entries) == 0 {
		text, style := "No matches.", p.st.Muted
		switch {
		case p.failure != "":
			text, style = p.failure, p.st.Bad
		case p.list.Asking() > 0 && strings.TrimSpace(string(p.query)) == "":
			text = "One moment …"
		case p.list.Asking() > 0:
			text = "Nothing fits yet; some providers have not answered."
		case len(p.list.groups) == 0:
			text = "No provider offers a model."
		}
		for i, line := range rows.Wrap(nil, text, f.Inner()) {
			if i < room {
				f.Say(style, line)
			}
		}
		return
	}
	p.scroll(room)
	from, to := p.top, min(p.top+room, len(p.entries))
	if p.sticky(room) {
		f.Add(p.header(p.entries[from].group, p.width))
		from++
	}
	for i := from; i < to; i++ {
		f.Add(p.entry(i, c))
	}
}

// sticky reports whether the first row in sight says whose models follow, in the
// place of one of them.
func (p *Picker) sticky(room int) bool {
	return room >= 4 && p.top < len(p.entries) && p.entries[p.top].kind != header
}

// scroll brings the selection into sight, with what stands above it in its
// endpoint where that fits.
func (p *Picker) scroll(room int) {
	p.page = max(room, 1)
	first := max(p.selected, 0)
	for first > 0 && p.entries[first].kind != header && p.entries[first-1].kind != model && p.selected-first < room-1 {
		first--
	}
	p.top = min(p.top, first)
	p.top = max(p.top, p.selected-room+1)
	p.top = max(min(p.top, len(p.entries)-room), 0)
	if p.top == p.selected && p.sticky(room) {
		p.top--
	}
}

// header draws the row above the models of an endpoint.
func (p *Picker) header(g *group, w int) string {
	r := cells.NewRow(w).Skip(1)
	r.PutMax(p.st.Strong, g.label, w*2/3)
	put := func(style rows.Style, text string) {
		if n := r.Left() - 4; n > 6 {
			r.Put(p.st.Faint, " · ").PutMax(style, text, n)
		}
	}
	put(p.st.Muted, g.note)
	switch {
	case g.Asking:
		put(p.st.Accent, status.Spinner(p.frame)+" asking")
	case g.problem == "" && g.listed() > 0:
		put(p.st.Faint, format.Count(g.listed(), "model", "models"))
	}
	return r.String()
}

// titles draws the names of the columns.
func (p *Picker) titles(w int, c columns) string {
	r := cells.NewRow(w).Skip(markCells).PutMax(p.st.Faint, "model", c.name)
	end := w - markCells - c.name
	col := func(width int, text string) {
		if width > 0 {
			r.Until(end-2).Skip(max(width-rows.Width(text), 0)).Put(p.st.Faint, text)
			end -= width + 2
		}
	}
	col(c.context, contextTitle)
	col(c.price, priceTitle)
	if c.abilities {
		r.Until(end-2).Put(p.st.Faint, "it")
	}
	return r.String()
}

// legendOf explains the signs of the columns.
func legendOf(c columns) string {
	text := "$ per million tokens, in/out · "
	if c.abilities {
		return text + unknown + " and blank: unknown · no: it cannot"
	}
	return text + unknown + " unknown"
}

// entry draws entry i.
func (p *Picker) entry(i int, c columns) string {
	e := &p.entries[i]
	switch e.kind {
	case header:
		return p.header(e.group, p.width)
	case note:
		style := p.st.Muted
		if e.bad {
			style = p.st.Warn
		}
		return cells.NewRow(p.width).Skip(markCells).PutMax(style, e.text, p.width-markCells-1).String()
	}
	m := &e.group.rows[e.row]
	r := cells.NewRow(p.width).Skip(1)
	put := func(on bool, style rows.Style, sign string) {
		if on {
			r.Put(style, sign)
		} else {
			r.Skip(1)
		}
	}
	put(i == p.selected, p.st.Accent, "▸")
	put(e.group.current(m.info.Name, p.list.now), p.st.Good, "●")
	r.Skip(1)
	r.PutMarked(p.st.Text, p.st.Accent.With(rows.Bold), m.name, c.name, e.match)
	p.figures(r, m, p.width-markCells-c.name, c)
	if i == p.selected {
		return p.st.Selected.Over(r.String())
	}
	return r.String()
}

// figures draws the columns behind the name, of which the first ends where end
// cells are left.
func (p *Picker) figures(r *cells.Row, m *row, end int, c columns) {
	col := func(width int, text string) {
		if width > 0 {
			r.Until(end-2).Skip(max(width-rows.Width(text), 0)).Put(p.st.Muted, text)
			end -= width + 2
		}
	}
	col(c.context, m.context)
	col(c.price, m.price)
	if !c.abilities {
		return
	}
	end -= 2
	for i, a := range abilities(&m.info) {
		r.Until(end)
		switch a {
		case event.Yes:
			r.Put(p.st.Text, abilityWords[i])
		case event.No:
			r.Put(p.st.Faint, "no")
		}
		end -= len(abilityWords[i]) + 1
	}
}
