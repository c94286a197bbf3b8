package transcript

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// entry is the drawn form of an item, from the cache or made now.
func (v *View) entry(it item) *entry {
	e := v.cache.get(v.blocks[it.from], it)
	k, group := v.keyOf(it), v.members(it)
	if e.key == k && slices.Equal(e.group, group) {
		return e
	}
	older := e.key.still() == k.still() && slices.Equal(e.group, group)
	e.key, e.group = k, append(e.group[:0], group...)
	v.draw(e, it, older)
	v.cache.account(e)
	v.noteHeight(it, e)
	return e
}

func (v *View) keyOf(it item) key {
	b := v.blocks[it.from]
	k := key{
		block: b, w: v.inner(), look: v.look, folded: v.folded(b),
		item: item{to: it.to - it.from, head: it.head, size: it.size, seg: it.seg},
		last: it.to == len(v.blocks) && it.last(),
	}
	switch since := v.begun(it); {
	case b.Kind == event.BlockReasoning:
		k.took = tenths(v.thought(it.from))
	case !since.IsZero():
		k.took = tenths(v.since(since))
	}
	if b.Kind == event.BlockTool && b.Call.Asked != "" {
		k.asked = v.kindOf(b.Call)
	}
	if v.moves(it) {
		k.frame = v.frame
	}
	if b.ID == v.aim.block {
		k.aim = v.aim.line
	}
	k.marked = b.Kind != event.BlockAnswer && v.sel != "" && v.holds(it, v.sel)
	return k
}

func tenths(d time.Duration) int64 { return int64(d / (100 * time.Millisecond)) }

// moves reports whether an item changes with time.
func (v *View) moves(it item) bool { return v.thinking(it.from) || !v.begun(it).IsZero() }

// begun is since when the longest of what is at work in an item is, zero when
// nothing is.
func (v *View) begun(it item) time.Time {
	if group := v.members(it); group != nil {
		return begun(group)
	}
	return begun(v.blocks[it.from:it.to])
}

func begun(blocks []*event.Block) (first time.Time) {
	for _, b := range blocks {
		if !atWork(b) {
			continue
		}
		at := b.Call.Started
		if at.IsZero() {
			at = b.At
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// atWork reports whether a block is a call that does something, or whose subagents
// do.
func atWork(b *event.Block) bool {
	return running(b) || b.Kind == event.BlockTool && busy(b.Call.Agents)
}

// running reports whether a block is a call at work.
func running(b *event.Block) bool {
	return b.Kind == event.BlockTool && b.Call.Stage == event.CallRunning && b.Call.Asked == ""
}

// canvas collects the rows of a block.
type canvas struct {
	st   *rows.Styles
	w    int
	keys Keys

	marked bool // the cursor is on it, so that its keys work

	rows   []string
	widths []int
	moves  []int // the rows that change with time

	aim              int // the line that is to be in sight, from 1; 0 for any
	bodyAt, bodyFrom int // see entry

	// trace is told where the text comes from that is drawn, its source lines; nil
	// for none.
	trace *rows.Trace
	lines int
}

// add appends a row, cut to the width.
func (c *canvas) add(row string) {
	n := rows.Width(row)
	if n > c.w {
		row, n = rows.Fit(row, c.w), c.w
	}
	c.rows, c.widths = append(c.rows, row), append(c.widths, n)
}

// move says that the next row changes with time.
func (c *canvas) move() { c.moves = append(c.moves, len(c.rows)) }

// text appends rows in a style, set in by two cells.
func (c *canvas) text(style rows.Style, lines []string) {
	for _, l := range lines {
		c.add(indent + style.Render(l))
	}
}

// hint appends what is left out of an opened block, and where the cursor is on it which
// key shows all of it.
func (c *canvas) hint(what string) {
	if c.marked {
		what += "  (" + c.keys.Open + " opens all)"
	}
	c.add(indent + c.st.Faint.Render("… "+what))
}

// folded says of a folded block that the cursor is on which keys show all of it, as far as
// there is room.
func (c *canvas) folded() string {
	if !c.marked {
		return ""
	}
	says := "  (" + c.keys.Fold + " unfolds"
	if c.w >= bothKeys {
		says += ", " + c.keys.Open + " opens"
	}
	return c.st.Faint.Render(says + ")")
}

// bothKeys is from which width on both keys of a folded block are named.
const bothKeys = 60

// indent is how far the body of a block is set in: as far as a glyph and a
// blank take.
const indent = "  "

// body is the width of rows that are set in.
func (c *canvas) body() int { return max(c.w-len(indent), 1) }

// draw makes the rows of an item. When it is only older than the last time, what
// does not change with time is kept.
func (v *View) draw(e *entry, it item, older bool) {
	b := v.blocks[it.from]
	e.moves, e.caret, e.after = nil, "", nil
	if b.Kind == event.BlockAnswer {
		v.answer(e, it)
		return
	}
	c := &canvas{st: v.st, w: e.key.w, keys: v.keys, marked: e.key.marked, aim: e.key.aim}
	if older && v.thinking(it.from) {
		v.thoughtRow(c, e, it.from)
		e.rows[0], e.widths[0], e.moves = c.rows[0], c.widths[0], c.moves
		return
	}
	if !older {
		e.live = nil
	}
	v.paint(c, e, it)
	e.rows, e.widths, e.moves = c.rows, c.widths, c.moves
	e.bodyAt, e.bodyFrom = c.bodyAt, c.bodyFrom
}

// paint draws an item that is no answer.
func (v *View) paint(c *canvas, e *entry, it item) {
	b := v.blocks[it.from]
	switch {
	case it.closed():
		v.group(c, v.members(it), "")
	case b.Kind == event.BlockTool:
		if it.head {
			v.group(c, v.members(it), "▾")
		}
		v.tool(c, e, b)
	case b.Kind == event.BlockReasoning:
		v.reasoning(c, e, it.from)
	case b.Kind == event.BlockUser && b.Origin == "":
		v.said(c, b, "❯ ", c.st.User.With(rows.Bold), e.key.folded)
	case b.Kind == event.BlockSteer && b.Origin == "":
		v.said(c, b, "↪ ", c.st.Accent.With(rows.Bold), e.key.folded)
	case b.Kind == event.BlockUser, b.Kind == event.BlockSteer:
		reported(c, b, e.key.folded)
	case b.Kind == event.BlockNotice:
		notice(c, b)
	case b.Kind == event.BlockCompact && b.Open:
		compacting(c, e, b)
	case b.Kind == event.BlockCompact:
		e.flowing = nil
		compact(c, b, e.key.folded)
	default:
		lines, _ := c.opening(b.Text, window)
		c.text(c.st.Muted, lines)
	}
	if len(c.rows) == 0 {
		c.add("")
	}
}

// answer draws markdown. Only what changed since the last time is measured.
func (v *View) answer(e *entry, it item) {
	b := v.blocks[it.from]
	if e.stream == nil {
		e.stream = v.md.Stream()
	}
	if it.segs > 0 {
		e.stream.SetPart(v.part(it))
	} else {
		e.stream.Set(b.Text.Bytes())
		if !b.Open {
			e.stream.Close()
		}
	}
	e.rows = e.stream.Rows(e.key.w, v.st)
	e.widths = e.widths[:min(e.stream.Same(), len(e.widths), len(e.rows))]
	for _, r := range e.rows[len(e.widths):] {
		e.widths = append(e.widths, rows.Width(r))
	}
	switch {
	case !it.last():
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

// longRows is from how many rows on what a user wrote can be folded, and
// shortRows how many of it are shown then.
const (
	longRows  = 14
	shortRows = 10
)

// long reports whether a text of the user is so long that it is folded. It
// looks at bytes and lines, because a fold must not depend on the width.
func long(b *event.Block) bool {
	const most = 1200
	return b.Text.Len() > most || bytes.Count(b.Text.Bytes(), []byte("\n")) >= longRows
}

// said draws what the user wrote, behind a mark of its own style. Folded, what
// was pasted is a row below what was typed.
func (v *View) said(c *canvas, b *event.Block, mark string, style rows.Style, folded bool) {
	limit, text := window, b.Text
	var pastes []string
	if folded && long(b) {
		limit = shortRows
		if v.apart != nil {
			text, pastes = typed(b, v.apart)
		}
	}
	if len(b.Images) > 0 && onlyMarks(b) {
		text = event.Text{}
	}
	lines, left := c.opening(text, limit)
	for i, l := range lines {
		if i == 0 {
			c.add(style.Render(mark) + c.st.User.Render(l))
		} else {
			c.add(indent + c.st.User.Render(l))
		}
	}
	more := append(append(pastes, pictureRows(b)...), namedRows(b)...)
	for i, r := range more {
		lead := indent
		if i == 0 && len(lines) == 0 {
			lead = style.Render(mark)
		}
		if r = c.st.Info.Render(r); i == len(pastes)-1 {
			r += c.folded()
		}
		c.add(lead + r)
	}
	if len(lines)+len(more) == 0 {
		c.add(style.Render(mark))
	}
	if left > 0 {
		c.add(indent + c.st.Faint.Render("… "+format.Count(left, "more line", "more lines")) + c.folded())
	}
}

// typed is what was typed of a text with collapsed pastes, and a row for each of
// those: its mark, where there is more than the one, and its size.
func typed(b *event.Block, apart func(string) (string, []composer.Paste)) (event.Text, []string) {
	text, pastes := apart(b.Text.String())
	var list []string
	for _, p := range pastes {
		list = append(list, composer.PasteMark(p.Number)+" "+format.Exact(strings.Count(strings.TrimRight(p.Text, "\n"), "\n")+1, "line", "lines")+", "+format.Bytes(int64(len(p.Text))))
	}
	if len(pastes) == 0 {
		return b.Text, nil
	}
	if len(pastes) == 1 { // at an end of what was typed its place needs no mark
		mark := composer.PasteMark(pastes[0].Number)
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), mark), mark))
	}
	return event.NewText(text), list
}

// opening is what of a text is shown in n rows: its start, or from some lines before
// the one on which is to be in sight. left counts the lines that are left out below.
func (c *canvas) opening(text event.Text, n int) (lines []string, left int) {
	if from := c.aim - 1 - window/4; from > 0 {
		all := text.Bytes()
		for range from {
			_, all, _ = bytes.Cut(all, []byte("\n"))
		}
		text = event.NewText(string(all))
		c.hint(format.Count(from, "line before this", "lines before this"))
		c.bodyAt, c.bodyFrom = len(c.rows), from
	}
	return c.head(text, n)
}

// head is [opening] in the width of what is set in.
func (c *canvas) head(text event.Text, n int) (lines []string, left int) {
	return opening(text, c.body(), n, c.wrap)
}

// report says how a text that is not the user's is shown: its mark, the row
// above it, if it does not say itself who it is from, and its title in the pager.
type report struct{ mark, from, title string }

func reportOf(o event.Origin) report {
	switch o {
	case event.OriginJob:
		return report{"⚙ ", "", "From a background job"}
	case event.OriginAgent:
		return report{"◈ ", "a subagent reports", "From a subagent"}
	case event.OriginHook:
		return report{"⚑ ", "a hook lets it go on", "From a hook"}
	case event.OriginTask:
		return report{"▹ ", "what it is to do", "The task"}
	}
	return report{"◇ ", "not written by you", "From elsewhere"}
}

// reported draws what the program has told the model in the user's place: who it
// is from and its first line, and the rest when it is opened.
func reported(c *canvas, b *event.Block, folded bool) {
	text := bytes.TrimRight(b.Text.Bytes(), "\n")
	first, rest, more := bytes.Cut(text, []byte("\n"))
	by := reportOf(b.Origin)
	mark := c.st.Info.Render(by.mark)
	if by.from != "" {
		c.add(mark + c.st.Info.Render(by.from))
		mark = indent
	}
	if bytes.HasPrefix(first, []byte("[")) && bytes.HasSuffix(first, []byte("]")) {
		first = first[1 : len(first)-1]
	}
	lines, left := c.head(event.NewText(string(first)), window)
	for _, l := range lines {
		c.add(mark + c.st.Muted.Render(l))
		mark = indent
	}
	if more && !folded {
		c.aim-- // the first line stands above
		lines, left = c.opening(event.NewText(string(rest)), window)
		c.text(c.st.Muted, lines)
	}
	switch {
	case more && folded:
		c.add(indent + c.st.Faint.Render("… "+format.Count(bytes.Count(rest, []byte("\n"))+1, "more line", "more lines")) + c.folded())
	case left > 0:
		c.hint(format.Count(left, "more line", "more lines"))
	}
}

// notice draws one sentence behind the glyph of its level.
func notice(c *canvas, b *event.Block) {
	glyph, style := status.Level(c.st, b.Level)
	lines, left := c.opening(b.Text, window)
	for i, l := range lines {
		if i == 0 {
			c.add(style.Render(glyph + " " + l))
		} else {
			c.add(indent + style.Render(l))
		}
	}
	if left > 0 {
		c.hint(format.Count(left, "more line", "more lines"))
	}
}
