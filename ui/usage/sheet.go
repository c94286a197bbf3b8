package usage

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Limits of what is listed.
const (
	mostAgents = 200
	mostCalls  = 30
)

// sheet is a text under construction, line by line.
type sheet struct {
	st    *rows.Styles
	w     int
	lines []string
	above string // why the call above got no more from the cache
}

func newSheet(w int, st *rows.Styles) *sheet { return &sheet{st: st, w: max(w, 1)} }

// String is the text, without blanks at the ends of its lines.
func (s *sheet) String() string {
	for i, l := range s.lines {
		s.lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(s.lines, "\n")
}

func (s *sheet) blank() { s.lines = append(s.lines, "") }

// head begins a part.
func (s *sheet) head(text string) {
	if len(s.lines) > 0 {
		s.blank()
	}
	s.lines = append(s.lines, s.st.Strong.Render(cells.Cut(text, s.w)))
}

// say adds text, wrapped, behind an indentation.
func (s *sheet) say(style rows.Style, indent int, text string) {
	indent = min(indent, s.w/2)
	for _, l := range rows.Wrap(nil, text, s.w-indent) {
		s.lines = append(s.lines, rows.Blank(indent)+style.Render(l))
	}
}

// hang adds text behind a mark, wrapped so that its lines stand below each other.
func (s *sheet) hang(style rows.Style, indent int, mark, text string) {
	indent = min(indent, s.w/4)
	n := rows.Width(mark)
	for i, l := range rows.Wrap(nil, text, max(s.w-indent-n, 1)) {
		if i > 0 {
			mark = rows.Blank(n)
		}
		s.lines = append(s.lines, cells.Cut(rows.Blank(indent)+mark, s.w-2)+style.Render(l))
	}
}

// labelCells is the width of the names of facts.
const labelCells = 12

// fact adds a named figure. Where it does not fit beside its name it is wrapped.
func (s *sheet) fact(name string, style rows.Style, text string) {
	if s.w < 3*labelCells {
		s.say(style, 2, name+": "+text)
		return
	}
	for i, l := range rows.Wrap(nil, text, s.w-labelCells-2) {
		if i > 0 {
			name = ""
		}
		s.lines = append(s.lines, "  "+s.st.Muted.Render(rows.Fit(name, labelCells))+style.Render(l))
	}
}

// column is a column of figures, right-aligned.
type column struct {
	name string
	text []string
}

// width is that of its widest figure.
func (c *column) width() int {
	n := rows.Width(c.name)
	for _, t := range c.text {
		n = max(n, rows.Width(t))
	}
	return n
}

// gap is what stands between two columns.
const gap = 2

// columnsWidth is how wide columns are together, each with the gap before it.
func columnsWidth(list []column) int {
	n := 0
	for i := range list {
		n += gap + list[i].width()
	}
	return n
}

// line makes row i of a table, its heading for -1: a name and the figures behind it.
func (s *sheet) line(list []column, i int, style rows.Style, name string) string {
	row := cells.NewRow(s.w)
	right := columnsWidth(list)
	row.PutMax(style, name, s.w-right).Until(right)
	figure := s.st.Text
	if i < 0 {
		figure = s.st.Faint
	}
	for k := range list {
		text := list[k].name
		if i >= 0 {
			text = list[k].text[i]
		}
		row.Until(row.Left() - gap - list[k].width() + rows.Width(text))
		row.Put(figure, text)
	}
	return strings.TrimRight(row.String(), " ")
}

// agentName returns the name of an agent, made safe.
func agentName(a *event.Agent) string { return term.Line(clip(a.Name())) }

// clip bounds what is made safe of a text: more is never shown.
func clip(text string) string {
	const most = 400
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// indented is a name with the indentation of its depth.
func indented(depth int, name string) string {
	if depth <= 0 {
		return name
	}
	return strings.Repeat("  ", min(depth, 6)-1) + "└ " + name
}

// none stands where there is no figure.
const none = "–"

// count writes a number of tokens, and nothing for none.
func count(n int64) string {
	if n <= 0 {
		return none
	}
	return format.Tokens(n)
}

// about writes a number of tokens, marked where it is in part an estimate.
func about(u event.Usage, n int64) string {
	if u.Uncounted > 0 && n > 0 {
		return "~" + count(n)
	}
	return count(n)
}

// saved writes what a cache has saved, with a minus what it has cost more. It is
// reckoned by a list of prices.
func saved(m event.Money) string {
	switch {
	case m > 0:
		return estimate(m)
	case m < 0:
		return "−" + format.Dollars(-m)
	}
	return none
}

// estimate writes an amount reckoned by a list of prices.
func estimate(m event.Money) string {
	return format.CostBrief(event.Usage{Calls: 1, Cost: m})
}
