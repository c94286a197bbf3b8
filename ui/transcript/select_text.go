package transcript

import (
	"bytes"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// SelectionText is the text that is selected: as it came from outside but for control
// characters, without gutters, breaks of the screen and decoration, of Markdown as it was
// written. Between two blocks that are selected in part, others are taken as a whole, as
// [View.CopyText] does; of a folded one what is seen of it.
func (v *View) SelectionText() string {
	v.layout()
	v.settleSelection()
	s := &v.selection
	if !s.on {
		return ""
	}
	it, ok := v.itemOf(&s.a)
	var b strings.Builder
	for gap := 0; ok && s.b.side(it) >= 0; it, ok = v.next(it) {
		gap = max(gap, v.gap(it))
		text := v.selectedText(it)
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(v.between(it, gap))
		}
		b.WriteString(text)
		gap = 0
	}
	return b.String()
}

// between is what stands before the text of an item, behind that of another: blank rows,
// and in a long answer the ends of lines that are there.
func (v *View) between(it item, gap int) string {
	if before, ok := v.prev(it); ok && it.seg > 0 {
		text := v.part(before).Text
		return "\n" + strings.Repeat("\n", max(len(text)-len(bytes.TrimRight(text, "\n"))-1, 0))
	}
	return "\n\n"[:1+gap]
}

// selectedText is what is selected of an item.
func (v *View) selectedText(it item) string {
	s := &v.selection
	var from, to point
	if it.segs > 0 {
		return v.selectedPart(it)
	}
	first, last := s.a.side(it) == 0, s.b.side(it) == 0
	if first {
		from = s.a
	}
	if last {
		to = s.b
	} else if first {
		to = v.endIn(it)
	}
	if first && last || (first || last) && !v.covers(it, from, to) {
		return v.shown(it, from, to)
	}
	return v.wholeText(it)
}

// selectedPart is what is selected of a part of a long answer: what stands between the
// ends of the selection, whether its parts show it or not, or all of the answer once.
func (v *View) selectedPart(it item) string {
	s, i := &v.selection, it.from
	first, last := s.a.side(it) == 0, s.b.side(it) == 0
	begins, ends := s.a.at == i, s.b.at == i // in the answer
	switch {
	case begins && ends:
	case begins && !v.coversFrom(s.a), ends && !v.coversTo(s.b):
	case it.first():
		return strings.TrimRight(rawText(v.blocks[i]), "\n")
	default:
		return ""
	}
	if v.goesOn(it, -1) && v.goesOn(it, 1) {
		return strings.TrimRight(string(v.part(it).Text), "\n")
	}
	var from point
	to := v.endIn(it)
	if first {
		from = s.a
	}
	if last {
		to = s.b
	}
	return v.shown(it, from, to)
}

// coversFrom reports whether a long answer has no text before a point.
func (v *View) coversFrom(p point) bool {
	it, _ := v.itemOf(&p)
	for covers := v.covers(it, p, v.endIn(it)); ; covers = !v.shows(it, point{}, v.endIn(it)) {
		if !covers || it.first() {
			return covers
		}
		it.seg--
	}
}

// coversTo reports whether a long answer has no text behind a point.
func (v *View) coversTo(p point) bool {
	it, _ := v.itemOf(&p)
	for covers := v.covers(it, point{}, p); ; covers = !v.shows(it, point{}, v.endIn(it)) {
		if !covers || it.last() {
			return covers
		}
		it.seg++
	}
}

// goesOn reports whether the selection has text of the part of a long answer that stands
// before another, or behind it.
func (v *View) goesOn(it item, by int) bool {
	s := &v.selection
	if by < 0 && (it.first() || s.a.side(it) >= 0) || by > 0 && (it.last() || s.b.side(it) <= 0) {
		return false
	}
	it.seg += by
	from, to := point{}, v.endIn(it)
	if s.a.side(it) == 0 {
		from = s.a
	}
	if s.b.side(it) == 0 {
		to = s.b
	}
	return v.shows(it, from, to)
}

// shows reports whether an item has text between two points.
func (v *View) shows(it item, from, to point) bool {
	for row := from.row; row <= to.row; row++ {
		for _, g := range v.glyphs(it, row) {
			if (row > from.row || g.to > from.col) && (row < to.row || g.from < to.col) {
				return true
			}
		}
	}
	return false
}

// endIn is the end of an item.
func (v *View) endIn(it item) point { return point{row: v.entry(it).height() - 1, col: v.w} }

// covers reports whether all text of an item stands between two points.
func (v *View) covers(it item, from, to point) bool {
	h := v.entry(it).height()
	for row := range h {
		list := v.glyphs(it, row)
		if len(list) == 0 {
			continue
		}
		if row < from.row || row == from.row && list[0].from < from.col {
			return false
		}
		break
	}
	for row := h - 1; row >= 0; row-- {
		list := v.glyphs(it, row)
		if len(list) == 0 {
			continue
		}
		return row < to.row || row == to.row && list[len(list)-1].to <= to.col
	}
	return true
}

// wholeText is an item that is selected as a whole: what is folded away is left out.
func (v *View) wholeText(it item) string {
	var parts []string
	for _, b := range v.blocks[it.from:it.to] {
		switch {
		case b.Kind == event.BlockReasoning && v.folded(b):
		case b.Kind != event.BlockTool || !it.closed() && !v.folded(b):
			parts = append(parts, strings.TrimRight(rawText(b), "\n"))
		case it.closed():
			parts = append(parts, rawHead(b))
		default:
			c := v.traceCanvas(v.keyOf(it))
			v.tool(c, &entry{key: v.keyOf(it)}, b)
			seen := c.trace.Lines(c.lines)
			if clip(b.Call.View.Subject, c.w) != "" { // which is in the head
				_, seen, _ = strings.Cut(seen, "\n")
			}
			parts = append(parts, strings.TrimRight(rawHead(b)+"\n"+seen, "\n"))
		}
	}
	return strings.Join(parts, "\n")
}

// shown is the source of the text that an item shows between two points. A line that is
// cut on the screen is whole when what stands for the rest of it is taken.
func (v *View) shown(it item, from, to point) string {
	type reach struct{ at, end int }
	t := v.tracedOf(it)
	reaches := map[int]reach{}
	var order []int
	for row := from.row; row <= to.row; row++ {
		lo, hi := 0, v.w
		if row == from.row {
			lo = from.col
		}
		if row == to.row {
			hi = to.col
		}
		for _, r := range v.columnRuns(it, row) {
			part, ok := r.Part(lo, hi)
			if !ok {
				continue
			}
			at, known := reaches[r.Source]
			if !known {
				at = reach{part.At, part.End}
				order = append(order, r.Source)
			}
			if hi > part.To && part.End == r.End && v.cut(it, row, r) {
				part.End = t.trace.LineEnd(r.Source, part.End)
			}
			reaches[r.Source] = reach{min(at.at, part.At), max(at.end, part.End)}
		}
	}
	texts := make([]string, len(order))
	for i, id := range order {
		at, end := reaches[id].at, reaches[id].end
		if v.goesOn(it, -1) {
			at = 0
		}
		if v.goesOn(it, 1) {
			end = len(v.part(it).Text)
		}
		texts[i] = strings.Trim(t.trace.Slice(id, at, end), "\n")
	}
	return strings.Join(texts, "\n")
}

// cut reports whether the screen shows nothing of what follows a run in its line.
func (v *View) cut(it item, row int, r rows.Run) bool {
	list := v.runsAt(it, row)
	if list[len(list)-1] != r {
		return false
	}
	next := v.runsAt(it, row+1)
	return len(next) == 0 || next[0].Source != r.Source || next[0].At > v.tracedOf(it).trace.LineEnd(r.Source, r.End)
}

// columnRuns are the runs of a row: where two texts stand side by side, those of the one
// in which the selection begins or ends, else of the last.
func (v *View) columnRuns(it item, row int) []rows.Run {
	list := v.runsAt(it, row)
	t := v.tracedOf(it).trace
	columns := false
	for _, r := range list {
		columns = columns || t.IsColumn(r.Source)
	}
	if !columns {
		return list
	}
	want := -1
	for _, p := range []*point{&v.selection.from, &v.selection.to} {
		if own, ok := v.itemOf(p); ok && own == it && want < 0 {
			for _, r := range v.runsAt(it, p.row) {
				if t.IsColumn(r.Source) && r.From <= p.col {
					want = r.Source
				}
			}
		}
	}
	if want < 0 {
		for _, runs := range v.tracedOf(it).runs {
			for _, r := range runs {
				if t.IsColumn(r.Source) {
					want = max(want, r.Source)
				}
			}
		}
	}
	var out []rows.Run
	for _, r := range list {
		if r.Source == want || !t.IsColumn(r.Source) {
			out = append(out, r)
		}
	}
	return out
}
