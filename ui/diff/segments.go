package diff

import "hermes-tui/ui/rows"

// Segment is a run of rows: of one place where the sides differ, or of what lies between.
type Segment struct {
	// Hunk counts the places of all files from 0, -1 for what is none.
	Hunk int
	Rows []string
}

// Segments draws what [Diff.Rows] does, with the places where the sides differ apart; beside
// has old and new side by side, as far as there are two sides. A place is a run of lines
// that were removed or added, with nothing between them but notes about their ends.
func (d *Diff) Segments(w int, st *rows.Styles, beside bool) []Segment {
	c := &cutter{}
	for i := range d.files {
		p := painter{st: st, w: max(w, 1), file: &d.files[i], look: newLook(st), sides: beside, cutter: c}
		c.end(p.draw(nil))
	}
	return c.list
}

// cutter divides rows into segments while they are drawn.
type cutter struct {
	list  []Segment
	hunks int
	at    int  // where the rows of the next segment begin
	in    bool // a place where the sides differ is being drawn
}

// turn ends a segment if the next line is of another one. dst are the rows so far.
func (c *cutter) turn(dst []string, changed bool) {
	if changed == c.in {
		return
	}
	c.cut(dst)
	if c.in = changed; changed {
		c.hunks++
	}
}

func (c *cutter) cut(dst []string) {
	if len(dst) == c.at {
		return
	}
	s := Segment{Hunk: -1, Rows: dst[c.at:len(dst):len(dst)]}
	if c.in {
		s.Hunk = c.hunks - 1
	}
	c.list, c.at = append(c.list, s), len(dst)
}

// end ends a file.
func (c *cutter) end(dst []string) {
	c.cut(dst)
	c.at, c.in = 0, false
}

// turn tells the cutter, if there is one, of the next line.
func (p *painter) turn(dst []string, changed bool) {
	if p.cutter != nil {
		p.cutter.turn(dst, changed)
	}
}
