package transcript

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// traced is an item drawn with a trace: of each of its rows, which text it shows and
// where that stands.
type traced struct {
	key   key
	trace *rows.Trace
	runs  [][]rows.Run
}

// tracedOf draws an item with a trace, unless that was done. Its rows are those of
// [View.entry].
func (v *View) tracedOf(it item) *traced {
	e := v.entry(it)
	if e.traced != nil && e.traced.key == e.key.still() {
		return e.traced
	}
	c := v.traceCanvas(e.key)
	if b := v.blocks[it.from]; it.segs > 0 {
		c.rows = v.md.TracePart(v.part(it), e.key.w, v.st, c.trace)
	} else if b.Kind == event.BlockAnswer {
		c.rows = v.md.Trace(b.Text.String(), e.key.w, v.st, c.trace)
	} else {
		v.paint(c, &entry{key: e.key, group: e.group}, it)
	}
	e.traced = &traced{key: e.key.still(), trace: c.trace, runs: c.trace.Read(c.rows)}
	return e.traced
}

// traceCanvas is a canvas whose text is traced.
func (v *View) traceCanvas(k key) *canvas {
	t := &rows.Trace{}
	return &canvas{st: v.st, w: k.w, keys: v.keys, marked: k.marked, aim: k.aim, trace: t, lines: t.Source("")}
}

// runsAt are the runs of a row of an item. One whose text is another than that of the row
// is left out: an answer that goes on may end otherwise than when it is drawn as a whole.
func (v *View) runsAt(it item, row int) []rows.Run {
	t := v.tracedOf(it)
	if row < 0 || row >= len(t.runs) || len(t.runs[row]) == 0 {
		return nil
	}
	text, _ := v.entry(it).row(row)
	text = ansi.Strip(text)
	list := t.runs[row]
	for i, r := range list {
		if got := rows.Cut(text, r.From, r.To); !strings.HasPrefix(got, r.Text) && !r.Whole {
			list = append([]rows.Run(nil), list[:i]...)
			break
		}
	}
	return list
}

// wrap is [markdown.Wrap], with a trace if there is one.
func (c *canvas) wrap(dst []string, line string, w int) []string {
	if c.trace == nil {
		return markdown.Wrap(dst, line, w)
	}
	var t markdown.Text
	c.from(&t, line)
	return t.Rows(dst, w)
}

// from appends a line to a text, and notes where it comes from.
func (c *canvas) from(t *markdown.Text, line string) {
	t.AddFrom(c.trace, c.lines, c.trace.Line(c.lines, line), 0, line)
}

// sanitized appends a sanitised line of output to a text.
func (c *canvas) sanitized(t *markdown.Text, line string) {
	if c.trace == nil {
		t.AddSanitized(rows.ExpandTabs(line), c.st.Muted.Open())
		return
	}
	line, _ = term.SplitStyles(line)
	c.from(t, line)
}

// mark is a text that is part of a row, with a trace if there is one.
func (c *canvas) mark(text string) string {
	if c.trace == nil || text == "" {
		return text
	}
	at := c.trace.Line(c.lines, text)
	return c.trace.Mark(c.lines, at, at+len(text), false) + text + "\x1b[m"
}

// addMarked appends a row in which a text is shown, or as much of it as there is room for.
func (c *canvas) addMarked(row, text, shown string) {
	if c.trace != nil {
		if before, after, found := strings.Cut(ansi.Strip(row), shown); found && shown != "" {
			at := c.trace.Line(c.lines, text)
			row = before + c.trace.Mark(c.lines, at, at+len(text), false) + shown + "\x1b[m" + after
		}
	}
	c.add(row)
}

// flows has the newest n rows of a text that goes on follow those that are there.
func (c *canvas) flows(e *entry, b *event.Block, n int) {
	newest, _ := e.flow.newest(n)
	if c.trace == nil {
		e.flowing = newest
		return
	}
	text := b.Text.Bytes()
	if over := len(text) - traceTail; over > 0 {
		text = text[over+bytes.IndexByte(text[over:], '\n')+1:]
	}
	var list []string
	for line := range strings.SplitSeq(strings.TrimSuffix(term.Plain(string(text)), "\n"), "\n") {
		list = c.wrap(list, line, c.body())
	}
	c.text(rows.Style{}, list[max(len(list)-len(newest), 0):])
}

// traceTail is how much of the end of a text that goes on is drawn with a trace.
const traceTail = 64 << 10
