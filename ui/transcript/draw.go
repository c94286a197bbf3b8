package transcript

import (
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

// entry is the drawn form of an item, from the cache or made now.
func (v *View) entry(it item) *entry {
	e := v.cache.get(v.blocks[it.from])
	if k := v.keyOf(it); e.key != k {
		e.key = k
		v.draw(e, it)
		v.cache.account(e)
	}
	return e
}

func (v *View) keyOf(it item) key {
	b := v.blocks[it.from]
	k := key{
		block: b, w: v.inner(), look: v.look, folded: v.folded(b),
		item: item{to: it.to - it.from, head: it.head, size: it.size},
		last: it.to == len(v.blocks),
	}
	switch {
	case b.Kind == event.BlockReasoning:
		k.took = int64(v.thought(it.from) / (100 * time.Millisecond))
	case running(b):
		k.took = int64(v.since(b.Call.Started) / (100 * time.Millisecond))
	}
	if v.moves(it) {
		k.frame = v.frame
	}
	return k
}

// moves tells whether an item changes with time.
func (v *View) moves(it item) bool {
	b := v.blocks[it.from]
	return running(b) || b.Kind == event.BlockReasoning && v.thinking(it.from)
}

// running tells whether a block is a call at work.
func running(b *event.Block) bool {
	return b.Kind == event.BlockTool && b.Call.Stage == event.CallRunning && b.Call.Asked == ""
}

// canvas collects the rows of a block.
type canvas struct {
	st   *rows.Styles
	w    int
	key  string // that opens a block
	rows []string
}

// add appends a row, cut to the width.
func (c *canvas) add(row string) {
	if rows.Width(row) > c.w {
		row = rows.Fit(row, c.w)
	}
	c.rows = append(c.rows, row)
}

// text appends rows in a style, set in by two cells.
func (c *canvas) text(style rows.Style, lines []string) {
	for _, l := range lines {
		c.add(indent + style.Render(l))
	}
}

// hint appends what is left out of a block and which key shows it.
func (c *canvas) hint(what, opens string) {
	c.add(indent + c.st.Faint.Render("… "+what+"  ("+c.key+" "+opens+")"))
}

// indent is how far the body of a block is set in: as far as a glyph and a
// blank take.
const indent = "  "

// body is the width of rows that are set in.
func (c *canvas) body() int { return max(c.w-len(indent), 1) }

// draw makes the rows of an item.
func (v *View) draw(e *entry, it item) {
	b := v.blocks[it.from]
	e.moves, e.caret, e.after = v.moves(it), "", nil
	if b.Kind == event.BlockAnswer {
		v.answer(e, b)
		return
	}
	c := &canvas{st: v.st, w: e.key.w, key: v.key}
	switch {
	case it.closed():
		v.group(c, v.blocks[it.from:it.to], "●")
	case b.Kind == event.BlockTool:
		if it.head {
			v.group(c, v.blocks[it.from:it.from+it.size], "▾")
		}
		v.tool(c, e, b)
	case b.Kind == event.BlockReasoning:
		v.reasoning(c, e, it.from)
	case b.Kind == event.BlockUser && b.Origin == event.OriginJob:
		reported(c, b, e.key.folded)
	case b.Kind == event.BlockUser:
		said(c, b, "❯ ", e.key.folded)
	case b.Kind == event.BlockSteer:
		said(c, b, "↪ ", e.key.folded)
	case b.Kind == event.BlockNotice:
		notice(c, b)
	case b.Kind == event.BlockCompact:
		compact(c, b, e.key.folded)
	default:
		lines, _ := head(term.Plain(b.Text.String()), c.body(), window)
		c.text(c.st.Muted, lines)
	}
	if len(c.rows) == 0 {
		c.add("")
	}
	e.rows, e.widths = c.rows, e.widths[:0]
	for _, r := range c.rows {
		e.widths = append(e.widths, rows.Width(r))
	}
}

// answer draws markdown. Only what changed since the last time is measured.
func (v *View) answer(e *entry, b *event.Block) {
	if e.stream == nil {
		e.stream = v.md.Stream()
	}
	e.stream.Set(b.Text.Bytes())
	if !b.Open {
		e.stream.Close()
	}
	e.rows = e.stream.Rows(e.key.w, v.st)
	e.widths = e.widths[:min(e.stream.Same(), len(e.widths), len(e.rows))]
	for _, r := range e.rows[len(e.widths):] {
		e.widths = append(e.widths, rows.Width(r))
	}
	switch {
	case b.Open && e.key.last:
		if e.caret = v.st.Accent.Render("▍"); len(e.rows) == 0 {
			e.after = []string{e.caret}
		}
	case b.Partial:
		e.after = []string{v.st.Warn.Render("■ interrupted")}
	case len(e.rows) == 0:
		e.after = []string{v.st.Faint.Render("(empty)")}
	}
	for i, r := range e.after {
		if rows.Width(r) > e.key.w {
			e.after[i] = rows.Fit(r, e.key.w)
		}
		e.widths = append(e.widths, rows.Width(e.after[i]))
	}
}

// longRows is from how many rows on what a person wrote can be folded, and
// shortRows how many of it are shown then.
const (
	longRows  = 14
	shortRows = 10
)

// long tells whether a text of the person is so long that it is folded. It
// looks at bytes and lines, because a fold must not depend on the width.
func long(b *event.Block) bool {
	const bytes = 1200
	return b.Text.Len() > bytes || strings.Count(string(b.Text.Bytes()), "\n") >= longRows
}

// said draws what the person wrote.
func said(c *canvas, b *event.Block, mark string, folded bool) {
	limit := window
	if folded && long(b) {
		limit = shortRows
	}
	lines, left := head(strings.TrimRight(term.Plain(b.Text.String()), "\n"), c.body(), limit)
	for i, l := range lines {
		if i == 0 {
			c.add(c.st.User.With(rows.Bold).Render(mark) + c.st.User.Render(l))
		} else {
			c.add(indent + c.st.User.Render(l))
		}
	}
	if len(lines) == 0 {
		c.add(c.st.User.With(rows.Bold).Render(mark))
	}
	if left > 0 {
		c.hint(count(left, "more line", "more lines"), "to open")
	}
}

// reported draws what the program has told the model of a background job: its
// first line, and the rest when it is opened.
func reported(c *canvas, b *event.Block, folded bool) {
	text := strings.TrimRight(term.Plain(b.Text.String()), "\n")
	first, rest, more := strings.Cut(text, "\n")
	lines, _ := head(strings.Trim(first, "[]"), c.body(), window)
	for i, l := range lines {
		mark := indent
		if i == 0 {
			mark = c.st.Info.Render("⚙ ")
		}
		c.add(mark + c.st.Muted.Render(l))
	}
	switch {
	case !more:
	case folded:
		c.hint(count(strings.Count(rest, "\n")+1, "more line", "more lines"), "to open")
	default:
		lines, left := head(rest, c.body(), window)
		c.text(c.st.Muted, lines)
		if left > 0 {
			c.hint(count(left, "more line", "more lines"), "opens")
		}
	}
}

// notice draws one sentence behind the glyph of its level.
func notice(c *canvas, b *event.Block) {
	glyph, style := "·", c.st.Info
	switch b.Level {
	case event.LevelWarn:
		glyph, style = "⚠", c.st.Warn
	case event.LevelError:
		glyph, style = "✗", c.st.Bad
	}
	lines, left := head(term.Plain(b.Text.String()), c.body(), window)
	for i, l := range lines {
		if i == 0 {
			c.add(style.Render(glyph + " " + l))
		} else {
			c.add(indent + style.Render(l))
		}
	}
	if left > 0 {
		c.hint(count(left, "more line", "more lines"), "opens")
	}
}

// compact draws the line below which the model gets less of what is above, with
// what was done when that is opened.
func compact(c *canvas, b *event.Block, folded bool) {
	mark := ""
	if b.Text.Len() > 0 {
		mark = "▾ "
		if folded {
			mark = "▸ "
		}
	}
	label := ""
	for _, says := range shortenings(b.Compact, folded) {
		label = " " + mark + says + " "
		if rows.Width(label)+2 <= c.w { // with a piece of the line on both sides
			break
		}
	}
	side := max(c.w-rows.Width(label), 0) / 2
	c.add(rows.Rule(side, c.st.Border) + c.st.Muted.Render(label) + rows.Rule(max(c.w-side-rows.Width(label), 0), c.st.Border))
	if folded || b.Text.Len() == 0 {
		return
	}
	lines, left := head(term.Plain(b.Text.String()), c.body(), window)
	c.text(c.st.Muted, lines)
	if left > 0 {
		c.hint(count(left, "more line", "more lines"), "opens")
	}
}

// shortenings are ways to say how the context was shortened, the longest first.
// An opened block says the rest in its text.
func shortenings(k *event.Compaction, folded bool) []string {
	const short = "context shortened"
	if k == nil {
		return []string{short}
	}
	tokens := status.Tokens(int64(k.Before)) + " → " + status.Tokens(int64(k.After)) + " tokens"
	var done []string
	if k.Results > 0 {
		done = append(done, count(k.Results, "tool result cut", "tool results cut"))
	}
	if k.Calls > 0 {
		done = append(done, count(k.Calls, "call cut", "calls cut"))
	}
	if k.Turns > 0 {
		done = append(done, count(k.Turns, "turn left out", "turns left out"))
	}
	says := []string{short + ": " + tokens, short}
	if folded && len(done) > 0 {
		long := short + ": " + strings.Join(done, ", ") + " — " + tokens
		says = append([]string{long + "; everything stays here and in the store", long}, says...)
	}
	return says
}

// tailRows is how many rows of a growing text are shown while it is folded.
const tailRows = 3

// reasoning draws what the model thought.
func (v *View) reasoning(c *canvas, e *entry, i int) {
	b := v.blocks[i]
	mark := "▾"
	if e.key.folded {
		mark = "▸"
	}
	c.add(c.st.Reasoning.Render(mark+" Thinking") + indent + c.st.Muted.Render(status.Duration(v.thought(i))))
	switch {
	case v.thinking(i):
		if e.flow == nil {
			e.flow = &flow{}
		}
		e.flow.set(b.Text.Bytes(), c.body())
		n := window
		if e.key.folded {
			n = tailRows
		}
		lines, before := e.flow.newest(n)
		if before > 0 && !e.key.folded {
			c.hint(count(before, "earlier row", "earlier rows"), "opens")
		}
		c.text(c.st.Reasoning, lines)
	case !e.key.folded:
		lines, left := head(strings.TrimRight(term.Plain(b.Text.String()), "\n"), c.body(), window)
		c.text(c.st.Reasoning, lines)
		if left > 0 {
			c.hint(count(left, "more line", "more lines"), "opens")
		}
	}
	if !v.thinking(i) {
		e.flow = nil
	}
}
