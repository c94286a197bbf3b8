package diff

import (
	"strconv"
	"strings"

	"hermes-tui/themes"
	"hermes-tui/ui/diff/words"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
)

// Wide is the width from which on old and new stand side by side.
const Wide = 120

// Rows appends the difference in rows of exactly w cells.
func (d *Diff) Rows(dst []string, w int, st *rows.Styles) []string { return d.RowsOf(dst, w, st, "") }

// RowsOf is [Diff.Rows] below a line that names a file already: when nothing but
// that file was changed, it is not named again.
func (d *Diff) RowsOf(dst []string, w int, st *rows.Styles, named string) []string {
	return d.rows(dst, w, st, named, nil)
}

// Trace draws what [Diff.RowsOf] does and has a trace note where the lines stand, without
// their signs; old and new side by side are two columns.
func (d *Diff) Trace(t *rows.Trace, w int, st *rows.Styles, named string) []string {
	return d.rows(nil, w, st, named, &tracer{Trace: t, one: t.Source(""), old: t.Column(), new: t.Column()})
}

// tracer is told of the lines that are drawn.
type tracer struct {
	*rows.Trace
	one, old, new int // the sources of lines below each other, and beside each other
	id            int // the one of the line that is drawn
}

func (d *Diff) rows(dst []string, w int, st *rows.Styles, named string, tr *tracer) []string {
	for i := range d.files {
		if i > 0 {
			dst = append(dst, rows.Blank(w))
		}
		f := &d.files[i]
		p := painter{st: st, w: max(w, 1), file: f, look: newLook(st), tracer: tr, sides: w >= Wide}
		p.bare = named != "" && len(d.files) == 1 && f.from == "" && !f.lost && (named == f.name || strings.HasSuffix(f.name, "/"+named) || strings.HasSuffix(named, "/"+f.name))
		dst = p.draw(dst)
	}
	return dst
}

// look are the styles of lines and of what has changed in them. Where there are no
// backgrounds at all lines are plain: their colour says what they are, instead of those
// of their language.
type look struct {
	sign      [3]rows.Style // of context, removed, added
	bg, words [3]rows.Attr
	plain     bool
}

func newLook(st *rows.Styles) look {
	t := st.Theme
	words := func(c themes.Color) rows.Attr {
		if c == "" {
			return rows.Reverse
		}
		return rows.Bg(c)
	}
	return look{
		plain: t.AddedBg == "" && t.RemovedBg == "" && t.AddedWordBg == "" && t.RemovedWordBg == "",
		sign:  [3]rows.Style{st.Faint, rows.NewStyle(rows.Fg(t.Syntax.Deleted)), rows.NewStyle(rows.Fg(t.Syntax.Inserted))},
		bg:    [3]rows.Attr{"", rows.Bg(t.RemovedBg), rows.Bg(t.AddedBg)},
		words: [3]rows.Attr{"", words(t.RemovedWordBg), words(t.AddedWordBg)},
	}
}

// painter draws one file.
type painter struct {
	st     *rows.Styles
	w      int
	file   *file
	look   look
	digits int
	bare   bool // without its head
	tracer *tracer
	sides  bool // old and new stand side by side
	cutter *cutter
}

func (p *painter) draw(dst []string) []string {
	if !p.bare {
		dst = p.head(dst)
	}
	for _, l := range p.file.lines {
		p.digits = max(p.digits, len(strconv.Itoa(max(l.old, l.new))))
	}
	lines := p.file.lines
	for len(lines) > 0 {
		switch lines[0].kind {
		case hunk:
			if p.whole() {
				lines = lines[1:]
				continue
			}
			p.turn(dst, false)
			dst = append(dst, rows.Fit(p.st.Info.Render(hunkText(lines[0])), p.w))
			lines = lines[1:]
		case note:
			dst = p.note(dst, &lines[0])
			lines = lines[1:]
		default:
			n := 0
			for n < len(lines) && lines[n].kind <= added {
				n++
			}
			dst = p.body(dst, lines[:n])
			lines = lines[n:]
		}
	}
	return dst
}

// whole reports whether the file is new or gone: there is one side only, and no
// place in it to name.
func (p *painter) whole() bool { return p.file.created || p.file.lost }

// head names the file and counts what has changed in it.
func (p *painter) head(dst []string) []string {
	f := p.file
	if f.name == "" {
		return dst
	}
	name := f.name
	switch {
	case f.from != "":
		name = f.from + " → " + f.name
	case f.created:
		name += " (new)"
	case f.lost:
		name += " (deleted)"
	}
	count := p.look.sign[added].Render("+"+strconv.Itoa(f.added)) + " " + p.look.sign[removed].Render("−"+strconv.Itoa(f.gone))
	return append(dst, rows.Between(p.st.Strong.Render(name), count, p.w))
}

func (p *painter) note(dst []string, l *line) []string {
	var t markdown.Text
	if p.tracer != nil {
		p.tracer.add(&t, p.tracer.one, l)
	} else {
		t.Add(l.text, p.st.Muted.Open())
	}
	for _, r := range t.CodeRows(nil, p.w) {
		dst = append(dst, rows.Fit(r, p.w))
	}
	return dst
}

func hunkText(l line) string {
	text := "⋯ line " + strconv.Itoa(max(l.new, l.old))
	if l.text != "" {
		text += "  " + l.text
	}
	return text
}

// cell is a line ready to be drawn: its text in colours.
type cell struct {
	*line
	spans []markdown.Span
	words []words.Part
}

// body draws the lines of a piece.
func (p *painter) body(dst []string, lines []line) []string {
	cells := p.cells(lines)
	if p.sides && !p.whole() {
		return p.beside(dst, cells)
	}
	for i := range cells {
		p.turn(dst, cells[i].kind != context)
		dst = p.unified(dst, &cells[i])
	}
	return dst
}

// cells colours the lines: the old side and the new side each as one text, and
// marks what has changed within pairs of lines.
func (p *painter) cells(lines []line) []cell {
	cells := make([]cell, len(lines))
	for i := range lines {
		cells[i].line = &lines[i]
	}
	p.colour(cells, removed)
	p.colour(cells, added)
	for i := 0; i < len(cells); {
		if cells[i].kind != removed {
			i++
			continue
		}
		gone := run(cells, i, removed)
		came := run(cells, i+gone, added)
		for k := range min(gone, came) {
			old, new := &cells[i+k], &cells[i+gone+k]
			old.words, new.words = words.Changed(old.text, new.text)
		}
		i += gone + came
	}
	return cells
}

// run counts the cells of a kind from i on.
func run(cells []cell, i int, k kind) int {
	n := 0
	for i+n < len(cells) && cells[i+n].kind == k {
		n++
	}
	return n
}

// colour gives the lines of one side, context included, the colours of their
// language.
func (p *painter) colour(cells []cell, side kind) {
	var b strings.Builder
	for i := range cells {
		if cells[i].kind == context || cells[i].kind == side {
			b.WriteString(cells[i].text)
			b.WriteByte('\n')
		}
	}
	spans := markdown.Paint(p.file.name, b.String(), p.st)
	at := 0
	for i := range cells {
		c := &cells[i]
		if c.kind != context && c.kind != side {
			continue
		}
		c.spans, spans = cut(spans, at, at+len(c.text))
		at += len(c.text) + 1
	}
}

// add appends a line of a source.
func (tr *tracer) add(t *markdown.Text, id int, l *line) {
	t.AddFrom(tr.Trace, id, tr.Line(id, l.source), 0, l.source)
}

// cut gives the spans of a line that stands from..to in a text, with ends that
// count from its start, and those that are left for what follows.
func cut(spans []markdown.Span, from, to int) (line, rest []markdown.Span) {
	for len(spans) > 0 && spans[0].End <= from {
		spans = spans[1:]
	}
	for i, s := range spans {
		line = append(line, markdown.Span{End: min(s.End, to) - from, Open: s.Open})
		if s.End >= to {
			return line, spans[i:]
		}
	}
	return line, nil
}

// text is a line with its colours, on the background of its kind.
func (p *painter) text(c *cell) *markdown.Text {
	var t markdown.Text
	if p.tracer != nil {
		p.tracer.add(&t, p.tracer.id, c.line)
		return &t
	}
	at := 0
	spans := c.spans
	if p.look.plain && c.kind != context {
		spans = []markdown.Span{{End: len(c.text), Open: p.look.sign[c.kind].Open()}}
	}
	for _, s := range spans {
		for at < s.End {
			end, open := p.until(c, at, s)
			t.Add(c.text[at:end], open)
			at = end
		}
	}
	if at < len(c.text) {
		t.Add(c.text[at:], withBg(p.st.Text.Open(), p.look.bg[c.kind]))
	}
	return &t
}

// until gives how far from at on, but no further than the end of a span, the style
// is the same, and which one it is. What has changed is drawn in the colour of
// text, which can be read on the background of that.
func (p *painter) until(c *cell, at int, s markdown.Span) (end int, open string) {
	for _, w := range c.words {
		switch {
		case at < w.From:
			return min(w.From, s.End), withBg(s.Open, p.look.bg[c.kind])
		case at < w.To && !p.look.plain:
			s.Open = p.st.Text.Open()
			fallthrough
		case at < w.To:
			return min(w.To, s.End), withBg(s.Open, p.look.words[c.kind])
		}
	}
	return s.End, withBg(s.Open, p.look.bg[c.kind])
}

// withBg adds a background to an opened style.
func withBg(open string, bg rows.Attr) string {
	return open + rows.NewStyle(bg).Open()
}

// signs stand before a line.
var signs = [3]string{" ", "−", "+"}

// unified draws a line below the one before: both numbers, the sign, the text.
func (p *painter) unified(dst []string, c *cell) []string {
	if p.tracer != nil {
		p.tracer.id = p.tracer.one
	}
	gutter := p.number(c.old) + " " + p.number(c.new) + " "
	if p.whole() {
		gutter = p.number(max(c.old, c.new)) + " "
	}
	return p.line(dst, c, gutter, p.w)
}

// number writes a line number into the room for it.
func (p *painter) number(n int) string {
	text := ""
	if n > 0 {
		text = strconv.Itoa(n)
	}
	return rows.Blank(p.digits-len(text)) + text
}

// minText is the least room for text; where there is less, numbers are left out.
const minText = 16

// line appends a line behind its gutter in rows of w cells.
func (p *painter) line(dst []string, c *cell, gutter string, w int) []string {
	if w-len(gutter)-2 < minText {
		gutter = ""
	}
	sign := p.look.sign[c.kind]
	room := max(w-len(gutter)-2, 1)
	for i, r := range p.text(c).CodeRows(nil, room) {
		before, mark := p.st.Faint.Render(gutter), signs[c.kind]
		if i > 0 {
			before, mark = rows.Blank(len(gutter)), "↳"
		}
		text := r
		if fill := room - rows.Width(r); fill > 0 {
			text += rows.NewStyle(p.look.bg[c.kind]).Render(rows.Blank(fill))
		}
		dst = append(dst, rows.Fit(before+sign.Render(mark)+" "+text, w))
	}
	return dst
}

// between separates the sides.
const between = " │ "

// beside draws old and new side by side: what was removed next to what was added
// in its place.
func (p *painter) beside(dst []string, cells []cell) []string {
	left := (p.w - rows.Width(between)) / 2
	right := p.w - rows.Width(between) - left
	for i := 0; i < len(cells); {
		p.turn(dst, cells[i].kind != context)
		if cells[i].kind == context {
			dst = p.pair(dst, &cells[i], &cells[i], left, right)
			i++
			continue
		}
		gone := run(cells, i, removed)
		came := run(cells, i+gone, added)
		for k := range max(gone, came) {
			var old, new *cell
			if k < gone {
				old = &cells[i+k]
			}
			if k < came {
				new = &cells[i+gone+k]
			}
			dst = p.pair(dst, old, new, left, right)
		}
		i += gone + came
	}
	return dst
}

// column has the next line belong to one of the sides.
func (p *painter) column(old bool) {
	switch {
	case p.tracer == nil:
	case old:
		p.tracer.id = p.tracer.old
	default:
		p.tracer.id = p.tracer.new
	}
}

// pair draws one line of each side, nil for none, in as many rows as the longer
// one needs.
func (p *painter) pair(dst []string, old, new *cell, left, right int) []string {
	var a, b []string
	if old != nil {
		p.column(true)
		a = p.line(nil, old, p.number(old.old)+" ", left)
	}
	if new != nil {
		p.column(false)
		b = p.line(nil, new, p.number(new.new)+" ", right)
	}
	for i := range max(len(a), len(b)) {
		row, other := rows.Blank(left), rows.Blank(right)
		if i < len(a) {
			row = a[i]
		}
		if i < len(b) {
			other = b[i]
		}
		dst = append(dst, row+p.st.Border.Render(between)+other)
	}
	return dst
}
