package transcript

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/format"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
)

const (
	// nameWidth is how wide the names of tools are at least, so that subjects
	// stand below each other.
	nameWidth = 10
	// bodyRows is how much of an opened body is shown, and of the output of a running
	// call.
	bodyRows = 12
	// spareRows is how many rows are too few to be left out: a row says that they are.
	spareRows = 3
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
	glyph, style, word := status.Call{Stage: c.Stage, Outcome: c.Outcome, Asked: c.Asked != ""}.Sign(v.st, v.frame)
	if c.Stage == event.CallEnded {
		return sign{glyph, style, v.ended(c, style, word, w)}
	}
	end := v.st.Muted
	switch {
	case word != "":
		word, end = waitsFor(asked, w), style
	case c.Stage == event.CallDrafting:
		word = "writing arguments " + format.Bytes(int64(c.Bytes))
	case c.Stage == event.CallRunning:
		word = format.Duration(v.since(c.Started.Add(c.Held)))
		if on := v.waits(c, w); on != "" {
			word = on + " · " + word
		}
	default:
		word, end = "waits its turn", v.st.Faint
	}
	return sign{glyph, style, end.Render(word)}
}

// The widths from which a row says how its call ran, and names a host.
const (
	leastHow = 40
	wideHow  = 90
)

// ended is what stands at the end of the row of a call that is over: how it ran, how
// long, and the word for it.
func (v *View) ended(c *event.Call, style rows.Style, word string, w int) string {
	st, end := v.st, ""
	if c.Took > 0 { // that of a call of another program is not known
		end = st.Muted.Render(format.Duration(c.Took)) + " "
	}
	switch c.Outcome {
	case event.OutcomeOK, event.OutcomeFailed:
		end += style.Render(word)
	case event.OutcomeCancelled:
		end += st.Muted.Render(word)
	case event.OutcomeSkipped:
		end = st.Muted.Render(word)
	default:
		end = style.Render(word)
	}
	most := 0
	if w >= wideHow {
		most = 1
	}
	if how := term.Line(c.View.How(most)); how != "" && w >= leastHow {
		end = st.Faint.Render(how) + "  " + end
	}
	return end
}

// tool draws a call: a row that says what it is, and below it how it goes.
func (v *View) tool(c *canvas, e *entry, b *event.Block) {
	call := b.Call
	s := v.sign(call, e.key.asked, c.w)
	name := term.Line(call.View.Name)
	left := s.style.Render(s.glyph) + " " + v.st.Strong.Render(name)
	if subject := clip(call.View.Subject, c.w); subject != "" {
		left += rows.Blank(max(nameWidth-rows.Width(name), 0)) + indent + v.st.Text.Render(c.mark(subject))
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
		n = v.lines
	}
	tail, _ := call.Tail.Tail(liveBytes)
	text := term.Sanitize(term.CarriageReturns(string(tail)))
	lines := strings.Split(strings.TrimRight(text, "\n \t"), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return out
	}
	for _, l := range lines[max(len(lines)-n, 0):] {
		row, _ := v.line(c, l, 1)
		out = append(out, row...)
	}
	return out
}

// line draws a sanitised line of output in at most n rows, and reports whether it
// fits.
func (v *View) line(c *canvas, l string, n int) (drawn []string, fits bool) {
	var t markdown.Text
	c.sanitized(&t, l)
	all := t.Rows(nil, max(c.body()-1, 1))
	for _, r := range all[:min(n, len(all))] {
		drawn = append(drawn, indent+r)
	}
	if fits = len(all) <= n; !fits {
		drawn[n-1] += v.st.Faint.Render("…")
	}
	return drawn, fits
}

// result draws how a call ended: in a few words and the lines that say most, or
// all of its body when it is opened.
func (v *View) result(c *canvas, e *entry, b *event.Block) {
	call := b.Call
	words, style := v.words(call)
	lines := bodyLines(call.View.Body)
	size := extent(&call.View, lines)
	known := len(lines) > 0 && strings.HasPrefix(size, words) // also when there are none
	said := ""
	if words != "" && !(known && e.key.folded) {
		said = style.Render(c.mark(clip(words, c.w)))
	}
	if !e.key.folded {
		if said != "" {
			c.add(indent + said)
		}
		if len(call.View.Hosts) > 0 {
			c.add(indent + v.st.Faint.Render(clip(call.View.How(len(call.View.Hosts)), c.w)))
		}
		if len(lines) > 0 {
			v.body(c, e, call, lines)
		}
		return
	}
	preview, all := v.preview(c, call)
	var parts []string
	if said != "" {
		parts = append(parts, said)
	}
	if !all && (known || len(preview) > 0 && c.w >= bothKeys) {
		parts = append(parts, v.st.Muted.Render(size))
	}
	if len(parts) > 0 {
		row := indent + strings.Join(parts, v.st.Faint.Render(" · "))
		if !all {
			row += c.folded()
		}
		c.add(row)
	}
	for _, r := range preview {
		c.add(r)
	}
}

// words are what there is to say about the end of a call.
func (v *View) words(call *event.Call) (string, rows.Style) {
	view, style := &call.View, v.st.Muted
	what := shorten.First(view.Summary)
	switch call.Outcome {
	case event.OutcomeFailed:
		if style = v.st.Bad; what == "" && view.Exit == nil {
			what = shorten.First(view.Body)
		}
	case event.OutcomeDenied:
		if d := call.Decision; d != nil && d.Text != "" {
			return "you said: " + shorten.First(d.Text), v.st.Warn
		}
	}
	if view.Exit != nil && *view.Exit != 0 { // which need not be a failure
		code := "exit " + itoa(*view.Exit)
		if !strings.HasPrefix(what, code) {
			what = strings.TrimSuffix(code+": "+what, ": ")
		}
	}
	return what, style
}

func bodyLines(body string) []string {
	body = strings.TrimRight(body, "\n")
	if body == "" {
		return nil
	}
	return strings.Split(body, "\n")
}

// body draws up to bodyRows rows of a body: of a command the last, of anything
// else the first. A few more are drawn where they are all of it.
func (v *View) body(c *canvas, e *entry, call *event.Call, lines []string) {
	view := &call.View
	end := view.Kind == event.ViewCommand
	from, n := 0, bodyRows
	if len(lines) <= bodyRows+spareRows {
		n = len(lines)
	}
	if end {
		from = len(lines) - min(n, len(lines))
	}
	if c.aim > 0 && c.aim <= len(lines) {
		v.middle(c, e, call, lines)
		return
	}
	shown := lines[from:min(len(lines), from+n)]
	drawn := v.bodyRows(c, e, view, strings.Join(shown, "\n"))
	over := max(len(drawn)-bodyRows, 0)
	if over <= spareRows && len(shown) == len(lines) && view.Cut == 0 {
		over = 0
	}
	more := over > 0 || len(shown) < len(lines) || view.Cut > 0
	if end {
		drawn = drawn[over:]
	} else {
		drawn = drawn[:len(drawn)-over]
	}
	says := excerpt(view, lines, len(shown), end, over > 0)
	if end && more {
		c.hint(says)
	}
	c.bodyAt, c.bodyFrom = len(c.rows), from
	for _, r := range drawn {
		c.add(indent + r)
	}
	if !end && more {
		c.hint(says)
	}
}

// middle draws bodyRows lines of a body around the one that is to be in sight.
func (v *View) middle(c *canvas, e *entry, call *event.Call, lines []string) {
	view := &call.View
	from := max(min(c.aim-1-bodyRows/2, len(lines)-bodyRows), 0)
	to := min(from+bodyRows, len(lines))
	if to-from < len(lines) || view.Cut > 0 {
		c.hint("lines " + itoa(from+1) + " to " + itoa(to) + " of " + extent(view, lines))
	}
	c.bodyAt, c.bodyFrom = len(c.rows), from
	drawn := v.bodyRows(c, e, view, strings.Join(lines[from:to], "\n"))
	for _, r := range drawn[:min(len(drawn), window)] {
		c.add(indent + r)
	}
}

// excerpt says which part of a body n lines of it are, which may be cut to some
// of their rows: its end or its start, and how much there is of it.
func excerpt(view *event.CallView, lines []string, n int, end, rowsCut bool) string {
	size, part, lot := extent(view, lines), "start", "first "
	if end {
		part, lot = "end", "last "
	}
	if rowsCut || !strings.Contains(size, "line") {
		return part + " of " + size
	}
	return lot + itoa(n) + " of " + size
}

// bodyRows draws the lines of a body: differences in their colours, code in
// those of its language, and anything else in its own.
func (v *View) bodyRows(c *canvas, e *entry, view *event.CallView, text string) []string {
	switch {
	case view.Kind == event.ViewWrite, view.Lang == "diff", view.Lang == "patch":
		if c.trace != nil {
			return diff.New(text).Trace(c.trace, c.body(), v.st, term.Line(view.Subject))
		}
		return diff.New(text).RowsOf(nil, c.body(), v.st, term.Line(view.Subject))
	case view.Lang != "":
		return v.code(c, e, text, view.Lang)
	}
	var t markdown.Text
	for i, l := range strings.Split(term.Sanitize(text), "\n") {
		if i > 0 {
			t.Add("\n", "")
		}
		c.sanitized(&t, l)
	}
	return t.Rows(nil, c.body())
}

// code draws a body as a fence of markdown, which brings its colours.
func (v *View) code(c *canvas, e *entry, text, lang string) []string {
	fence := "~~~"
	for strings.Contains(text, fence) {
		fence += "~"
	}
	text = fence + lang + "\n" + text + "\n" + fence
	if c.trace != nil {
		return v.md.Trace(text, c.body(), v.st, c.trace)
	}
	if e.stream == nil {
		e.stream = v.md.Stream()
	}
	e.stream.Set([]byte(text))
	e.stream.Close()
	return e.stream.Rows(c.body(), v.st)
}
