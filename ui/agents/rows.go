package agents

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
)

// margin is the blank on either side of the pane.
const margin = 1

// nameCells is the least room a name keeps.
const nameCells = 8

// Height is how many of at most limit rows the pane needs. It is 0 without
// agents.
func (p *Pane) Height(limit int) int {
	if len(p.nodes) == 0 {
		return 0
	}
	n := 1 + len(p.nodes)
	if p.doing != "" {
		n++
	}
	if p.knowsContext() {
		n += 2
	}
	return max(min(n, limit), 0)
}

// Rows appends the pane to dst: the header, the tree and, below a line, how full
// the context window is. With a single row it is the line that [Pane.Line]
// makes. What the root does has a row of its own when all agents have one.
func (p *Pane) Rows(dst []string, w, h int) []string {
	base := len(dst)
	switch {
	case h <= 0 || len(p.nodes) == 0:
		return rows.Fill(dst, base, max(h, 0), w)
	case h == 1:
		return append(dst, p.Line(w))
	}
	dst = append(dst, p.header(w))
	below := 0
	if p.knowsContext() {
		switch {
		case h >= 6:
			below = 2
		case h >= 4:
			below = 1
		}
	}
	dst = p.tree(dst, w, h-1-below)
	dst = rows.Fill(dst, base, h-below, w)
	if below == 2 {
		dst = append(dst, rows.Rule(w, p.st.Border))
	}
	if below > 0 {
		dst = append(dst, p.contextRow(w))
	}
	return dst
}

// tree appends at most room rows of agents.
func (p *Pane) tree(dst []string, w, room int) []string {
	from, to := cells.Window(len(p.nodes), room, p.anchor())
	marks := room >= 3
	if marks && from > 0 {
		dst = append(dst, p.hidden(w, from, "above"))
	}
	watch := 0
	for i := from; i < to; i++ {
		watch = max(watch, len(p.nodes[i].elapsed(p.now)))
	}
	selected := -1
	if p.focused {
		selected = p.index()
	}
	for i := from; i < to; i++ {
		dst = append(dst, p.agent(w, &p.nodes[i], watch, i == selected))
		if i == 0 && p.nodes[0].root && p.doing != "" && room > len(p.nodes) {
			dst = append(dst, p.doingRow(w))
		}
	}
	if marks && to < len(p.nodes) {
		dst = append(dst, p.hidden(w, len(p.nodes)-to, "below"))
	}
	return dst
}

func (p *Pane) header(w int) string {
	row := cells.NewRow(w)
	count := p.count()
	n := rows.Width(count)
	row.Skip(margin).PutMax(p.st.Strong, "Agents", w-n-2*margin-1)
	return row.Until(n+margin).Put(p.st.Muted, count).String()
}

// count says how many children there are and how many of them are at work.
func (p *Pane) count() string {
	if p.children == 0 {
		return ""
	}
	return strconv.Itoa(p.children) + " · ⚡" + strconv.Itoa(p.active)
}

func (p *Pane) hidden(w, n int, where string) string {
	return cells.NewRow(w).Skip(margin).Put(p.st.Faint, "… "+strconv.Itoa(n)+" "+where).String()
}

// agent draws the row of an agent. watch is the width of the stop-watches in the
// tree, which stand below each other.
func (p *Pane) agent(w int, n *node, watch int, selected bool) string {
	row := cells.NewRow(w)
	if selected {
		row.Put(p.st.Accent, "▸")
	} else {
		row.Skip(margin)
	}
	row.Put(p.st.Border, cells.CutStart(n.guide, w/3))
	sign, style := glyph(p.st, n.state, p.frame)
	row.Put(style, sign).Skip(1)

	note, clock, right := p.figures(n, watch, row.Left()-margin-nameCells-1)
	if right > 0 {
		row.PutMax(p.nameStyle(n), n.name, row.Left()-right-margin-1)
		row.Until(right + margin)
	} else {
		row.PutMax(p.nameStyle(n), n.name, row.Left()-margin)
	}
	row.Put(p.noteStyle(n), note)
	if clock != "" {
		row.Until(len(clock)+margin).Put(p.st.Muted, clock)
	}
	out := row.String()
	if selected {
		return p.st.Selected.Over(out)
	}
	return out
}

// figures is what stands at the end of an agent's row, as far as it fits into
// room cells: a note, the stop-watch and the width of both.
func (p *Pane) figures(n *node, watch, room int) (note, clock string, width int) {
	if clock = n.elapsed(p.now); clock != "" && watch <= room {
		width = watch
	} else {
		clock = ""
	}
	note = n.note()
	need := len(note)
	if width > 0 {
		need++
	}
	if note == "" || width+need > room {
		return "", clock, width
	}
	return note, clock, width + need
}

// nameStyle makes what is over fainter than what goes on.
func (p *Pane) nameStyle(n *node) rows.Style {
	if n.root {
		return p.st.Strong
	}
	switch n.state {
	case event.AgentCompleted, event.AgentKilled, event.AgentQueued:
		return p.st.Muted
	}
	return p.st.Text
}

func (p *Pane) noteStyle(n *node) rows.Style {
	if n.state == event.AgentWaiting {
		return p.st.Warn
	}
	return p.st.Faint
}

// doingRow is the second row of the root: what it does now.
func (p *Pane) doingRow(w int) string {
	row := cells.NewRow(w).Skip(margin)
	if p.children > 0 {
		row.Put(p.st.Border, "│ ")
	} else {
		row.Skip(2)
	}
	return row.PutMax(p.st.Muted, p.doing, row.Left()-margin).String()
}

// Line is the pane in one row: how many agents there are, the one to look at,
// and how full the context window is.
func (p *Pane) Line(w int) string {
	row := cells.NewRow(w)
	if len(p.nodes) == 0 {
		return row.String()
	}
	right, style := p.percent()
	row.Skip(margin).Put(p.st.Strong, "Agents").Skip(1)
	if count := p.count(); count != "" {
		row.Put(p.st.Muted, count).Skip(1)
	}
	n := &p.nodes[p.anchor()]
	sign, mark := glyph(p.st, n.state, p.frame)
	row.Put(mark, sign).Skip(1)
	name := n.name
	if n.root && p.doing != "" {
		name = p.doing
	}
	tail := margin
	if right != "" {
		tail += 1 + len(right)
	}
	clock := n.elapsed(p.now)
	if clock != "" && row.Left()-tail-1-len(clock) >= nameCells {
		row.PutMax(p.st.Text, name, row.Left()-tail-1-len(clock)).Skip(1).Put(p.st.Muted, clock)
	} else {
		row.PutMax(p.st.Text, name, row.Left()-tail)
	}
	if right != "" {
		row.Until(len(right)+margin).Put(style, right)
	}
	return row.String()
}

func (p *Pane) knowsContext() bool { return p.context.Used > 0 || p.context.Max > 0 }

// full is how many percent of the context window are used; they may exceed 100.
// The limit must be known.
func (p *Pane) full() float64 { return float64(max(p.context.Used, 0)) * 100 / float64(p.context.Max) }

// percent is how full the context window is and a style that warns: from half
// on, above four fifths, and from 95 percent on. Without a known limit it is
// empty.
func (p *Pane) percent() (string, rows.Style) {
	if p.context.Max <= 0 {
		return "", p.st.Muted
	}
	n := int(min(p.full(), 999))
	style := p.st.Good
	switch {
	case n >= 95:
		style = p.st.BadgeBad
	case n > 80:
		style = p.st.Bad
	case n >= 50:
		style = p.st.Warn
	}
	return strconv.Itoa(n) + "%", style
}

// The least and the greatest length of the bar in cells.
const barMin, barMax = 4, 20

// contextRow draws "Context ▓▓▓▓░░░░ 48% 96k/200k". Without a known limit only
// the tokens are shown. The bar takes the room that is left, and none when there
// is too little.
func (p *Pane) contextRow(w int) string {
	row := cells.NewRow(w)
	used := status.Tokens(int64(p.context.Used))
	row.Skip(margin).Put(p.st.Strong, "Context").Skip(1)
	percent, style := p.percent()
	if percent == "" {
		return row.PutMax(p.st.Muted, used, row.Left()-margin).String()
	}
	total := used + "/" + status.Tokens(int64(p.context.Max))
	if n := min(row.Left()-margin-len(percent)-len(total)-2, barMax); n >= barMin {
		full := int(min(p.full(), 100)/100*float64(n) + 0.5)
		fill := style
		if style == p.st.BadgeBad {
			fill = p.st.Bad
		}
		row.Put(fill, strings.Repeat("▓", full)).Put(p.st.Faint, strings.Repeat("░", n-full)).Skip(1)
	}
	row.Put(style, percent).Skip(1)
	return row.PutMax(p.st.Muted, total, row.Left()-margin).String()
}
