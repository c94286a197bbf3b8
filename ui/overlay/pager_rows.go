package overlay

import (
	"sort"
	"strconv"
	"strings"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// findPrompt stands before a search that is being typed.
const findPrompt = "/"

// Cursor implements [Box]: the insertion point is behind the search being typed,
// on the lower edge.
func (p *Pager) Cursor(w, h int) (x, y int, ok bool) {
	if !p.typing || h < 2 || w < 12 {
		return 0, 0, false
	}
	return 3 + rows.Width(p.findText(w)), h - 1, true
}

// findText is the search being typed, as far as it fits into the edge.
func (p *Pager) findText(w int) string { return findPrompt + p.draft.tail(w-10) }

// Rows implements [Box].
func (p *Pager) Rows(dst []string, w, h int) []string {
	base := len(dst)
	if h < 3 || w < edges+1 {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	p.w, p.h = w-edges, h-2
	p.remake()
	if p.follow {
		p.Move(Bottom)
	}
	p.show(p.doc.rowAt(p.top, p.w))
	dst = append(dst, "") // the upper edge tells the position, known below
	end := p.page(&dst, w)
	for len(dst) < base+h-1 {
		dst = append(dst, inside(p.st, rows.Blank(w-2), w))
	}
	dst[base] = upper(p.st).draw(w, p.title, p.st.Strong, p.position(end), p.st.Muted)
	return append(dst, p.lowerEdge(w))
}

// lowerEdge shows the search or key hints.
func (p *Pager) lowerEdge(w int) string {
	note, style := p.foundWords()
	if p.q.Text != "" || p.typing {
		if how := HowWords(p.how); w >= leastHow {
			note = strings.TrimPrefix(note+" · "+how, " · ")
		}
	}
	if p.typing {
		return lower(p.st).draw(w, p.findText(w)+" ", p.st.Text, note, style)
	}
	return lower(p.st).draw(w, hintLine(p.hints, w), p.st.Faint, note, style)
}

// leastHow is from which width on it is said how something is looked for.
const leastHow = 60

// position says how long the text is and how far down the page ends.
func (p *Pager) position(end int) string {
	unit := " lines"
	switch {
	case p.doc.text == "":
		return "empty"
	case p.doc.lines == 1:
		unit = " line"
	}
	text := strconv.Itoa(p.doc.lines) + unit
	if p.top == 0 && end >= len(p.doc.text) {
		return text
	}
	return text + " · " + strconv.Itoa(int(int64(end)*100/int64(len(p.doc.text)))) + "%"
}

// page appends the rows in sight and returns the offset at which they end.
func (p *Pager) page(dst *[]string, w int) (end int) {
	at := p.doc.rowAt(p.top, p.w)
	var buf []span
	for n := p.h; n > 0 && at.segment < len(p.doc.starts); at = (place{segment: at.segment + 1}) {
		buf = p.doc.wrap(buf[:0], at.segment, p.w)
		for _, s := range buf[at.row:] {
			if n == 0 {
				return end
			}
			*dst = append(*dst, p.textRow(s, w))
			n, end = n-1, s.to
		}
	}
	return end
}

// The kinds of text on a row.
const (
	noMatch = iota
	otherMatch
	currentMatch
)

// textRow draws one row of text. The row that holds the beginning of the current
// match has a mark.
func (p *Pager) textRow(s span, w int) string {
	row := cells.NewRow(w - 2)
	if p.current >= 0 && p.matches[p.current].from >= s.from && p.matches[p.current].from < max(s.to, s.from+1) {
		row.Put(p.st.Accent, "▸")
	} else {
		row.Skip(1)
	}
	pt := painter{p: p, row: row, from: s.from, run: p.doc.runAt(s.from)}
	pt.next = sort.Search(len(p.matches), func(i int) bool { return p.matches[i].to > s.from })
	text := strings.TrimRight(p.doc.text[s.from:s.to], " ")
	pt.paint(s.from + len(text))
	return inside(p.st, row.String(), w)
}

// painter draws a row piece by piece; a piece has one style.
type painter struct {
	p    *Pager
	row  *cells.Row
	from int // start of the piece
	run  int // the run it lies in
	next int // the first match that ends behind it
	kind int
}

// paint draws the text up to an offset.
func (t *painter) paint(to int) {
	d, col := t.p.doc, 0
	for pos := t.from; pos < to; {
		if t.run < len(d.runs) && pos >= d.runs[t.run].End {
			t.flush(pos)
		}
		if kind := t.kindAt(pos); kind != t.kind {
			t.flush(pos)
			t.kind = kind
		}
		n, width := d.next(pos, to, col, &t.run)
		if d.text[pos] == '\t' {
			t.flush(pos)
			t.row.Put(t.style(), rows.Blank(width))
			t.from = pos + 1
		}
		pos, col = pos+n, col+width
	}
	t.flush(to)
}

// kindAt tells what kind of text an offset belongs to. Offsets come in order.
func (t *painter) kindAt(pos int) int {
	p := t.p
	for t.next < len(p.matches) && p.matches[t.next].to <= pos {
		t.next++
	}
	switch {
	case t.next == len(p.matches) || p.matches[t.next].from > pos:
		return noMatch
	case t.next == p.current:
		return currentMatch
	}
	return otherMatch
}

// flush draws the piece that ends at an offset.
func (t *painter) flush(to int) {
	if to > t.from {
		t.row.PutMax(t.style(), t.p.doc.text[t.from:to], t.row.Left()-1)
		t.from = to
	}
}

// style is that of the piece.
func (t *painter) style() rows.Style {
	st := t.p.st
	switch t.kind {
	case currentMatch:
		return st.BadgeWarn
	case otherMatch:
		return st.Accent.With(rows.Bold, rows.Underline)
	}
	if runs := t.p.doc.runs; t.run < len(runs) && len(runs[t.run].Open) > 3 {
		open := runs[t.run].Open
		return st.Text.With(rows.Attr(open[2 : len(open)-1]))
	}
	return st.Text
}
