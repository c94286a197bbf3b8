package agentgrid

import (
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/format"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// frameW and frameH are the least tile that has a border.
const frameW, frameH = 14, 5

// border is how the frame of a tile looks.
type border struct {
	corners [4]string
	line    string
	side    string
	style   rows.Style
}

// borderOf tells tiles apart: the one in focus by its strokes, those that wait for
// the user by their colour.
func (g *Grid) borderOf(t *tile, focused bool) border {
	b := border{[4]string{"╭", "╮", "╰", "╯"}, "─", "│", g.st.Border}
	if focused {
		b = border{[4]string{"┏", "┓", "┗", "┛"}, "━", "┃", g.st.Accent}
	}
	if t.asks > 0 {
		b.style = g.st.Warn
	}
	return b
}

// draw makes the rows of a tile of tw×th cells.
func (g *Grid) draw(t *tile, tw, th int, focused bool) {
	t.rows = t.rows[:0]
	if tw < frameW || th < frameH {
		g.bare(t, tw, th, focused)
		return
	}
	b, iw := g.borderOf(t, focused), tw-4
	t.rows = append(t.rows, g.head(t, b, tw, focused))
	edge := b.style.Render(b.side)
	if b.style.Open() == "" {
		edge = "\x1b[m" + b.side + "\x1b[m"
	}
	from := len(t.rows)
	t.rows = append(t.rows, g.status(t, iw))
	t.rows = g.body(t, t.rows, iw, th-3)
	for i := from; i < len(t.rows); i++ {
		t.rows[i] = edge + " " + t.rows[i] + " " + edge
	}
	t.rows = append(t.rows, g.lower(t, b, tw))
}

// bare draws a tile without a border, for want of room.
func (g *Grid) bare(t *tile, tw, th int, focused bool) {
	if th > 0 {
		row := cells.NewRow(tw)
		sign, style := agents.Glyph(g.st, t.sp.State, g.frame)
		if t.asks > 0 {
			sign, style = "◆", g.st.Warn
		}
		name := g.st.Text
		if focused {
			name = g.st.Strong
		}
		if t.asks > 0 && th == 1 {
			sign, style = " ◆ WAITS FOR YOU ", g.st.BadgeWarn
		}
		t.rows = append(t.rows, row.Put(style, sign).Skip(1).Put(name, t.name).String())
	}
	if th > 1 {
		t.rows = append(t.rows, g.status(t, tw))
	}
	t.rows = g.body(t, t.rows, tw, th-2)
	t.rows = rows.Fill(t.rows, 0, th, tw)
}

// head is the upper edge of a tile: its glyph, its goal and its stop-watch.
func (g *Grid) head(t *tile, b border, tw int, focused bool) string {
	sign, style := agents.Glyph(g.st, t.sp.State, g.frame)
	if t.asks > 0 {
		sign, style = "◆", g.st.Warn
	}
	name := g.st.Text
	switch {
	case focused:
		name = g.st.Strong
	case t.sp.State.Ended():
		name = g.st.Muted
	}
	clock := ""
	if t.sp.State != event.AgentQueued && t.sp.State != event.AgentRefused {
		clock = format.Elapsed(t.sp.Elapsed(g.now))
	}
	row := cells.NewRow(tw)
	row.Put(b.style, b.corners[0]+b.line).Skip(1).Put(style, sign).Skip(1)
	tail := 2 // the line and the corner
	if clock != "" {
		tail += len(clock) + 2
	}
	row.PutMax(name, t.name, row.Left()-tail-2).Skip(1)
	if n := row.Left() - tail; n > 0 {
		row.Put(b.style, strings.Repeat(b.line, n))
	}
	if clock != "" {
		row.Skip(1).Put(g.st.Muted, clock).Skip(1)
	}
	return row.Put(b.style, b.line+b.corners[1]).String()
}

// lower is the lower edge of a tile, with what the agent has used.
func (g *Grid) lower(t *tile, b border, tw int) string {
	text := ""
	if t.sp.Tools > 0 {
		text = strconv.Itoa(t.sp.Tools) + "t"
	}
	for _, part := range []string{tokens(t.usage), format.CostBrief(t.usage)} {
		if part != "" && text != "" {
			text += " · "
		}
		text += part
	}
	row := cells.NewRow(tw).Put(b.style, b.corners[2])
	tail := 1
	if text != "" && rows.Width(text)+6 < tw {
		tail = rows.Width(text) + 4
	}
	row.Put(b.style, strings.Repeat(b.line, max(row.Left()-tail, 0)))
	if tail > 1 {
		row.Skip(1).Put(g.st.Faint, text).Skip(1).Put(b.style, b.line)
	}
	return row.Put(b.style, b.corners[3]).String()
}

func tokens(u event.Usage) string {
	if n := u.Prompt() + u.Output; n > 0 {
		return format.Tokens(n)
	}
	return ""
}

// status is the row that says how the agent stands. Waiting for the user is said
// as loudly as a row can.
func (g *Grid) status(t *tile, iw int) string {
	row := cells.NewRow(iw)
	if t.asks > 0 {
		text := " ◆ WAITS FOR YOU "
		if t.asks > 1 {
			text = " ◆ WAITS FOR YOU ×" + strconv.Itoa(t.asks) + " "
		}
		row.Put(g.st.BadgeWarn, text)
		switch since := g.since(t.sp.HeldFrom); {
		case t.who != "":
			row.Put(g.st.Warn, " below: "+t.who)
		case t.sp.State == event.AgentWaiting && since >= time.Second:
			row.Put(g.st.Warn, " for "+format.Elapsed(since))
		}
		return row.String()
	}
	style := g.st.Muted
	switch t.sp.State {
	case event.AgentFailed, event.AgentTimeout, event.AgentKilled:
		style = g.st.Bad
	case event.AgentPaused, event.AgentPausing:
		style = g.st.Info
	case event.AgentRefused, event.AgentInterrupted, event.AgentStopping:
		style = g.st.Warn
	case event.AgentCompleted:
		style = g.st.Good
	}
	return row.Put(style, t.doing()).String()
}

// body appends n rows: what the user is asked, and the end of the transcript.
func (g *Grid) body(t *tile, dst []string, iw, n int) []string {
	if n <= 0 {
		return dst
	}
	if t.asks > 0 && t.what != "" {
		base := len(dst)
		lines := markdown.Wrap(nil, t.what, max(iw, 1))
		room := max(min(n/2, 3), 1)
		for i, l := range lines[:min(len(lines), room)] {
			row := cells.NewRow(iw)
			if i == room-1 && len(lines) > room {
				l = cells.Cut(l, max(iw-2, 0)) + " …"
			}
			dst = append(dst, row.Put(g.st.Warn, l).String())
		}
		n -= len(dst) - base
	}
	return g.tail(t, dst, iw, n)
}
