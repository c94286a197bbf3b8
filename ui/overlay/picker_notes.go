package overlay

import (
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Note is a line about an entry of a [Picker]. It is wrapped, to at most Rows rows; 0
// is one.
type Note struct {
	Text string
	Tone Tone
	Rows int
	// Drawn draws rows of w cells instead, in the styles in force.
	Drawn func(st *rows.Styles, w int) []string
}

// Tone says how a note looks.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Faint
	Strong
	Mine // what the user said
)

// SetNotes brings what is known about an entry. It is shown while that one is marked.
func (p *Picker) SetNotes(id string, notes []Note) { p.notesOf, p.notes = id, notes }

// The room for notes.
const (
	noteBeside = 100 // cells a window needs to show them beside the list
	lowBeside  = 146 // such cells where all entries are to be seen
	noteWidest = 150 // cells of such a window
	noteRows   = 8   // rows below the list
	noteTall   = 26  // rows a screen needs for them
)

// beside returns how wide a window has to be to show notes beside the list.
func (p *Picker) beside() int {
	if p.opts.Low {
		return lowBeside
	}
	return noteBeside
}

// notedSize is the size of a window with notes. It does not depend on what is listed,
// unless that is asked for.
func (p *Picker) notedSize(w, h int) (bw, bh int) {
	if wide := min(w-6, noteWidest); wide >= p.beside() {
		if p.opts.Low {
			h = min(h, max(len(p.whole), listRows)+frameRows)
			return wide, max(h, 0)
		}
		return wide, min(max(h*2/3, listRows+frameRows), max(h, 0))
	}
	bh = listRows + frameRows
	if h >= noteTall {
		bh += noteRows + 1
	}
	return boxWidth(w), min(bh, max(h, 0))
}

// noted adds the list, and the notes beside it or below.
func (p *Picker) noted(f *Frame) {
	if f.w >= p.beside() {
		p.besides(f)
		return
	}
	below := 0
	if f.Left() > listRows {
		below = min(noteRows, f.Left()-listRows-1)
	}
	room := f.Left()
	if below > 0 {
		room -= below + 1
	}
	list := p.list(room, f.w-2)
	for i := range room {
		f.Add(rowOr(list, i, f.w-2))
	}
	if below > 0 {
		f.Divide()
		for _, row := range p.noteLines(f.Inner(), below, true) {
			f.Put(row)
		}
	}
}

// besides adds the list, and the notes right of it.
func (p *Picker) besides(f *Frame) {
	left := (f.w - 2) * 11 / 20
	right := f.w - 2 - left - 3 // the line, and a blank on either side
	room := f.Left()
	list, notes := p.list(room, left), p.noteLines(right, room, false)
	line := cells.NewRow(2).Put(p.st.Border, side).String()
	for i := range room {
		f.Add(rowOr(list, i, left) + line + rowOr(notes, i, right) + " ")
	}
}

// rowOr is row i, or a blank one of w cells.
func rowOr(list []string, i, w int) string {
	if i < len(list) {
		return list[i]
	}
	return rows.Blank(w)
}

// noteLines are the notes of the marked entry in at most n rows of w cells, without
// blank ones if they are to be dense.
func (p *Picker) noteLines(w, n int, dense bool) []string {
	it, ok := p.Selected()
	if !ok || it.ID != p.notesOf || w < 1 {
		return nil
	}
	styles := [...]rows.Style{Plain: p.st.Text, Faint: p.st.Faint, Strong: p.st.Strong, Mine: p.st.Accent}
	var list []string
	for _, note := range p.notes {
		if note.Drawn != nil {
			drawn := note.Drawn(p.st, w)
			list = append(list, drawn[:min(len(drawn), n-len(list))]...)
			continue
		}
		if dense && note.Text == "" {
			continue
		}
		most := max(note.Rows, 1)
		text := rows.Wrap(nil, term.Line(note.Text), w)
		if len(text) > most {
			text = text[:most]
			text[most-1] = cells.Cut(text[most-1], w-1) + "…"
		}
		if len(text) == 0 {
			text = []string{""}
		}
		for _, line := range text {
			if len(list) == n {
				return list
			}
			list = append(list, cells.NewRow(w).PutMax(styles[note.Tone], line, w).String())
		}
	}
	return list
}
