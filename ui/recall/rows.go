package recall

import (
	"strconv"
	"strings"

	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// MaxRows is the most rows that the list asks for, with that of the query.
const MaxRows = 10

// lead stands before the query.
const lead = "find: "

// lineBreak stands for a line break in a prompt.
const lineBreak = " ↵ "

// showable is how much of a prompt is made ready to be shown, in bytes.
const showable = 4 << 10

// Height is how many rows the list takes, at most limit: none when it is not open.
func (l *List) Height(limit int) int {
	if !l.open {
		return 0
	}
	return max(min(max(len(l.fits), 1)+1, MaxRows, limit), 0)
}

// Rows appends exactly h rows of exactly w cells to dst: prompts that fit, the newest at
// the bottom, and the query.
func (l *List) Rows(dst []string, w, h int) []string {
	base := len(dst)
	if h <= 0 || !l.open {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	room := h - 1
	l.top = max(min(l.top, l.at), l.at-max(room, 1)+1, 0)
	shown := max(min(room, len(l.fits)-l.top), 0)
	for range room - shown {
		text := ""
		if len(dst) == base+room-1 && len(l.fits) == 0 {
			text = "  " + l.styles.Muted.Render(l.none())
		}
		dst = append(dst, rows.Fit(text, w))
	}
	for i := shown - 1; i >= 0; i-- {
		dst = append(dst, l.row(l.top+i, w))
	}
	return append(dst, l.queryRow(w))
}

// none says why no prompt is listed.
func (l *List) none() string {
	switch {
	case l.more:
		return "looking further back …"
	case len(l.prompts) == 0:
		return "nothing was typed before"
	}
	return "no earlier prompt has this"
}

// row draws a prompt that fits.
func (l *List) row(i, w int) string {
	st, p := l.styles, &l.prompts[l.fits[i]]
	if p.shown == "" {
		p.shown = l.oneLine(p.Text)
	}
	mark := "  "
	if i == l.at {
		mark = st.Accent.Render("▸ ")
	}
	ago := ""
	if !p.At.IsZero() && w > 50 {
		ago = " " + format.Ago(l.now.Sub(p.At))
	}
	room := max(w-2-rows.Width(ago), 0)
	row := rows.Fit(rows.Fit(mark+l.highlight(p.shown, room), 2+room)+st.Faint.Render(ago), w)
	if i == l.at {
		return st.Selected.Over(row)
	}
	return row
}

// oneLine is a prompt as it is shown: masked, on one line.
func (l *List) oneLine(text string) string {
	text = strings.TrimSpace(l.mask(text))
	if len(text) > showable {
		text = strings.ToValidUTF8(text[:showable], "")
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(term.Line(lines[i]))
	}
	return strings.Join(lines, lineBreak)
}

// highlight draws a text in w cells from where the first match is in sight, with what was
// looked for marked.
func (l *List) highlight(text string, w int) string {
	st := l.styles
	found := l.matches(text)
	lead := ""
	if len(found) > 0 && rows.Width(text[:found[0][1]]) > w {
		cut := found[0][0]
		for n := 0; cut > 0 && n < w/3; n++ { // a third of the row stands before it
			cut--
		}
		for cut > 0 && !startsRune(text, cut) {
			cut--
		}
		lead, text = "…", text[cut:]
		for i := range found {
			found[i][0], found[i][1] = found[i][0]-cut, found[i][1]-cut
		}
	}
	var b strings.Builder
	b.WriteString(st.Faint.Render(lead))
	at := 0
	for _, m := range found {
		b.WriteString(st.Text.Render(text[at:m[0]]))
		b.WriteString(st.Accent.With(rows.Bold, rows.Underline).Render(text[m[0]:m[1]]))
		at = m[1]
	}
	b.WriteString(st.Text.Render(text[at:]))
	return rows.Fit(b.String(), w)
}

func startsRune(s string, i int) bool { return s[i]&0xc0 != 0x80 }

// matches are the places of the query's words in a text, in order and apart: for each word
// the first one.
func (l *List) matches(text string) (list [][2]int) {
	words, folds := l.words()
	in := text
	if folds {
		in = strings.ToLower(text)
	}
	if len(in) != len(text) {
		return nil // the places are not those of the text
	}
	for _, w := range words {
		i := strings.Index(in, w)
		if i < 0 {
			continue
		}
		m := [2]int{i, i + len(w)}
		at := len(list)
		for at > 0 && list[at-1][0] > m[0] {
			at--
		}
		if at > 0 && list[at-1][1] > m[0] || at < len(list) && list[at][0] < m[1] {
			continue
		}
		list = append(list[:at], append([][2]int{m}, list[at:]...)...)
	}
	return list
}

// queryRow draws the query, and how many prompts fit.
func (l *List) queryRow(w int) string {
	st := l.styles
	count := ""
	if len(l.fits) > 0 {
		count = strconv.Itoa(l.at+1) + " of " + strconv.Itoa(len(l.fits))
		if l.more {
			count += "+"
		}
	}
	query := st.Text.Render(l.typed(w))
	if l.query == "" {
		query = st.Faint.Render("an earlier prompt")
	}
	return rows.Between(st.Accent.Render(lead)+query, st.Muted.Render(count), w)
}

// countCells is the room that is left to how many prompts fit.
const countCells = 16

// typed is the end of the query that has room in w cells.
func (l *List) typed(w int) string {
	return cells.CutStart(string(l.query), max(w-rows.Width(lead)-countCells, 1))
}

// Cursor is the cell of the insertion point within the h rows that were drawn in w cells.
func (l *List) Cursor(w, h int) (x, y int, ok bool) {
	if !l.open || h <= 0 {
		return 0, 0, false
	}
	return min(rows.Width(lead)+rows.Width(l.typed(w)), max(w-1, 0)), h - 1, true
}
