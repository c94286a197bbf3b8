package rows

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Trace tells of drawn rows which text they show and where that stands in its source, so
// that a part of the screen can be turned back into the text that it was made of.
//
// Whoever draws gets the sequences of [Trace.Mark] into the rows, around the text that
// comes from a source. They have the form of a style, so that they pass through
// everything that composes rows and take no room; [Trace.Read] takes them out again.
// Rows that were drawn with a trace are not for a terminal.
type Trace struct {
	sources []source
}

// source is a text that rows are made of.
type source struct {
	text  string
	lines strings.Builder // of a source that grows by lines, in place of text
	marks []Marks
	// column says that the source stands in a column beside another one.
	column bool
}

// Marks are two parts of a source that mean something only together: the opening and
// the closing one of an emphasis, of a link, of a block of code.
type Marks struct{ OpenFrom, OpenTo, CloseFrom, CloseTo int }

// Source adds a source, and returns its number.
func (t *Trace) Source(text string) int {
	t.sources = append(t.sources, source{text: text})
	return len(t.sources) - 1
}

// Column adds an empty source that is shown in a column beside another one: what is
// taken of rows is taken of one column.
func (t *Trace) Column() int {
	t.sources = append(t.sources, source{column: true})
	return len(t.sources) - 1
}

// IsColumn reports whether a source is one of [Trace.Column].
func (t *Trace) IsColumn(id int) bool { return t.sources[id].column }

// Line adds a line to a source that began empty, and returns where it begins.
func (t *Trace) Line(id int, line string) (at int) {
	b := &t.sources[id].lines
	at = b.Len()
	b.WriteString(line)
	b.WriteByte('\n')
	return at
}

// Lines is all of a source that grew by [Trace.Line].
func (t *Trace) Lines(id int) string { return t.sources[id].lines.String() }

// LineEnd is where the line ends that was added to a source by [Trace.Line] and holds an
// offset; the offset itself in another source.
func (t *Trace) LineEnd(id, at int) int {
	b := &t.sources[id].lines
	if i := strings.IndexByte(b.String()[min(at, b.Len()):], '\n'); i >= 0 {
		return at + i
	}
	return at
}

// Pair notes marks of a source.
func (t *Trace) Pair(id int, m Marks) { t.sources[id].marks = append(t.sources[id].marks, m) }

func (t *Trace) text(id int) string {
	if s := &t.sources[id]; s.lines.Len() > 0 {
		return s.lines.String()
	}
	return t.sources[id].text
}

// The parameters with which the sequences of a trace begin: for text that is shown as it
// stands in its source, and for what stands for a part of it. No terminal knows them.
const (
	markSame  = "\x1b[777;"
	markWhole = "\x1b[778;"
)

// Mark is put before a text that stands from..to in a source, and [Trace.End] behind it.
// whole says that the text stands for that part as a whole, and need not read like it.
func (t *Trace) Mark(id, from, to int, whole bool) string {
	b := make([]byte, 0, 32)
	if whole {
		b = append(b, markWhole...)
	} else {
		b = append(b, markSame...)
	}
	for i, n := range [...]int{id, from, to} {
		if i > 0 {
			b = append(b, ';')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(append(b, 'm'))
}

// Run is a stretch of a row that shows a part of a source.
type Run struct {
	From, To int // cells
	Source   int
	At, End  int    // bytes of the source
	Text     string // what is shown
	Whole    bool   // Text stands for the part as a whole
}

// reader reads rows that were drawn with a trace.
type reader struct {
	t *Trace
	// next is, for each mark, up to where its part of the source was shown: the text
	// behind a mark goes on with the same one on the next row.
	next map[string]int

	runs []Run
	mark string // in force, empty for none
	from int    // the cell where it came into force
	col  int
	text strings.Builder
}

// Read finds the runs of rows, which must be all that were drawn with the trace, in their
// order. Text that does not stand in its source is left out.
func (t *Trace) Read(list []string) [][]Run {
	r := reader{t: t, next: map[string]int{}}
	out := make([][]Run, len(list))
	for i, row := range list {
		out[i] = r.row(row)
	}
	return out
}

func (r *reader) row(row string) []Run {
	r.runs, r.mark, r.col = nil, "", 0
	for row != "" {
		if n := asciiLen(row); n > 0 {
			if r.mark != "" {
				r.text.WriteString(row[:n])
			}
			row, r.col = row[n:], r.col+n
			continue
		}
		seq, width, n, _ := Method().DecodeSequenceInString(row, ansi.NormalState, nil)
		switch {
		case seq != "" && seq[0] != '\x1b':
			if r.mark != "" {
				r.text.WriteString(seq)
			}
			r.col += width
		case strings.HasPrefix(seq, markSame), strings.HasPrefix(seq, markWhole):
			r.flush()
			r.mark, r.from = seq, r.col
		case seq == reset:
			r.flush()
		}
		row = row[max(n, 1):]
	}
	r.flush()
	return r.runs
}

// asciiLen is how many printable ASCII characters a text begins with that nothing can
// join.
func asciiLen(s string) int {
	n := 0
	for n < len(s) && s[n] >= 0x20 && s[n] < 0x7f {
		n++
	}
	if n < len(s) && s[n] >= 0x80 {
		n--
	}
	return n
}

// flush ends the run that is under way.
func (r *reader) flush() {
	mark, text := r.mark, r.text.String()
	r.mark = ""
	r.text.Reset()
	if mark == "" || text == "" {
		return
	}
	run, ok := parseMark(mark)
	if !ok || run.Source >= len(r.t.sources) || run.End > len(r.t.text(run.Source)) {
		return
	}
	run.From, run.To, run.Text = r.from, r.col, text
	if !run.Whole && !r.follow(mark, &run) {
		return
	}
	r.runs = append(r.runs, run)
}

// follow finds a text in its part of the source, behind what was shown of it already.
// Blanks are left out where rows are broken, and a text that is cut ends otherwise.
func (r *reader) follow(mark string, run *Run) bool {
	src := r.t.text(run.Source)[:run.End]
	at := run.At
	if next, ok := r.next[mark]; ok {
		at = next
	}
	for at < len(src) && (src[at] == ' ' || src[at] == '\n') && !strings.HasPrefix(src[at:], run.Text) {
		at++
	}
	if strings.HasPrefix(src[at:], run.Text) {
		run.At, run.End = at, at+len(run.Text)
		r.next[mark] = run.End
		return true
	}
	n, cells := 0, 0
	for n < len(run.Text) {
		size, width := clusterOf(run.Text[n:])
		if !strings.HasPrefix(src[at:], run.Text[:n+size]) {
			break
		}
		n, cells = n+size, cells+width
	}
	r.next[mark] = at + n
	if n == 0 {
		return false
	}
	if n < len(run.Text) {
		run.Text, run.To = run.Text[:n], run.From+cells
	}
	run.At, run.End = at, at+n
	return true
}

// clusterOf is the length in bytes and the width in cells of the first character.
func clusterOf(s string) (n, width int) {
	cluster, width := Cluster(s)
	return max(len(cluster), 1), width
}

func parseMark(seq string) (r Run, ok bool) {
	r.Whole = strings.HasPrefix(seq, markWhole)
	parts := strings.Split(seq[len(markSame):len(seq)-1], ";")
	if len(parts) != 3 {
		return r, false
	}
	for i, to := range []*int{&r.Source, &r.At, &r.End} {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return r, false
		}
		*to = n
	}
	return r, r.At <= r.End
}

// Part is what a run shows in the cells from..to: whole characters, those included that
// are only partly in them. It returns false when there is nothing of it.
func (r Run) Part(from, to int) (Run, bool) {
	from, to = max(from, r.From), min(to, r.To)
	if from >= to {
		return r, false
	}
	if r.Whole {
		return r, true
	}
	out := r
	out.From, out.At = -1, -1
	for n, col := 0, r.From; n < len(r.Text); {
		size, width := clusterOf(r.Text[n:])
		if col+max(width, 1) > from && col < to {
			if out.From < 0 {
				out.From, out.At = col, r.At+n
			}
			out.To, out.End = col+width, r.At+n+size
		}
		n, col = n+size, col+width
	}
	if out.From < 0 {
		return r, false
	}
	out.Text = r.Text[out.At-r.At : out.End-r.At]
	return out, true
}

// Slice is a part of a source. Of marks there are always both in it: those are added
// between which everything is taken, and a mark without the other one is left out. Of a
// link, whose target is one of its marks, all is taken when that is begun.
func (t *Trace) Slice(id, from, to int) string {
	text, list := t.text(id), t.sources[id].marks
	for again := true; again; {
		again = false
		for _, m := range list {
			switch {
			case from <= m.OpenFrom && m.CloseFrom <= to && to < m.CloseTo:
				to, again = m.CloseTo, true
			case m.OpenFrom < from && from <= m.OpenTo && m.CloseTo <= to, m.OpenFrom < from && from < m.CloseFrom && m.CloseFrom < to && to < m.CloseTo:
				from, again = m.OpenFrom, true
			}
		}
	}
	from, to = max(from, 0), min(to, len(text))
	var drop [][2]int
	for _, m := range list {
		opens, closes := from <= m.OpenFrom && m.OpenTo <= to, from <= m.CloseFrom && m.CloseTo <= to
		switch {
		case opens && !closes:
			drop = append(drop, [2]int{m.OpenFrom, m.OpenTo})
		case closes && !opens:
			drop = append(drop, [2]int{m.CloseFrom, m.CloseTo})
		}
	}
	slices.SortFunc(drop, func(a, b [2]int) int { return a[0] - b[0] })
	var b strings.Builder
	for _, d := range drop {
		if d[0] >= from {
			b.WriteString(text[from:d[0]])
			from = min(max(d[1], from), to)
		}
	}
	b.WriteString(text[from:max(from, to)])
	return b.String()
}
