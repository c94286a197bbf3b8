package overlay

import (
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Query is what is typed into a window to find something: at its end only.
type Query string

// queryBytes bounds a query.
const queryBytes = 256

// prompt stands before a query on a row of its own.
const prompt = "❯ "

// Add is the query with typed or pasted text behind it, or as it was when it would be
// too long.
func (q Query) Add(text string) Query {
	if text = term.Line(text); len(q)+len(text) > queryBytes {
		return q
	}
	return q + Query(text)
}

// Shorter is the query without its last character.
func (q Query) Shorter() Query { return Query(cells.DropLast(string(q))) }

// tail is the end of the query that fits into n cells.
func (q Query) tail(n int) string { return cells.CutStart(string(q), n) }

// Row draws the query in w cells behind its prompt, or what could be typed.
func (q Query) Row(st *rows.Styles, w int, could string) string {
	row := cells.NewRow(w).Skip(1).Put(st.Accent, prompt)
	if q == "" {
		return row.PutMax(st.Faint, could, row.Left()-1).String()
	}
	return row.Put(st.Text, q.tail(row.Left()-2)).String()
}

// Cursor is where the insertion point stands in a box of w×h cells whose first row is
// that of the query.
func (q Query) Cursor(w, h int) (x, y int, ok bool) {
	before := edges/2 + rows.Width(prompt)
	room := w - before - edges/2
	if h < 3 || room < 1 {
		return 0, 0, false
	}
	return before + rows.Width(q.tail(room-1)), 1, true
}
