package agents

import (
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// The figures at the end of a row, from left to right.
const (
	colSpark = iota
	colTools
	colTokens
	colCost
	colClock
	columns
)

// shares are the figures in the order in which they get room, and the cells that
// must be left for names after that.
var shares = [...]struct{ column, keep int }{
	{colClock, 8}, {colTools, 8}, {colCost, 14}, {colTokens, 15},
}

const (
	// sparkKeep, bothKeep and doingKeep are the cells that must be left for names
	// when there are sparklines, figures of whole branches, and what agents do.
	sparkKeep, bothKeep, doingKeep = 24, 26, 34
	// narrowBelow is how few cells for names make a word take the place of a figure.
	narrowBelow = 20
	// guideCells is how many cells of guides are reckoned with.
	guideCells = 6
	// nameCells is the least room a name keeps.
	nameCells = 6
)

// sparks are the lengths of sparklines, which are divisors of [slots].
var sparks = [...]int{6, 10, 15}

// table is which figures the rows have, and what they are. It is made again for
// each frame.
type table struct {
	width  [columns]int // 0 for a column that is left out
	right  int          // cells that all of them take, with a blank before each
	spark  int          // length of the sparklines
	narrow bool         // a word may take the place of the number of tools
	doing  bool         // what agents do stands behind their names
	cell   [][columns]string
}

// fill reads the figures of the rows from from to to.
func (t *table) fill(p *Pane, from, to int, both bool) {
	t.cell = t.cell[:0]
	for i := from; i < to; i++ {
		n := &p.all[p.lines[i].at]
		var c [columns]string
		c[colClock] = n.elapsed(p.now)
		c[colTools] = countTools(n.own.tools)
		c[colTokens] = countTokens(n.own.tokens())
		c[colCost] = format.CostBrief(n.own.usage)
		if both && n.kids > 0 {
			c[colTools] = pair(c[colTools], countTools(n.sum.tools))
			c[colTokens] = pair(c[colTokens], countTokens(n.sum.tokens()))
			c[colCost] = pair(c[colCost], format.CostBrief(n.sum.usage))
		}
		t.cell = append(t.cell, c)
	}
}

// pair writes an agent's own figure and that of it with everything below it.
func pair(own, sum string) string {
	switch {
	case sum == "" || sum == own:
		return own
	case own == "":
		own = "–"
	}
	return own + "/" + sum
}

// plan chooses the figures for the rows from from to to, in w cells.
func (p *Pane) plan(from, to, w int) *table {
	t := &p.forest.table
	guide, kids, live := 0, false, false
	for i := from; i < to; i++ {
		guide = max(guide, rows.Width(p.lines[i].guide))
		n := &p.all[p.lines[i].at]
		kids, live = kids || n.kids > 0, live || pulses(n.state)
	}
	free := w - 2*margin - 2 - min(guide, guideCells)
	t.fill(p, from, to, false)
	t.take(free)
	if t.narrow {
		return t
	}
	if kids {
		t.fill(p, from, to, true)
		if t.take(free); t.narrow || free-t.right < bothKeep {
			t.fill(p, from, to, false)
			t.take(free)
		}
	}
	for _, n := range sparks {
		if live && free-t.right-n-1 >= sparkKeep+n/2 {
			t.spark = n
		}
	}
	if t.spark > 0 {
		t.width[colSpark] = t.spark
		t.right += t.spark + 1
	}
	t.doing = free-t.right >= doingKeep
	return t
}

// take gives room to the figures, of free cells.
func (t *table) take(free int) {
	t.width, t.right, t.spark, t.narrow, t.doing = [columns]int{}, 0, 0, false, false
	var widest [columns]int
	for i := range t.cell {
		for c, text := range t.cell[i] {
			if text != "" {
				widest[c] = max(widest[c], rows.Width(text))
			}
		}
	}
	for _, s := range shares {
		n := widest[s.column]
		if n == 0 {
			continue
		}
		if free-t.right-n-1 < s.keep {
			t.narrow = true
			return
		}
		t.width[s.column] = n
		t.right += n + 1
	}
	t.narrow = free-t.right < narrowBelow
}

// pulses reports whether an agent in this state has a sparkline.
func pulses(s event.AgentState) bool { return !s.Ended() && s != event.AgentIdle }

// note is a word before the figures.
type note struct {
	long, short string
	style       rows.Style
}

// notes are the words before the figures of a row, in the order of their
// importance.
func (p *Pane) notes(dst []note, l *line, n *node) []note {
	if long, short := word(n.state, n.on); long != "" {
		style := p.st.Faint
		if n.state == event.AgentWaiting {
			style = p.st.Warn
		}
		dst = append(dst, note{long, short, style})
	}
	if n.steers > 0 {
		count := itoa(n.steers)
		verb := " waits"
		if n.steers > 1 {
			verb = " wait"
		}
		dst = append(dst, note{"↪ " + count + verb, "↪" + count, p.st.User})
	}
	if l.hidden > 0 {
		text := "↓" + itoa(l.hidden)
		dst = append(dst, note{text, text, p.st.Faint})
	}
	return dst
}

// agent draws a row of the tree. cell are its figures.
func (p *Pane) agent(w int, l *line, t *table, cell *[columns]string, selected bool) string {
	n := &p.all[l.at]
	row := &p.pen
	row.begin(w)
	if selected {
		row.put(p.st.Accent, "▸")
	} else {
		row.skip(margin)
	}
	row.put(p.st.Border, cells.CutStart(l.guide, w/3))
	sign, style := Glyph(p.st, n.state, p.frame)
	row.put(style, sign)
	p.heat(row, n)

	var store [3]note
	notes := p.notes(store[:0], l, n)
	from, right := colSpark, t.right
	if t.narrow && len(notes) > 0 && t.width[colTools] > 0 { // a word says more than the number of tools
		if long, _ := word(n.state, n.on); long != "" {
			from, right = colClock, t.width[colClock]+1
			if cell[colClock] == "" {
				from, right = columns, 0
			}
		}
	}
	if row.left-margin-right < nameCells {
		from, right = colClock, t.width[colClock]+1
		if t.width[colClock] == 0 || row.left-margin-right < nameCells {
			from, right = columns, 0
		}
	}
	p.name(row, n, t, notes, row.left-margin-right)
	row.until(right + margin)
	p.figures(row, n, t, cell, from)
	out := row.end()
	if selected {
		return p.st.Selected.Over(out)
	}
	return out
}

// heat draws the mark of activity between the sign and the name.
func (p *Pane) heat(row *pen, n *node) {
	h := 0
	if atWork(n.state) {
		h = n.known.pulse.heat(p.now)
	}
	if h == 0 {
		row.skip(1)
		return
	}
	row.put([...]rows.Style{p.st.Faint, p.st.Faint, p.st.Muted, p.st.Info, p.st.Accent}[h], heats[h])
}

// name draws the name and the notes in room cells: the notes at the end.
func (p *Pane) name(row *pen, n *node, t *table, notes []note, room int) {
	end := row.left - room
	need := 0
	store := [3]string{}
	texts := store[:len(notes)]
	for i, note := range notes {
		for _, text := range [2]string{note.long, note.short} {
			if cw := rows.Width(text) + 1; room-need-cw >= nameRoom(n, text == note.long && note.long != note.short) {
				texts[i], need = text, need+cw
				break
			}
		}
	}
	before := row.left
	row.put(p.nameStyle(n), n.known.fit(min(room-need, row.left)))
	if used := before - row.left; t.doing && n.known.doing != "" && atWork(n.state) && room-need-used >= nameCells+3 {
		row.put(p.st.Faint, " · ")
		row.putMax(p.st.Faint, n.known.doing, room-need-used-4)
	}
	row.until(end + max(need-1, 0))
	for i, text := range texts {
		if text == "" {
			continue
		}
		if row.put(notes[i].style, text); row.left > end {
			row.skip(1)
		}
	}
}

// nameRoom is how many cells a name must keep beside a note: more beside one that
// has a shorter form.
func nameRoom(n *node, long bool) int {
	if long {
		return min(rows.Width(n.known.name), 14)
	}
	return nameCells - 2
}

// figures draws the columns from from on.
func (p *Pane) figures(row *pen, n *node, t *table, cell *[columns]string, from int) {
	for c := from; c < columns; c++ {
		width := t.width[c]
		if width == 0 {
			continue
		}
		row.skip(1)
		left := row.left - width
		switch {
		case c == colSpark && pulses(n.state):
			row.put(p.st.Info, n.known.pulse.spark(p.now, t.spark))
		case c == colClock:
			row.until(left + rows.Width(cell[c]))
			row.put(p.st.Muted, cell[c])
		case c != colSpark:
			row.until(left + rows.Width(cell[c]))
			row.put(p.st.Faint, cell[c])
		}
		row.until(left)
	}
}

// nameStyle makes what is over fainter than what goes on.
func (p *Pane) nameStyle(n *node) rows.Style {
	if n.root {
		return p.st.Strong
	}
	switch n.state {
	case event.AgentCompleted, event.AgentKilled, event.AgentQueued, event.AgentInterrupted, event.AgentRefused:
		return p.st.Muted
	}
	return p.st.Text
}
