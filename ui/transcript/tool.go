package transcript

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

const (
	// nameWidth is how wide the names of tools are at least, so that subjects
	// stand below each other.
	nameWidth = 10
	// liveLines is how much of a running call's output is shown, bodyRows how
	// much of an opened body.
	liveLines = 4
	bodyRows  = 12
	// liveBytes is how much of the end of live output is looked at.
	liveBytes = 8 << 10
)

// sign is the glyph of a call's state, before its name, and what stands at the
// end of the row.
type sign struct {
	glyph string
	style rows.Style
	end   string
}

// sign is for a row of w cells.
func (v *View) sign(c *event.Call, asked event.RequestKind, w int) sign {
	st := v.st
	if c.Asked != "" && c.Stage != event.CallEnded {
		return sign{"◆", st.Warn, st.Warn.Render(waitsFor(asked, w))}
	}
	switch c.Stage {
	case event.CallDrafting:
		return sign{"◌", st.Faint, st.Muted.Render("writing arguments " + status.Bytes(int64(c.Bytes)))}
	case event.CallPlanned:
		return sign{"○", st.Faint, st.Faint.Render("waits its turn")}
	case event.CallRunning:
		spent := status.Duration(v.since(c.Started))
		if on := v.waits(c, w); on != "" {
			spent = on + " · " + spent
		}
		return sign{status.Spinner(v.frame), st.Accent, st.Muted.Render(spent)}
	}
	return v.ended(c)
}

// ended is the sign of a call that is over.
func (v *View) ended(c *event.Call) sign {
	st := v.st
	spent := st.Muted.Render(status.Duration(c.Took))
	switch c.Outcome {
	case event.OutcomeOK:
		return sign{"●", st.Good, spent + " " + st.Good.Render("✓")}
	case event.OutcomeFailed:
		return sign{"●", st.Bad, spent + " " + st.Bad.Render("✗")}
	case event.OutcomeDenied:
		return sign{"⊘", st.Warn, st.Warn.Render("denied")}
	case event.OutcomeCancelled:
		return sign{"■", st.Muted, spent + " " + st.Muted.Render("cancelled")}
	case event.OutcomeSkipped:
		return sign{"–", st.Faint, st.Muted.Render("skipped")}
	}
	return sign{"?", st.Warn, st.Warn.Render("may have run")}
}

// tool draws a call: a row that says what it is, and below it how it goes.
func (v *View) tool(c *canvas, e *entry, b *event.Block) {
	call := b.Call
	s := v.sign(call, e.key.asked, c.w)
	name := term.Line(call.View.Name)
	left := s.style.Render(s.glyph) + " " + v.st.Strong.Render(name)
	if subject := clip(call.View.Subject, c.w); subject != "" {
		left += rows.Blank(max(nameWidth-rows.Width(name), 0)) + indent + v.st.Text.Render(subject)
	}
	if running(b) {
		c.move()
	}
	c.add(rows.Between(left, s.end, c.w))
	v.agents(c, call.Agents, e.key.folded)
	v.subCalls(c, call, e.key.folded)
	switch call.Stage {
	case event.CallRunning:
		if e.live == nil {
			e.live = v.live(c, call, e.key.folded)
		}
		for _, l := range e.live {
			c.add(l)
		}
	case event.CallEnded:
		v.result(c, e, b)
	}
	if e.key.folded {
		e.stream = nil
	}
}

// clip makes the start of a long text fit for one row of w cells without
// looking at the rest of it.
func clip(s string, w int) string {
	if most := 16 * max(w, 8); len(s) > most {
		s = s[:most]
	}
	return term.Line(s)
}

// live draws the last lines a running call has put out. The result is never nil.
func (v *View) live(c *canvas, call *event.Call, folded bool) []string {
	out, n := []string{}, bodyRows
	if folded {
		n = liveLines
	}
	tail, _ := call.Tail.Tail(liveBytes)
	text := term.Sanitize(term.CarriageReturns(string(tail)))
	lines := strings.Split(strings.TrimRight(text, "\n \t"), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return out
	}
	for _, l := range lines[max(len(lines)-n, 0):] {
		var t markdown.Text
		t.AddSanitized(rows.ExpandTabs(l), v.st.Muted.Open())
		first := t.Rows(nil, max(c.body()-1, 1))
		more := ""
		if len(first) > 1 {
			more = v.st.Faint.Render("…")
		}
		out = append(out, indent+first[0]+more)
	}
	return out
}

// result draws how a call ended: in a few words, and its body when opened.
func (v *View) result(c *canvas, e *entry, b *event.Block) {
	call := b.Call
	words, style := v.words(call)
	lines := bodyLines(call.View.Body)
	if e.key.folded || len(lines) == 0 {
		var parts []string
		if words != "" {
			parts = append(parts, style.Render(clip(words, c.w)))
		}
		if len(lines) > 0 {
			count := "… " + lineCount(lines, call.View.Cut)
			if strings.HasPrefix(words, lineCount(lines, call.View.Cut)) {
				count = "…" // it has been said
			}
			parts = append(parts, v.st.Faint.Render(count+"  ("+v.key+" to open)"))
		}
		if len(parts) > 0 {
			c.add(indent + strings.Join(parts, v.st.Faint.Render(" · ")))
		}
		return
	}
	if words != "" {
		c.add(indent + style.Render(clip(words, c.w)))
	}
	v.body(c, e, call, lines)
}

// words are what there is to say about the end of a call.
func (v *View) words(call *event.Call) (string, rows.Style) {
	view := &call.View
	switch call.Outcome {
	case event.OutcomeFailed:
		what := firstLine(view.Summary)
		if what == "" {
			what = complaint(view)
		}
		if view.Exit != nil {
			what = strings.TrimSuffix("exit "+itoa(*view.Exit)+": "+what, ": ")
		}
		return what, v.st.Bad
	case event.OutcomeDenied:
		if d := call.Decision; d != nil && d.Text != "" {
			return "you said: " + firstLine(d.Text), v.st.Warn
		}
	}
	what := firstLine(view.Summary)
	if view.Exit != nil && *view.Exit != 0 { // which need not be a failure
		what = strings.TrimSuffix("exit "+itoa(*view.Exit)+": "+what, ": ")
	}
	return what, v.st.Muted
}

// complaint is the line of a failed call's body that is most likely to say why:
// the last one of a command's output, the first one of anything else.
func complaint(view *event.CallView) string {
	body := strings.TrimSpace(view.Body)
	if view.Kind == event.ViewCommand {
		return body[strings.LastIndexByte(body, '\n')+1:]
	}
	return firstLine(body)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

func bodyLines(body string) []string {
	body = strings.TrimRight(body, "\n")
	if body == "" {
		return nil
	}
	return strings.Split(body, "\n")
}

// lineCount says how long a body is; bytes that were cut off are more lines.
func lineCount(lines []string, cut int) string {
	if cut > 0 {
		return count(len(lines), "line", "lines") + " and " + status.Bytes(int64(cut))
	}
	return count(len(lines), "line", "lines")
}

// body draws up to bodyRows rows of a body: of a command the last, of anything
// else the first.
func (v *View) body(c *canvas, e *entry, call *event.Call, lines []string) {
	view := &call.View
	end := view.Kind == event.ViewCommand
	shown := lines[:min(len(lines), bodyRows)]
	if end {
		shown = lines[max(len(lines)-bodyRows, 0):]
	}
	drawn := v.bodyRows(c, e, view, strings.Join(shown, "\n"))
	left := len(lines) - len(shown)
	if over := len(drawn) - bodyRows; over > 0 {
		left = max(left, 1)
		if end {
			drawn = drawn[over:]
		} else {
			drawn = drawn[:bodyRows]
		}
	}
	more := left > 0 || view.Cut > 0
	if end && more {
		c.hint(leftOver(left, view.Cut, end), "opens all")
	}
	for _, r := range drawn {
		c.add(indent + r)
	}
	if !end && more {
		c.hint(leftOver(left, view.Cut, end), "opens all")
	}
}

func leftOver(lines, cut int, earlier bool) string {
	which := "more"
	if earlier {
		which = "earlier"
	}
	switch {
	case lines == 0:
		return status.Bytes(int64(cut)) + " " + which
	case cut > 0:
		return count(lines, which+" line", which+" lines") + " and " + status.Bytes(int64(cut))
	}
	return count(lines, which+" line", which+" lines")
}

// bodyRows draws the lines of a body: differences in their colours, code in
// those of its language, and anything else in its own.
func (v *View) bodyRows(c *canvas, e *entry, view *event.CallView, text string) []string {
	switch {
	case view.Kind == event.ViewWrite, view.Lang == "diff", view.Lang == "patch":
		return diff.New(text).RowsOf(nil, c.body(), v.st, term.Line(view.Subject))
	case view.Lang != "":
		return v.code(e, text, view.Lang, c.body())
	}
	var t markdown.Text
	for i, l := range strings.Split(term.Sanitize(text), "\n") {
		if i > 0 {
			t.Add("\n", "")
		}
		t.AddSanitized(rows.ExpandTabs(l), v.st.Muted.Open())
	}
	return t.Rows(nil, c.body())
}

// code draws a body as a fence of markdown, which brings its colours.
func (v *View) code(e *entry, text, lang string, w int) []string {
	fence := "~~~"
	for strings.Contains(text, fence) {
		fence += "~"
	}
	if e.stream == nil {
		e.stream = v.md.Stream()
	}
	e.stream.Set([]byte(fence + lang + "\n" + text + "\n" + fence))
	e.stream.Close()
	return e.stream.Rows(w, v.st)
}
