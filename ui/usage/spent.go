package usage

import (
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// mostTurns is how many turns are listed, the newest.
const mostTurns = 20

// Spent writes what the newest turns have used, and what the sessions of the last days
// have, each with a bar. prompt gives the text that a turn began with. It is empty when
// nothing was used.
func Spent(turns []app.TurnUse, days []app.DayUse, prompt func(event.TurnID) string, w int, st *rows.Styles) string {
	s := newSheet(w, st)
	if first := max(len(turns)-mostTurns, 0); len(turns) > 0 {
		list := make([]bar, 0, mostTurns)
		for i := len(turns) - 1; i >= first; i-- {
			t := turns[i]
			name := t.At.Local().Format("15:04") + " " + term.Line(clip(prompt(t.Turn)))
			if t.Agents > 0 {
				name = t.At.Local().Format("15:04") + " " + format.Count(t.Agents, "agent", "agents") + ": " + term.Line(clip(prompt(t.Turn)))
			}
			list = append(list, bar{name, t.Usage})
		}
		s.head("By turn, the newest first, subagents included")
		s.bars(list)
		s.more(first)
	}
	if len(days) > 0 {
		list := make([]bar, 0, len(days))
		for i := len(days) - 1; i >= 0; i-- {
			d := days[i]
			list = append(list, bar{
				d.Day.Format("Mon Jan _2") + " " + format.Count(int(d.Sessions), "session", "sessions"),
				event.Usage{Input: d.Input, Output: d.Output, Calls: d.Calls, Cost: d.Cost},
			})
		}
		s.head("By day, all sessions that began then")
		s.bars(list)
	}
	return s.String()
}

// bar is a row of a chart.
type bar struct {
	name string
	u    event.Usage
}

// The width of the bars, at most and at least, and how much room names need beside them,
// in cells.
const (
	barCells  = 16
	leastBeam = 6
	mostName  = 24
)

// bars draws a chart: of costs where any is known, else of tokens. Without room for bars
// there are only the figures.
func (s *sheet) bars(list []bar) {
	size := func(u event.Usage) int64 { return u.Prompt() + u.Output }
	for i := range list {
		if list[i].u.Cost > 0 {
			size = func(u event.Usage) int64 { return int64(u.Cost) }
			break
		}
	}
	most, cols := int64(1), []column{{name: "calls"}, {name: "in"}, {name: "out"}, {name: "cost"}}
	for i := range list {
		u := list[i].u
		most = max(most, size(u))
		for k, text := range []string{count(u.Calls), count(u.Prompt()), count(u.Output), charged(u)} {
			cols[k].text = append(cols[k].text, text)
		}
	}
	if s.w-columnsWidth(cols) < leastName {
		cols = cols[3:]
	}
	beam := min(barCells, s.w-columnsWidth(cols)-mostName-gap)
	if beam < leastBeam {
		beam = 0
	}
	right := columnsWidth(cols)
	s.lines = append(s.lines, s.line(cols, -1, s.st.Faint, ""))
	for i := range list {
		row := cells.NewRow(s.w)
		row.PutMax(s.st.Text, list[i].name, s.w-right-beam-gap)
		if beam > 0 {
			row.Until(right + beam)
			n := int((size(list[i].u)*int64(beam) + most/2) / most)
			row.Put(s.st.Accent, strings.Repeat("▓", n)).Put(s.st.Faint, strings.Repeat("░", beam-n))
		}
		row.Until(right)
		for k := range cols {
			text := cols[k].text[i]
			row.Until(row.Left() - gap - cols[k].width() + rows.Width(text))
			row.Put(s.st.Text, text)
		}
		s.lines = append(s.lines, strings.TrimRight(row.String(), " "))
	}
}

// charged is a cost in a chart.
func charged(u event.Usage) string {
	if u.Cost > 0 {
		return "~" + format.Dollars(u.Cost)
	}
	if u.Calls > 0 && u.Included == u.Calls {
		return "included"
	}
	return none
}
