package transcript

import (
	"bytes"
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/ui/find"
	"hermes-tui/ui/rows"
)

// stretch is a part of a row, in cells.
type stretch struct{ row, from, to int }

// spot is where the match that is shown stands in the rows of its block.
type spot struct {
	key  key
	list []stretch
}

// row is the first row of a spot; 0 when it is not known.
func (s *spot) row() int {
	if len(s.list) == 0 {
		return 0
	}
	return s.list[0].row
}

// locate finds the match that is shown in the rows of its item. Rows and text differ in
// blanks, breaks and marks of Markdown, so these do not count.
func (v *View) locate(it item) *spot {
	f, e := &v.find, v.entry(it)
	if f.spot.key == e.key.still() {
		return &f.spot
	}
	f.spot = spot{key: e.key.still()}
	b := v.blocks[it.from]
	m := v.resolve(it.from, f.hit.n)
	want, _ := squeeze(nil, m.text)
	if len(want) == 0 {
		return &f.spot
	}
	first, skip := 0, m.same
	if b.Kind != event.BlockAnswer && m.body && e.bodyAt > 0 {
		first, skip = e.bodyAt+max(m.line-e.bodyFrom, 0), m.inLine
	}
	var text []byte
	starts := make([]int, 0, e.height()+1)
	for i := first; i < e.height(); i++ {
		row, _ := e.row(i)
		starts = append(starts, len(text))
		text, _ = squeeze(text, ansi.Strip(row))
	}
	starts = append(starts, len(text))
	at := -1
	for p := 0; skip >= 0; skip-- {
		i := bytes.Index(text[p:], want)
		if i < 0 {
			break
		}
		at, p = p+i, p+i+len(want)
	}
	if at >= 0 {
		f.spot.list = stretches(e, first, starts, at, at+len(want))
	}
	return &f.spot
}

// squeeze appends what of a text is compared. places are where each byte of it was.
func squeeze(dst []byte, s string) (out []byte, places []int) {
	for i := range len(s) {
		if c := s[i]; !find.Blank(c) && strings.IndexByte(find.Marks, c) < 0 {
			dst, places = append(dst, c), append(places, i)
		}
	}
	return dst, places
}

// stretches are the cells of the bytes from..to of squeezed rows.
func stretches(e *entry, first int, starts []int, from, to int) (list []stretch) {
	for i := sort.SearchInts(starts, from+1) - 1; i < len(starts)-1 && starts[i] < to; i++ {
		if starts[i] == starts[i+1] {
			continue
		}
		row, _ := e.row(first + i)
		plain := ansi.Strip(row)
		_, places := squeeze(nil, plain)
		a, z := max(from-starts[i], 0), min(to-starts[i], len(places))
		list = append(list, stretch{first + i, rows.Width(plain[:places[a]]), rows.Width(plain[:places[z-1]+1])})
	}
	return list
}

// lit marks in a row of an entry what was found.
func (v *View) lit(row string, width int, p *part, i int) string {
	f := &v.find
	if f.m == nil {
		return row
	}
	plain := ansi.Strip(row)
	text := []byte(plain)
	for at := 0; ; {
		from, to := f.m(text, at, false)
		if to < 0 {
			break
		}
		at = to
		row = rows.Splice(row, rows.Width(plain[:from]), v.st.Accent.With(rows.Bold, rows.Underline).Render(plain[from:to]), width)
	}
	if f.hit.block == v.blocks[p.item.from].ID && (p.item.segs == 0 || p.item.same(v.hitItem())) {
		for _, s := range v.locate(p.item).list {
			if s.row == i {
				row = rows.Splice(row, s.from, v.st.BadgeWarn.Render(ansi.Strip(rows.Cut(plain, s.from, s.to))), width)
			}
		}
	}
	return row
}
