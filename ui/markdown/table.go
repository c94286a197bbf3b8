package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"hermes-tui/ui/rows"
)

const (
	columnGap = " │ "
	// minColumn is the width below which a column that had to shrink is not
	// worth reading; the table is then drawn as pairs of name and value.
	minColumn = 6
)

// table is a table taken apart: cells[0] is its head.
type table struct {
	align []extast.Alignment
	cells [][]Text
	wide  []int // of the widest cell of each column
}

func (r *renderer) table(dst []string, n ast.Node, w int, base look) []string {
	t := r.readTable(n.(*extast.Table), base)
	widths := fit(t.wide, w-rows.Width(columnGap)*(len(t.wide)-1))
	if widths == nil {
		return r.pairs(dst, t, w)
	}
	gap := r.pal.st.Border.Render(columnGap)
	var d tableDrawer
	for i, cells := range t.cells {
		dst = d.row(dst, cells, widths, t.align, gap)
		if i == 0 {
			dst = append(dst, r.headRule(widths))
		}
	}
	return dst
}

func (r *renderer) readTable(n *extast.Table, base look) *table {
	t := &table{align: n.Alignments, wide: make([]int, len(n.Alignments)), cells: make([][]Text, 0, n.ChildCount())}
	for line := n.FirstChild(); line != nil; line = line.NextSibling() {
		cells := make([]Text, len(t.wide))
		look := base
		if len(t.cells) == 0 {
			look = heading
		}
		i := 0
		for c := line.FirstChild(); c != nil && i < len(cells); c = c.NextSibling() {
			r.inline(&cells[i], c, look)
			t.wide[i] = max(t.wide[i], cells[i].width())
			i++
		}
		t.cells = append(t.cells, cells)
	}
	return t
}

// fit finds widths for columns that add up to room at most: narrow ones keep
// theirs, wide ones share what is left. It returns nil when they would become
// too narrow.
func fit(wide []int, room int) []int {
	widths := make([]int, len(wide))
	left, open := room, len(wide)
	for changed := true; changed && open > 0; {
		changed = false
		share := left / open
		for i, n := range wide {
			if n = max(n, 1); widths[i] == 0 && n <= share {
				widths[i] = n
				left -= n
				open--
				changed = true
			}
		}
	}
	if left < 0 || open > 0 && left/open < minColumn {
		return nil
	}
	for i := range widths {
		if widths[i] == 0 {
			widths[i] = left / open
			left -= widths[i]
			open--
		}
	}
	return widths
}

func (r *renderer) headRule(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	return r.pal.st.Border.Render(strings.Join(parts, "─┼─"))
}

// tableDrawer draws rows of a table; it keeps its buffer from one to the next.
type tableDrawer struct{ lines [][]cellRow }

// cellRow is one row of a cell.
type cellRow struct {
	text  string
	width int
}

// row appends one line of a table, as many rows as its highest cell has.
func (d *tableDrawer) row(dst []string, cells []Text, widths []int, align []extast.Alignment, gap string) []string {
	d.lines = d.lines[:0]
	height := 1
	for i := range cells {
		var lines []cellRow
		cells[i].each(widths[i], breakWords, func(row string, width int, _ bool) {
			lines = append(lines, cellRow{row, width})
		})
		d.lines = append(d.lines, lines)
		height = max(height, len(lines))
	}
	for y := range height {
		var b strings.Builder
		for i, lines := range d.lines {
			if i > 0 {
				b.WriteString(gap)
			}
			var c cellRow
			if y < len(lines) {
				c = lines[y]
			}
			before, after := padding(align[i], widths[i]-c.width)
			b.WriteString(rows.Blank(before))
			b.WriteString(c.text)
			if i < len(d.lines)-1 {
				b.WriteString(rows.Blank(after))
			}
		}
		dst = append(dst, b.String())
	}
	return dst
}

// padding says how many blanks stand before and after a cell that is n cells
// too narrow.
func padding(a extast.Alignment, n int) (before, after int) {
	switch a {
	case extast.AlignRight:
		return n, 0
	case extast.AlignCenter:
		return n / 2, n - n/2
	}
	return 0, n
}

// pairs appends a table that is too wide as one group of "name: value" rows for
// each line.
func (r *renderer) pairs(dst []string, t *table, w int) []string {
	colon := r.pal.open(heading)
	for i, cells := range t.cells[min(1, len(t.cells)-1):] {
		if i > 0 {
			dst = append(dst, rows.Rule(min(w, 12), r.pal.st.Border))
		}
		for j := range cells {
			var pair Text
			pair.append(&t.cells[0][j])
			if len(t.cells) > 1 {
				pair.Add(": ", colon)
				pair.append(&cells[j])
			}
			from := len(dst)
			dst = pair.Rows(dst, max(w-2, 1))
			for k := from + 1; k < len(dst) && w > 2; k++ {
				dst[k] = "  " + dst[k]
			}
		}
	}
	return dst
}

// append adds another text to t.
func (t *Text) append(u *Text) {
	from := 0
	for _, r := range u.runs {
		t.Add(string(u.buf[from:r.end]), r.open)
		from = r.end
	}
}
