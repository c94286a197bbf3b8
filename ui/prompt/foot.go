package prompt

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// foot is the lower part of the panel: rows to choose from or a text to type,
// without the bar.
type foot struct {
	rows []string
	// pinned is how many rows at the start stay in sight. Of the others those
	// between from and to must be in sight.
	pinned, from, to int
	cursor           struct {
		x, y int
		ok   bool
	}
}

// cut keeps n rows.
func (f foot) cut(n int) foot {
	if n >= len(f.rows) {
		return f
	}
	if f.pinned >= n {
		f.pinned = 0
	}
	first := max(min(max(f.to-(n-f.pinned), f.pinned), f.from), f.pinned)
	first = min(first, len(f.rows)-(n-f.pinned))
	kept := append([]string(nil), f.rows[:f.pinned]...)
	f.rows = append(kept, f.rows[first:first+n-f.pinned]...)
	if f.cursor.y >= f.pinned {
		f.cursor.y -= first - f.pinned
	}
	f.cursor.ok = f.cursor.ok && f.cursor.y >= 0 && f.cursor.y < n
	return f
}

// foot makes the lower part of the current page.
func (p *Panel) foot(v *view, w int) foot {
	switch {
	case v.page == secret:
		return p.hidden(v, w)
	case v.types():
		return p.typing(v, w)
	case v.request.Kind == event.RequestClarify:
		return p.list(v, w)
	}
	return p.flow(v, textWidth(w))
}

// typing is the text that is typed.
func (p *Panel) typing(v *view, w int) foot {
	var f foot
	if w -= barCells; !p.Armed() {
		f.rows = []string{"  " + p.styles.Faint.Render(v.typed(w-markCells))}
		return f
	}
	most := maxInput
	if v.page == editing {
		most = maxEdited
	}
	n := v.input.Height(w, most)
	f.rows = v.input.Rows(nil, w, n)
	f.cursor.x, f.cursor.y, f.cursor.ok = v.input.Cursor()
	f.from, f.to = f.cursor.y, f.cursor.y+1
	return f
}

// hidden is a password that is typed: how long it is, and nothing else of it.
func (p *Panel) hidden(v *view, w int) foot {
	var f foot
	w -= barCells + markCells
	switch {
	case !p.Armed():
		f.rows = []string{"  " + p.styles.Faint.Render(v.typed(w))}
		return f
	case v.secret.Empty():
		f.rows = []string{p.styles.Accent.Render("❯ ") + p.styles.Faint.Render(v.typed(w))}
	default:
		f.rows = []string{p.styles.Accent.Render("❯ ") + p.styles.Text.Render(v.secret.Dots(w-1))}
	}
	f.cursor.x, f.cursor.ok = markCells+rows.Width(v.secret.Dots(w-1)), true
	f.to = 1
	return f
}

// look is the mark of an option and the style of its text.
func (p *Panel) look(marked bool) (mark string, style rows.Style) {
	switch {
	case !p.Armed():
		return "  ", p.styles.Faint
	case marked:
		return p.styles.Accent.Render("▸ "), p.styles.Strong.With(p.styles.Marked())
	}
	return "  ", p.styles.Text
}

// flow puts short options side by side.
func (p *Panel) flow(v *view, w int) foot {
	var f foot
	var line strings.Builder
	cells := 0
	v.marked() // brings the mark into the range
	for i, o := range v.options() {
		n := rows.Width(o.lead+o.label+o.key) + 2
		if cells > 0 && cells+1+n > w {
			f.rows = append(f.rows, "  "+line.String())
			line.Reset()
			cells = 0
		}
		if cells > 0 {
			line.WriteByte(' ')
			cells++
		}
		mark, style := p.look(i == v.mark)
		line.WriteString(mark + style.Render(o.lead+o.label+o.key))
		cells += n
		if i == v.mark {
			f.from = len(f.rows)
			f.to = f.from + 1
		}
	}
	f.rows = append(f.rows, "  "+line.String())
	return f
}

// maxChoice is how many rows a choice takes at most.
const maxChoice = 4

// list puts choices below each other, with the filter above them if there is
// one.
func (p *Panel) list(v *view, w int) foot {
	var f foot
	if v.filters() {
		f = p.typing(v, w)
		f.pinned = len(f.rows)
		f.from, f.to = f.pinned, f.pinned+1
	}
	v.marked()
	for i, o := range v.options() {
		mark, style := p.look(i == v.mark)
		lines := o.lines(textWidth(w))
		if i == v.mark && p.Armed() {
			f.from, f.to = len(f.rows), len(f.rows)+len(lines)
		}
		for j, line := range lines {
			if j > 0 {
				mark = "  "
			}
			f.rows = append(f.rows, mark+style.Render(line))
		}
	}
	return f
}

// lines are the rows of an option in w cells. The rows after the first are set in as
// far as its label, so that no label can imitate another option.
func (o option) lines(w int) []string {
	indent := strings.Repeat(" ", rows.Width(o.lead))
	room := w - len(indent)
	if room < minText {
		indent, room = "", w
	}
	if indent == "" {
		return bounded(wrap(spell(o.lead+o.label), w), w)
	}
	lines := bounded(wrap(spell(o.label), room), room)
	for i := range lines {
		if i == 0 {
			lines[i] = o.lead + lines[i]
			continue
		}
		lines[i] = indent + lines[i]
	}
	return lines
}

// bounded keeps at most maxChoice rows of w cells.
func bounded(lines []string, w int) []string {
	if len(lines) <= maxChoice {
		return lines
	}
	return append(lines[:maxChoice-1], rows.Truncate(lines[maxChoice-1], max(w-1, 0), "")+"…")
}
