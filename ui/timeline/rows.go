package timeline

import (
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// The cells that parts of a row take: the note at its end, and a name at least
// and at most.
const (
	noteCells = 8
	leastBar  = 8
	leastName = 8
	mostName  = 44
)

// columns are the widths of the parts of a row.
type columns struct{ name, bar, note int }

// columnsOf shares w cells: a third for the name, and the note only where it
// leaves room for a bar.
func columnsOf(w int) columns {
	c := columns{name: min(max(w/3, leastName), mostName), note: noteCells}
	if w-c.name-c.note-2 < leastBar {
		c.note = 0
	}
	c.bar = w - c.name - 1
	if c.note > 0 {
		c.bar -= c.note + 1
	}
	c.bar = max(c.bar, 0)
	return c
}

// Rows implements [overlay.Box].
func (t *Timeline) Rows(dst []string, w, h int) []string {
	base := len(dst)
	if w < minWidth || h < minHeight {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	f := overlay.NewFrame(t.st, dst, w, h)
	foot := t.footRows(h)
	listed := max(h-3-foot, 0) // the edges, the ruler
	f.Top(t.heading(), t.note(listed))
	if len(t.bars) == 0 {
		f.Say(t.st.Muted, "This turn has no subagents any more.")
		return f.Bottom(t.hints)
	}
	c := columnsOf(f.Inner())
	t.wide = c.bar
	t.rulerRow(f, c)
	t.list(f, c, min(listed, f.Left()))
	t.foot(f, foot)
	return f.Bottom(t.keys())
}

// footRows is how many rows there are below the bars on a screen of h rows.
func (t *Timeline) footRows(h int) int {
	switch {
	case h >= 16:
		return 5 // a line, the selected agent in three rows, the signs
	case h >= 10:
		return 3
	case h >= 7:
		return 1
	}
	return 0
}

// heading names the window and the turn.
func (t *Timeline) heading() string {
	name := "Timeline"
	if t.past.on {
		name = "Replay"
	}
	return join(name, t.title)
}

// note says how many agents there are and how long it took, or where a replay
// stands.
func (t *Timeline) note(listed int) string {
	spent := format.Elapsed(time.Duration(t.length()))
	if t.past.on {
		sign := "paused"
		if t.past.playing {
			sign = "▶ ×" + strconv.Itoa(max(t.past.speed, 1))
		}
		return join(sign, format.Elapsed(time.Duration(t.past.at))+" of "+spent)
	}
	many := format.Count(len(t.bars), "agent", "agents")
	if len(t.bars) > listed {
		many = strconv.Itoa(t.at+1) + " of " + many
	}
	frozen := ""
	if t.frozen {
		frozen = "no new agents"
	}
	running := ""
	if t.live > 0 {
		running = "⚡" + strconv.Itoa(t.live)
	}
	return join(many, running, frozen, spent)
}

// moment is the time that is shown, on the wall.
func (t *Timeline) moment() int64 {
	if t.past.on {
		return t.begin() + t.past.at
	}
	return max(nanos(t.now), t.end())
}

func (t *Timeline) rulerRow(f *overlay.Frame, c columns) {
	from, per := int64(0), t.cell(c.bar)
	line := ruler(t.st, from, per, c.bar)
	if x := (t.past.at - from) / per; t.past.on && x >= 0 && x < int64(c.bar) {
		line = rows.Splice(line, int(x), t.st.Accent.Render("▼"), c.bar)
	}
	out := rows.Fit(t.st.Muted.Render("Agent"), c.name) + rows.Blank(1) + line
	if c.note > 0 {
		out += rows.Blank(1) + t.st.Muted.Render(right("worked", c.note))
	}
	f.Put(out)
}

// right puts a text at the end of n cells.
func right(text string, n int) string {
	text = cells.Cut(text, n)
	return rows.Blank(n-rows.Width(text)) + text
}

// list draws n rows of bars with the selected one among them.
func (t *Timeline) list(f *overlay.Frame, c columns, n int) {
	if n <= 0 {
		return
	}
	t.top = max(min(t.top, t.at), t.at-n+1)
	t.top = max(min(t.top, len(t.bars)-n), 0)
	line := make([]kind, c.bar)
	t.signs = 1
	for i := range t.bars {
		if sign, _ := agents.Glyph(t.st, t.bars[i].sp.State, t.frame); rows.Width(sign) > 1 {
			t.signs = 2
		}
	}
	for i := t.top; i < min(t.top+n, len(t.bars)); i++ {
		f.Put(t.row(&t.bars[i], i == t.at, c, f.Inner(), line))
	}
}

// row draws the row of an agent.
func (t *Timeline) row(b *bar, marked bool, c columns, w int, line []kind) string {
	at := t.moment()
	state := b.sp.State
	if t.past.on {
		state, _ = b.at(at)
	}
	row := cells.NewRow(w)
	style := t.st.Text
	mark := " "
	switch {
	case marked:
		mark, style = "▸", t.st.Strong
	case state == "":
		style = t.st.Faint
	case state.Ended():
		style = t.st.Muted
	}
	row.Put(t.st.Accent, mark).Put(t.st.Border, cells.CutStart(b.guide, c.name/2))
	sign, signStyle := agents.Glyph(t.st, state, t.frame)
	if state == "" {
		sign, signStyle = "·", t.st.Faint
	}
	row.Put(signStyle, sign).Skip(t.signs + 1 - rows.Width(sign))
	row.PutMax(style, b.name, row.Left()-(w-c.name)).Until(w - c.name).Skip(1)
	t.barCells(row, b, at, line)
	if c.note > 0 {
		row.Skip(1).Put(t.noteStyle(state), right(t.clockOf(b, state, at), c.note))
	}
	out := row.String()
	if marked {
		return t.st.Selected.Over(out)
	}
	return out
}

// clockOf is what stands at the end of a row: for how long the agent has worked.
func (t *Timeline) clockOf(b *bar, state event.AgentState, at int64) string {
	switch state {
	case "":
		return ""
	case event.AgentQueued, event.AgentRefused:
		return string(state)
	}
	if t.past.on {
		return format.Elapsed(b.worked(at, t.now))
	}
	return format.Elapsed(b.sp.Elapsed(t.now))
}

func (t *Timeline) noteStyle(s event.AgentState) rows.Style {
	if s == event.AgentRefused {
		return t.st.Warn
	}
	return t.st.Muted
}

// barCells draws a bar, cells of one kind at a time.
func (t *Timeline) barCells(row *cells.Row, b *bar, at int64, line []kind) {
	from, per := t.begin(), t.cell(len(line))
	b.paint(line, from, per, at)
	over := -1 // the cell with something else in it
	sign, style := "", t.st.Accent
	switch x := (at - from) / per; {
	case b.refused() && b.start > 0 && b.start <= at && b.start >= from:
		over, sign, style = int(min((b.start-from)/per, int64(len(line)))), "⊘", t.st.Warn
	case t.past.on && x >= 0 && x < int64(len(line)) && line[x] == nothing:
		over, sign = int(x), "│"
	}
	for i := 0; i < len(line); {
		if i == over {
			row.Put(style, sign)
			i++
			continue
		}
		j := i
		for j < len(line) && line[j] == line[i] && j != over {
			j++
		}
		if k := line[i]; k == nothing {
			row.Skip(j - i)
		} else {
			look := t.look(k)
			row.Put(look.style, strings.Repeat(look.cell, j-i))
		}
		i = j
	}
}

// look is how a kind of time is drawn.
type look struct {
	cell, name string
	style      rows.Style
}

func (t *Timeline) look(k kind) look {
	switch k {
	case model:
		return look{"▒", "model", t.st.Accent}
	case tool:
		return look{"█", "tool", t.st.Accent}
	case queued:
		return look{"·", "queued", t.st.Faint}
	case paused:
		return look{"‖", "paused", t.st.Info}
	case lock:
		return look{"░", "waits", t.st.Muted}
	case asks:
		return look{"◆", "needs your answer", t.st.Warn}
	}
	return look{" ", "", t.st.Text}
}
