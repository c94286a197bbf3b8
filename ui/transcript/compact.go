package transcript

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
)

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
	lines, left := c.opening(b.Text, window)
	c.text(c.st.Muted, lines)
	if left > 0 {
		c.hint(format.Count(left, "more line", "more lines"))
	}
}

// recordRows are the last rows of a record that are shown while it is written.
const recordRows = 6

// compacting draws a record that is being written: its end.
func compacting(c *canvas, e *entry, b *event.Block) {
	if e.flow == nil {
		e.flow = &flow{}
	}
	c.add(c.st.Muted.Render("summing up what is left out …"))
	e.flow.set(b.Text.Bytes(), c.body())
	c.flows(e, b, recordRows)
	e.style = c.st.Faint
}

// shortenings are ways to say how the context was shortened, the longest first.
// An opened block says the rest in its text.
func shortenings(k *event.Compaction, folded bool) []string {
	const short = "context shortened"
	if k == nil {
		return []string{short}
	}
	if k.Into != "" {
		return []string{"another program has shortened the session, which goes on below", "shortened by another program", short}
	}
	if k.Restored {
		return []string{"the last compression was taken back", "compression taken back"}
	}
	tokens := format.Tokens(int64(k.Before)) + " → " + format.Tokens(int64(k.After)) + " tokens"
	var done []string
	if k.Results > 0 {
		done = append(done, format.Count(k.Results, "tool result cut", "tool results cut"))
	}
	if k.Calls > 0 {
		done = append(done, format.Count(k.Calls, "call cut", "calls cut"))
	}
	switch {
	case k.Turns > 0:
		done = append(done, format.Count(k.Turns, "turn left out", "turns left out"))
	case k.Messages > 0:
		done = append(done, format.Count(k.Messages, "message left out", "messages left out"))
	}
	says := []string{short + ": " + tokens, short}
	if folded && len(done) > 0 {
		long := short + ": " + strings.Join(done, ", ") + " — " + tokens
		says = append([]string{long + "; everything stays here and in the store", long}, says...)
	}
	return says
}
