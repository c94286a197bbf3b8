package overlay

import (
	"strings"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// SetTail brings the end of a text about an entry, with colours. It reports whether there is
// something new to show: a text about an entry that is not marked any more is dropped.
func (p *Picker) SetTail(id, text string) bool {
	text = term.Sanitize(term.CarriageReturns(text))
	if it, ok := p.Selected(); !ok || it.ID != id || p.notesOf == id && p.tail == text {
		return false
	}
	p.notesOf, p.tail = id, text
	return true
}

// tailedSize is nearly the whole screen once there is an entry, whose text takes the room.
func (p *Picker) tailedSize(w, h int) (bw, bh int) {
	if bw, bh = Most(w, h); len(p.items) == 0 {
		bh = min(bh, leastHeight)
	}
	return bw, bh
}

// tailed adds the list, which has up to a third of the rows, and below it the end of the text
// about the marked entry.
func (p *Picker) tailed(f *Frame) {
	room := max(min(len(p.entries), f.Left()/3), 1)
	for _, row := range p.list(room, f.w-2) {
		f.Add(row)
	}
	if f.Left() > 1 {
		f.Divide()
	}
	it, ok := p.Selected()
	if !ok {
		return
	}
	lines := []string{p.st.Muted.Render("One moment …")}
	if it.ID == p.notesOf {
		lines = lastRows(p.tail, max(f.Inner(), 1), max(f.Left(), 0))
	}
	for _, line := range lines[:min(len(lines), max(f.Left(), 0))] {
		f.Put(rows.Fit(line, f.Inner()))
	}
}

// lastRows wraps the end of a text and returns at most n rows.
func lastRows(text string, w, n int) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var all []string
	for _, l := range lines[max(len(lines)-n, 0):] {
		all = rows.Wrap(all, rows.ExpandTabs(l), w)
	}
	return all[max(len(all)-n, 0):]
}
