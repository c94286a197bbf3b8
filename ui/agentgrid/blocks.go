package agentgrid

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// key is all that the kept rows of a block depend on. A block stands for its
// revision: a changed block is another one.
type key struct {
	block *event.Block
	w, n  int
	look  uint64
}

// drawn is a block in rows, the newest of them, at most as many as the tile has.
// whole reports whether nothing of the block is left out. An answer has a stream, so
// that it costs what is added to it.
type drawn struct {
	key    key
	rows   []string
	whole  bool
	stream *markdown.Stream
}

// tail appends n rows with the end of a transcript. Each block is drawn once, as
// long as it is in sight.
func (g *Grid) tail(t *tile, dst []string, iw, n int) []string {
	if n <= 0 {
		return dst
	}
	was := t.drawn
	t.drawn = t.spare[:0]
	left := n
	for i := len(t.blocks) - 1; i >= 0 && left > 0; i-- {
		b := t.blocks[i]
		if b == nil {
			continue
		}
		d := g.find(was, key{b, iw, n, g.look})
		t.drawn = append(t.drawn, d)
		left -= len(d.rows)
		if running(b) {
			left--
		}
		if !d.whole {
			break // rows before these are not shown: what is older is not next to them
		}
	}
	clear(was)
	t.spare = was
	base := len(dst)
	for i, d := range slices.Backward(t.drawn) {
		lines := d.rows
		head := running(d.key.block)
		if i == len(t.drawn)-1 && left < 0 {
			lines = lines[min(-left, len(lines)):] // the first row of a call stays
		}
		if head {
			dst = append(dst, g.tool(d.key.block, iw))
		}
		dst = append(dst, lines...)
	}
	return rows.Fill(dst, base, n, iw)
}

// find takes the rows of a block out of what was drawn the last time, or makes
// them.
func (g *Grid) find(was []drawn, k key) drawn {
	d := drawn{key: k}
	for i := range was {
		switch {
		case was[i].key == k:
			return was[i]
		case was[i].key.block.ID == k.block.ID:
			d.stream = was[i].stream
		}
	}
	if k.block.Kind == event.BlockAnswer {
		g.answer(&d)
	} else {
		d.rows, d.whole = g.block(k.block, k.w, k.n)
	}
	return d
}

// answer makes the newest rows of an answer, without empty ones.
func (g *Grid) answer(d *drawn) {
	b, n := d.key.block, d.key.n
	if d.stream == nil {
		d.stream = g.md.Stream()
	}
	d.stream.Set(b.Text.Bytes())
	if !b.Open {
		d.stream.Close()
	}
	if b.Partial && !b.Open {
		d.rows = append(d.rows, cells.NewRow(d.key.w).Put(g.st.Warn, "■ cut off").String())
	}
	all := d.stream.Rows(d.key.w, g.st)
	for len(all) > 0 && len(d.rows) < n {
		r := all[len(all)-1]
		if all = all[:len(all)-1]; strings.TrimLeft(r, " ") != "" {
			d.rows = append(d.rows, rows.Fit("\x1b[m"+r+"\x1b[m", d.key.w)) // apart from blanks that it may join with
		}
	}
	d.whole = len(all) == 0
	slices.Reverse(d.rows)
}

// running reports whether a block is a call at work, the first row of which changes
// with time.
func running(b *event.Block) bool {
	return b.Kind == event.BlockTool && b.Call != nil && b.Call.Stage == event.CallRunning && b.Call.Asked == ""
}

// liveRows is how much of a running call's output is shown, liveBytes how much of
// its end is looked at.
const (
	liveRows  = 3
	liveBytes = 1 << 10
)

// block makes the newest rows of a block, at most n, and reports whether these are
// all it has. Of a running call they are those below its first row.
func (g *Grid) block(b *event.Block, iw, n int) (out []string, whole bool) {
	st := g.st
	switch b.Kind {
	case event.BlockReasoning:
		out, whole = newest(nil, st.Faint, "┊ ", b.Text.Bytes(), iw, n)
	case event.BlockTool:
		return g.call(b, iw, n), true
	case event.BlockUser, event.BlockSteer:
		if b.Origin == event.OriginTask { // the heading says it
			return nil, true
		}
		return []string{g.said(b, iw)}, true
	case event.BlockNotice:
		mark, style := status.Level(st, b.Level)
		text := oneLine(string(clipBytes(b.Text.Bytes(), nameBytes)), nameBytes)
		return []string{cells.NewRow(iw).Put(style, mark+" ").Put(style, text).String()}, true
	case event.BlockCompact:
		return []string{cells.NewRow(iw).Put(st.Faint, "── context shortened ──").String()}, true
	default:
		out, whole = newest(nil, st.Muted, "", b.Text.Bytes(), iw, n)
	}
	return out[max(len(out)-n, 0):], whole
}

// said is the row of a text that the agent was given.
func (g *Grid) said(b *event.Block, iw int) string {
	mark := "❯ "
	switch {
	case b.Kind == event.BlockSteer:
		mark = "↪ "
	case b.Origin != "":
		mark = "⚙ "
	}
	text := oneLine(string(clipBytes(b.Text.Bytes(), nameBytes)), nameBytes)
	return cells.NewRow(iw).Put(g.st.User, mark).Put(g.st.User, text).String()
}

// call makes the row of a call, or, of one that runs, the rows below it.
func (g *Grid) call(b *event.Block, iw, n int) []string {
	if b.Call == nil {
		return nil
	}
	if !running(b) {
		return []string{g.tool(b, iw)}
	}
	room := min(liveRows, n-1)
	if room <= 0 || b.Call.Tail.Len() == 0 {
		return nil
	}
	raw, _ := b.Call.Tail.Tail(liveBytes)
	text := term.Plain(term.CarriageReturns(string(raw)))
	lines := strings.Split(strings.TrimRight(text, "\n \t"), "\n")
	var out []string
	for _, l := range lines[max(len(lines)-room, 0):] {
		if l = strings.TrimRight(rows.ExpandTabs(l), " "); l != "" {
			out = append(out, cells.NewRow(iw).Put(g.st.Faint, "│ ").Put(g.st.Faint, l).String())
		}
	}
	return out
}

// tool draws the row of a call: its glyph, its name, what it is about, and how it
// stands.
func (g *Grid) tool(b *event.Block, iw int) string {
	c := b.Call
	glyph, style, end := g.sign(c)
	row := cells.NewRow(iw)
	row.Put(style, glyph).Skip(1)
	n := rows.Width(end)
	if n > 0 && n+1 > row.Left()/2 {
		end, n = "", 0
	}
	if how := oneLine(c.View.How(0), nameBytes); how != "" && rows.Width(how)+n+1 <= row.Left()/3 {
		end = strings.TrimSpace(how + " " + end)
		n = rows.Width(end)
	}
	name := oneLine(c.View.Name, nameBytes)
	row.PutMax(g.st.Strong, name, row.Left()-n-1)
	if subject := oneLine(c.View.Subject, nameBytes); subject != "" {
		row.Skip(1).PutMax(g.st.Text, subject, row.Left()-n-1)
	}
	if n > 0 {
		row.Until(n).Put(style, end)
	}
	return row.String()
}

// sign is the glyph of a call and what stands at the end of its row.
func (g *Grid) sign(c *event.Call) (glyph string, style rows.Style, end string) {
	glyph, style, end = status.Call{Stage: c.Stage, Outcome: c.Outcome, Asked: c.Asked != ""}.Sign(g.st, g.frame)
	switch {
	case end == "✓" || end == "✗":
		end = format.Duration(c.Took) + " " + end
	case end != "":
	case c.Stage == event.CallRunning && len(c.Agents) > 0:
		end = ended(c.Agents) + " of " + strconv.Itoa(len(c.Agents))
	case c.Stage == event.CallRunning:
		end = format.Elapsed(g.since(c.Started.Add(c.Held)))
	case c.Stage == event.CallDrafting:
		end = format.Bytes(int64(c.Bytes))
	}
	return glyph, style, end
}

// ended counts the subagents of a call that have ended.
func ended(list []*event.Spawned) string {
	n := 0
	for _, a := range list {
		if a.State.Ended() {
			n++
		}
	}
	return strconv.Itoa(n)
}

// since is the time from a moment to the newest tick.
func (g *Grid) since(t time.Time) time.Duration {
	if t.IsZero() || g.now.IsZero() {
		return 0
	}
	return max(g.now.Round(0).Sub(t.Round(0)), 0)
}

// newest appends the last n rows of a text, without empty ones, and reports whether
// these are all. Of a long text only the end is looked at.
func newest(dst []string, style rows.Style, gutter string, text []byte, iw, n int) (out []string, whole bool) {
	room := max(iw-rows.Width(gutter), 1)
	raw, whole := end(text, 2*n*room+64)
	lines := markdown.Wrap(nil, strings.TrimRight(term.Plain(raw), "\n "), room)
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimLeft(l, " ") == "" })
	if len(lines) > n {
		lines, whole = lines[len(lines)-n:], false
	}
	for _, l := range lines {
		row := cells.NewRow(iw)
		if gutter != "" {
			row.Put(style, gutter)
		}
		dst = append(dst, row.Put(style, l).String())
	}
	return dst, whole
}

// end is at least the last n bytes of a text and at most about twice as many. It
// begins at the same place until the text has grown by n bytes, so that rows do
// not dance while a text grows; where it can, at the start of a line or a word.
func end(text []byte, n int) (tail string, whole bool) {
	if len(text) <= 2*n {
		return string(text), true
	}
	from := (len(text)/n - 1) * n
	for _, sep := range []byte{'\n', ' '} {
		for i := from; i < from+n/4; i++ {
			if text[i] == sep {
				return string(text[i+1:]), false
			}
		}
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return string(text[from:]), false
}

// clipBytes is the start of a text, for [oneLine].
func clipBytes(b []byte, n int) []byte { return b[:min(len(b), 4*n)] }
