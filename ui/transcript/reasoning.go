package transcript

import (
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// tailRows is how many rows of reasoning that goes on are shown while it is
// folded.
const tailRows = 3

// tokenBytes is about how many bytes of text make a token.
const tokenBytes = 4

// reasoning draws what the model thought: a row that says how long and how much,
// and below it the newest rows while it goes on, the first ones of a finished text
// that was opened.
func (v *View) reasoning(c *canvas, e *entry, i int) {
	b := v.blocks[i]
	v.thoughtRow(c, e, i)
	e.flowing = nil
	switch {
	case v.thinking(i):
		v.thoughts(c, e, b)
		return
	case !e.key.folded:
		lines, left := c.opening(b.Text, window)
		c.text(c.st.Reasoning, lines)
		if left > 0 {
			c.hint(format.Count(left, "more line", "more lines"))
		}
	}
	e.flow = nil
}

// thoughtRow draws "▸ Thinking 4.2s · ~310 tokens", the one row of reasoning that
// changes with time.
func (v *View) thoughtRow(c *canvas, e *entry, i int) {
	mark, word := "▾", "Thought"
	if e.key.folded {
		mark = "▸"
	}
	took, says := v.thought(i), ""
	if v.thinking(i) {
		word = "Thinking"
		c.move()
	}
	if took > 0 || v.thinking(i) {
		says = " " + format.Duration(took)
	}
	if n := v.blocks[i].Text.Len(); n > 0 {
		if says != "" {
			says += " ·"
		}
		says += " " + about((n+tokenBytes-1)/tokenBytes)
	}
	c.add(c.st.Reasoning.Render(mark+" "+word) + c.st.Muted.Render(says))
}

// about writes an estimated number of tokens.
func about(n int) string {
	if n == 1 {
		return "~1 token"
	}
	return "~" + format.Tokens(int64(n)) + " tokens"
}

// thoughts draws the newest rows of reasoning that goes on. They cost what was
// added since the last time, and what is shown, whatever the length of the text.
func (v *View) thoughts(c *canvas, e *entry, b *event.Block) {
	if e.flow == nil {
		e.flow = &flow{}
	}
	e.flow.set(b.Text.Bytes(), c.body())
	if e.key.folded {
		c.flows(e, b, tailRows)
		e.style = c.st.Faint
		return
	}
	if _, before := e.flow.newest(window); before > 0 {
		c.hint(format.Count(before, "earlier row", "earlier rows"))
	}
	c.flows(e, b, window)
	e.style = c.st.Reasoning
}

// thinking reports whether a block is reasoning that goes on: it is open, and
// nothing has followed it.
func (v *View) thinking(i int) bool {
	return v.blocks[i].Kind == event.BlockReasoning && v.blocks[i].Open && i == len(v.blocks)-1
}

// thought is how long the reasoning of block i took, or takes so far.
func (v *View) thought(i int) time.Duration {
	b := v.blocks[i]
	switch {
	case !b.Open:
		return b.Took
	case v.thinking(i):
		return v.since(b.At)
	}
	return max(v.blocks[i+1].At.Sub(b.At), 0)
}
