package timeline

import (
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
)

// Rows implements [overlay.Box].
func (t *Trees) Rows(dst []string, w, h int) []string {
	base := len(dst)
	if w < minWidth || h < minHeight {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	f := overlay.NewFrame(t.st, dst, w, h)
	switch {
	case t.compare:
		t.comparison(f)
		return f.Bottom(nil)
	case len(t.list) == 0:
		f.Top("Subagents of this session", "")
		f.Say(t.st.Muted, "No turn of this session has had subagents.")
		return f.Bottom(t.hints)
	}
	foot := 0
	switch {
	case h >= 14:
		foot = 4
	case h >= 9:
		foot = 3
	}
	listed := max(h-3-foot, 1)
	note := format.Count(len(t.list), "turn", "turns")
	if len(t.list) > listed {
		note = strconv.Itoa(t.at+1) + " of " + note
	}
	f.Top("Subagents of this session", note)
	c := t.columns(f.Inner())
	if h > minHeight {
		f.Put(t.head(c, f.Inner()))
	}
	listed = min(listed, f.Left())
	t.top = max(min(t.top, t.at), t.at-listed+1)
	t.top = max(min(t.top, len(t.list)-listed), 0)
	for i := t.top; i < min(t.top+listed, len(t.list)); i++ {
		f.Put(t.row(i, c, f.Inner()))
	}
	for f.Left() > foot {
		f.Add(rows.Blank(f.Inner() + 2))
	}
	t.details(f, foot)
	return f.Bottom(t.keys())
}

// keys are the reminders of keys: the caller's and those of this window.
func (t *Trees) keys() []status.Hint {
	list := append([]status.Hint(nil), t.hints...)
	list = hint(list, t.bound, keys.InReplays, "mark", keys.Mark)
	if len(t.marked) > 0 {
		list = hint(list, t.bound, keys.InReplays, "compare", keys.Compare)
	}
	return list
}

// column is a figure in the list.
type column struct {
	name string
	w    int
	of   func(s *stats) string
}

// columns are the figures that fit into rows of w cells beside the prompt, the
// most telling first.
func (t *Trees) columns(w int) []column {
	widest := 0
	for i := range t.list {
		_, n := t.list[i].signs(t.st, t.frame)
		widest = max(widest, n)
	}
	all := []column{
		{"agents", max(min(widest, 24), 6), func(s *stats) string { text, _ := s.signs(t.st, t.frame); return text }},
		{"time", 7, func(s *stats) string { return t.st.Muted.Render(format.Elapsed(s.took(t.now))) }},
		{"cost", 8, func(s *stats) string { return t.st.Muted.Render(format.Cost(s.usage)) }},
		{"tokens", 6, func(s *stats) string { return t.st.Muted.Render(format.Tokens(tokens(s.usage))) }},
		{"when", t.widestStamp(), func(s *stats) string { return t.st.Muted.Render(stamp(s.from, t.now)) }},
		{"depth", 5, func(s *stats) string { return t.st.Muted.Render(strconv.Itoa(s.depth)) }},
	}
	// The number stands before the prompt, which keeps some cells.
	left := w - 7 - min(16, w/4)
	n := 0
	for n < len(all) && left >= all[n].w+2 {
		left -= all[n].w + 2
		n++
	}
	return all[:n]
}

func (t *Trees) widestStamp() int {
	widest := len("15:04")
	for i := range t.list {
		widest = max(widest, len(stamp(t.list[i].from, t.now)))
	}
	return widest
}

// rest is how wide the columns are together.
func rest(c []column) int {
	n := 0
	for i := range c {
		n += c[i].w + 2
	}
	return n
}

func (t *Trees) head(c []column, w int) string {
	row := cells.NewRow(w)
	row.Put(t.st.Faint, "    #  ").PutMax(t.st.Faint, "turn", row.Left()-rest(c)).Until(rest(c))
	for _, k := range c {
		row.Put(t.st.Faint, "  "+right(k.name, k.w))
	}
	return row.String()
}

// row draws a tree: its mark, its number, its prompt and its figures.
func (t *Trees) row(i int, c []column, w int) string {
	s := &t.list[i]
	row := cells.NewRow(max(w-rest(c), 0))
	style, mark := t.st.Text, "  "
	if i == t.at {
		style, mark = t.st.Strong, "▸ "
	}
	row.Put(t.st.Accent, mark).Put(t.st.Warn, t.letter(s.tree)).Put(t.st.Muted, right(strconv.Itoa(i+1), 3)).Skip(2)
	out := row.Put(style, promptOr(s.prompt)).String()
	for _, k := range c {
		text := rows.Fit(k.of(s), min(k.w, rows.Width(k.of(s))))
		out += rows.Blank(2+k.w-rows.Width(text)) + text
	}
	if i == t.at {
		return t.st.Selected.Over(out)
	}
	return out
}

// letter is the name that a marked tree has in a comparison.
func (t *Trees) letter(id event.TurnID) string {
	for i, m := range t.marked {
		if m == id {
			return string(rune('A' + i))
		}
	}
	return " "
}

func promptOr(prompt string) string {
	if prompt == "" {
		return "(no text)"
	}
	return prompt
}

// details draws n rows about the selected tree.
func (t *Trees) details(f *overlay.Frame, n int) {
	if n < 3 {
		return
	}
	s := &t.list[t.at]
	f.Divide()
	f.Say(t.st.Text, promptOr(s.prompt))
	asks := ""
	if s.asks > 0 {
		asks = "◆ " + format.Count(s.asks, "needs your answer", "need your answer")
	}
	figures := []string{
		format.Count(s.agents, "agent", "agents") + ": " + s.words(),
		"depth " + strconv.Itoa(s.depth), format.Count(s.tools, "tool call", "tool calls"),
	}
	spent := []string{
		stamp(s.from, t.now), format.Elapsed(s.took(t.now)), "work of " + format.Elapsed(s.work(t.now)),
		format.Tokens(tokens(s.usage)) + " tokens", format.Cost(s.usage),
	}
	if n == 3 {
		f.Say(t.st.Muted, join(append([]string{asks}, append(figures, spent...)...)...))
		return
	}
	f.Say(t.st.Muted, join(append([]string{asks}, figures...)...))
	f.Say(t.st.Muted, join(spent...))
}

// line is a row of a comparison.
type line struct {
	label string
	a, b  string
	delta string
	same  bool
}

// table compares the two marked trees, figure by figure.
func (t *Trees) table() []line {
	if len(t.marked) < 2 {
		return nil
	}
	i, j := t.index(t.marked[0]), t.index(t.marked[1])
	if i < 0 || j < 0 {
		return nil
	}
	a, b := &t.list[i], &t.list[j]
	number := func(label string, x, y int64, write func(int64) string) line {
		return line{label, write(x), write(y), delta(y-x, write), x == y}
	}
	list := []line{
		{"turn", "#" + strconv.Itoa(i+1), "#" + strconv.Itoa(j+1), "", true},
		{"when", stamp(a.from, t.now), stamp(b.from, t.now), "", true},
		{"prompt", promptOr(a.prompt), promptOr(b.prompt), "", true},
		number("agents", int64(a.agents), int64(b.agents), decimal),
	}
	for _, o := range outcomes() {
		if x, y := a.by[o], b.by[o]; x > 0 || y > 0 {
			sign, _ := agents.Glyph(t.st, o, 0)
			list = append(list, number("  "+sign+" "+outcomeWord(o), int64(x), int64(y), decimal))
		}
	}
	return append(list,
		number("depth", int64(a.depth), int64(b.depth), decimal),
		number("duration", seconds(a.took(t.now)), seconds(b.took(t.now)), elapsed),
		number("work", seconds(a.work(t.now)), seconds(b.work(t.now)), elapsed),
		number("tool calls", int64(a.tools), int64(b.tools), decimal),
		number("model calls", a.usage.Calls, b.usage.Calls, decimal),
		number("tokens in", a.usage.Prompt(), b.usage.Prompt(), format.Tokens),
		number("tokens out", a.usage.Output, b.usage.Output, format.Tokens),
		t.costs(a, b),
	)
}

// costs compares what two trees cost. Without all prices of both there is no
// difference to tell.
func (t *Trees) costs(a, b *stats) line {
	l := line{"cost", costOr(a.usage), costOr(b.usage), "", true}
	if d := b.usage.Cost - a.usage.Cost; a.usage.Unpriced == 0 && b.usage.Unpriced == 0 && d != 0 {
		write := func(n int64) string { return format.Dollars(event.Money(n)) }
		l.delta, l.same = delta(int64(d), write), false
	}
	return l
}

func costOr(u event.Usage) string {
	if text := format.Cost(u); text != "" {
		return text
	}
	return "nothing"
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

func elapsed(n int64) string { return format.Elapsed(time.Duration(n) * time.Second) }

// delta writes a difference with its sign.
func delta(n int64, write func(int64) string) string {
	switch {
	case n > 0:
		return "+" + write(n)
	case n < 0:
		return "−" + write(-n)
	}
	return "="
}

// comparison draws two trees beside each other.
func (t *Trees) comparison(f *overlay.Frame) {
	f.Top("Compare", "B compared with A")
	table := t.table()
	label, gap := 15, 2
	each := max((f.Inner()-label-3*gap)/3, 1)
	last := min(each, 14)
	each = max((f.Inner()-label-3*gap-last)/2, 1)
	put := func(a, b, c, d string, style rows.Style) {
		row := cells.NewRow(f.Inner())
		row.PutMax(t.st.Muted, a, label).Until(f.Inner() - label)
		for i, text := range []string{b, c} {
			row.Skip(gap).PutMax(style, text, each).Until(f.Inner() - label - (i+1)*(gap+each))
		}
		f.Put(row.Skip(gap).Put(style, right(d, min(last, max(row.Left(), 0)))).String())
	}
	put("", "A", "B", "Δ", t.st.Strong)
	room := f.Left()
	t.down = max(min(t.down, len(table)-room), 0)
	for _, l := range table[t.down:min(t.down+room, len(table))] {
		style := t.st.Text
		if l.same {
			style = t.st.Faint
		}
		if strings.HasPrefix(l.label, "prompt") {
			style = t.st.Text
		}
		put(l.label, l.a, l.b, l.delta, style)
	}
}
