package agents

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// margin is the blank on either side of the pane.
const margin = 1

// Height is how many of at most limit rows the pane needs. It is 0 without
// agents.
func (p *Pane) Height(limit int) int {
	if len(p.all) == 0 {
		return 0
	}
	n := 1 + len(p.lines)
	if p.doing != "" {
		n++
	}
	if p.knowsContext() {
		n += 2
		if p.knowsCache() {
			n++
		}
	}
	if p.steer.open {
		n++
	}
	return max(min(n, limit), 0)
}

// Rows appends the pane to dst: the header, the tree and, below a line, how full
// the context window is. With a single row it is the line that [Pane.Line]
// makes, or the input while an agent is steered. What the root does has a row of
// its own when all agents have one.
//
// A row has what its width allows, in this order: the name, the time, the calls
// that ended, the cost, the tokens, the same of the whole branch, the activity of
// the last minute, and what the agent does.
func (p *Pane) Rows(dst []string, w, h int) []string {
	base := len(dst)
	p.steer.drawn = -1
	switch {
	case h <= 0 || len(p.all) == 0:
		return rows.Fill(dst, base, max(h, 0), w)
	case h == 1 && p.steer.open:
		return p.drawSteer(dst, base, w, 1)
	case h == 1:
		return append(dst, p.Line(w))
	}
	dst = append(dst, p.header(w))
	below := 0
	if p.knowsContext() {
		switch {
		case h >= 8 && p.knowsCache():
			below = 3
		case h >= 6:
			below = 2
		case h >= 4:
			below = 1
		}
	}
	dst = p.tree(dst, base, w, h-1-below)
	dst = rows.Fill(dst, base, h-below, w)
	if below >= 2 {
		dst = append(dst, rows.Rule(w, p.st.Border))
	}
	if below > 0 {
		dst = append(dst, p.contextRow(w))
	}
	if below == 3 {
		dst = append(dst, p.cacheRow(w))
	}
	return dst
}

// tree appends at most room rows of agents and the input below one of them.
func (p *Pane) tree(dst []string, base, w, room int) []string {
	input := p.steerHeight(w, room)
	room -= input
	from, to := cells.Window(len(p.lines), room, p.anchor())
	if room <= 0 {
		to = from
	}
	marks := room >= 3
	if marks && from > 0 {
		dst = append(dst, p.hidden(w, from, "above"))
	}
	selected, steered := -1, -1
	if p.focused {
		selected = p.index()
	}
	if input > 0 {
		steered = p.steerLine()
		if steered < from || steered >= to {
			dst = p.drawSteer(dst, base, w, input)
		}
	}
	t := p.plan(from, to, w)
	for i := from; i < to; i++ {
		l := &p.lines[i]
		dst = append(dst, p.agent(w, l, t, &t.cell[i-from], i == selected))
		if l.at == 0 && p.all[0].root && p.doing != "" && room > len(p.lines) && !t.doing {
			dst = append(dst, p.doingRow(w))
		}
		if i == steered {
			dst = p.drawSteer(dst, base, w, input)
		}
	}
	if marks && to < len(p.lines) {
		dst = append(dst, p.hidden(w, len(p.lines)-to, "below"))
	}
	if p.filter != FilterAll && len(p.lines) == 1 && p.children > 0 && room > 1 {
		dst = append(dst, cells.NewRow(w).Skip(margin).Put(p.st.Faint, "none: "+p.filter.String()).String())
	}
	return dst
}

// badge says that nothing may be spawned.
const badge = " frozen "

// header says how many agents there are and what is special about the rows. What
// does not fit is left out, the least important first.
func (p *Pane) header(w int) string {
	count, cost, words := p.count(), format.CostBrief(p.spent), p.special()
	for p.headerCells(count, cost, words) > w && (cost != "" || len(words) > 0) {
		switch {
		case len(words) > 1 || len(words) == 1 && words[0] == p.past:
			words = words[:len(words)-1]
		case cost != "":
			cost = ""
		default:
			words = nil
		}
	}
	if cost != "" && count != "" {
		count += " · " + cost
	}
	row := cells.NewRow(w).Skip(margin)
	n := rows.Width(count)
	row.PutMax(p.st.Strong, "Agents", w-n-2*margin-1)
	if p.frozen && row.Left()-n-margin-1 >= len(badge)+1 {
		row.Skip(1).Put(p.st.BadgeWarn, badge)
	}
	for _, t := range words {
		row.Put(p.st.Faint, " · ").Put(p.st.Info, t)
	}
	return row.Until(n+margin).Put(p.st.Muted, count).String()
}

// special names the filter, the order and the turn of the rows, when they are not
// the usual ones.
func (p *Pane) special() []string {
	words := make([]string, 0, 3)
	if p.filter != FilterAll {
		words = append(words, p.filter.String())
	}
	if p.sort != SortSpawn {
		words = append(words, p.sort.String())
	}
	if p.past != "" {
		words = append(words, p.past)
	}
	return words
}

// headerCells is how wide the header is with these parts.
func (p *Pane) headerCells(count, cost string, words []string) int {
	n := 2*margin + len("Agents") + 1 + rows.Width(count)
	if p.frozen {
		n += len(badge) + 1
	}
	for _, t := range words {
		n += len(t) + 3
	}
	if cost != "" {
		n += rows.Width(cost) + 3
	}
	return n
}

// count says how many children there are and how many of them are at work.
func (p *Pane) count() string {
	if p.children == 0 {
		return ""
	}
	return itoa(p.children) + " · ⚡" + itoa(p.active)
}

func (p *Pane) hidden(w, n int, where string) string {
	return cells.NewRow(w).Skip(margin).Put(p.st.Faint, "… "+itoa(n)+" "+where).String()
}

// doingRow is the second row of the root: what it does now.
func (p *Pane) doingRow(w int) string {
	row := cells.NewRow(w).Skip(margin)
	if len(p.lines) > 1 {
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
	if len(p.all) == 0 {
		return row.String()
	}
	right, style := p.percent()
	row.Skip(margin).Put(p.st.Strong, "Agents").Skip(1)
	if count := p.count(); count != "" {
		if cost := format.CostBrief(p.spent); cost != "" && w >= wideLine {
			count += " · " + cost
		}
		row.Put(p.st.Muted, count).Skip(1)
	}
	if p.frozen && w >= wideLine {
		row.Put(p.st.BadgeWarn, " frozen ").Skip(1)
	}
	n := &p.all[0]
	if i := p.anchor(); i < len(p.lines) {
		n = &p.all[p.lines[i].at]
	}
	sign, mark := Glyph(p.st, n.state, p.frame)
	row.Put(mark, sign).Skip(1)
	name := n.known.name
	if n.root && p.doing != "" {
		name = p.doing
	}
	tail := margin
	if right != "" {
		tail += 1 + len(right)
	}
	clock := n.elapsed(p.now)
	if clock != "" && row.Left()-tail-1-len(clock) >= nameCells+2 {
		row.PutMax(p.st.Text, name, row.Left()-tail-1-len(clock)).Skip(1).Put(p.st.Muted, clock)
	} else {
		row.PutMax(p.st.Text, name, row.Left()-tail)
	}
	if right != "" {
		row.Until(len(right)+margin).Put(style, right)
	}
	return row.String()
}

// wideLine is from how many cells on the one row says more.
const wideLine = 60

func (p *Pane) knowsContext() bool { return p.context.Used > 0 || p.context.Max > 0 }

// percent is how full the context window is and a style that warns. Without a
// known limit it is empty.
func (p *Pane) percent() (string, rows.Style) { return percent(p.st, p.context) }

// percent writes how much of a context window is used and chooses a style that
// warns: from half on, above four fifths, and from 95 percent on.
func percent(st *rows.Styles, c event.Context) (string, rows.Style) {
	if c.Max <= 0 {
		return "", st.Muted
	}
	n := int(min(full(c), 999))
	style := st.Good
	switch {
	case n >= 95:
		style = st.BadgeBad
	case n > 80:
		style = st.Bad
	case n >= 50:
		style = st.Warn
	}
	return strconv.Itoa(n) + "%", style
}

// full is how many percent of a context window are used; they may exceed 100. The
// limit must be known.
func full(c event.Context) float64 { return float64(max(c.Used, 0)) * 100 / float64(c.Max) }

// The least and the greatest length of the bar in cells.
const barMin, barMax = 4, 20

// contextRow draws "Context ▓▓▓▓░░░░ 48% 96k/200k". Without a known limit only
// the tokens are shown. The bar takes the room that is left, and none when there
// is too little.
func (p *Pane) contextRow(w int) string {
	row := cells.NewRow(w)
	used := format.Tokens(int64(p.context.Used))
	row.Skip(margin).Put(p.st.Strong, "Context").Skip(1)
	share, style := p.percent()
	if share == "" {
		return row.PutMax(p.st.Muted, used, row.Left()-margin).String()
	}
	total := used + "/" + format.Tokens(int64(p.context.Max))
	if n := min(row.Left()-margin-len(share)-len(total)-2, barMax); n >= barMin {
		fill := style
		if style == p.st.BadgeBad {
			fill = p.st.Bad
		}
		bar(row, p.st, fill, full(p.context), n)
		row.Skip(1)
	}
	row.Put(style, share).Skip(1)
	return row.PutMax(p.st.Muted, total, row.Left()-margin).String()
}

// knowsCache reports whether there is something to say of the root's prompt cache.
func (p *Pane) knowsCache() bool { return p.cache.Told || p.cache.Warm }

// cacheRow draws "Cache    92% hit · warm to 14:32".
func (p *Pane) cacheRow(w int) string {
	row := cells.NewRow(w)
	row.Skip(margin).Put(p.st.Strong, "Cache").Skip(3)
	if p.cache.Missed {
		row.Put(p.st.Warn, "⚠").Skip(1)
	}
	hit, kept := "", ""
	if p.cache.Told {
		hit = itoa(p.cache.Percent) + "% hit"
	}
	switch {
	case !p.cache.Warm:
	case p.cache.Left > 0:
		kept = "warm " + format.Elapsed(p.cache.Left)
	case p.cache.Until != "":
		kept = "warm to " + p.cache.Until
	default:
		kept = "cold"
	}
	row.Put(p.st.Muted, hit)
	if hit != "" && kept != "" {
		kept = " · " + kept
	}
	if rows.Width(kept) <= row.Left() {
		row.Put(p.st.Muted, kept)
	}
	return row.String()
}

// bar draws a share of a hundred in n cells.
func bar(row *cells.Row, st *rows.Styles, fill rows.Style, percent float64, n int) {
	on := int(max(min(percent, 100), 0)/100*float64(n) + 0.5)
	row.Put(fill, strings.Repeat("▓", on)).Put(st.Faint, strings.Repeat("░", n-on))
}

func itoa(n int) string { return strconv.Itoa(n) }
