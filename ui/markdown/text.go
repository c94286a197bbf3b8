package markdown

import (
	"strings"
	"unicode/utf8"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// reset ends a styled span.
const reset = "\x1b[m"

// closing ends a span that a sequence has opened: a style, or a link and a style.
func closing(open string) string {
	if strings.HasPrefix(open, hyperlink) {
		return reset + hyperlinkEnd
	}
	return reset
}

// Text is text in several styles that is to be broken into rows. Line feeds in
// it are kept as line breaks. The zero value is empty.
type Text struct {
	buf  []byte
	runs []run
}

// run is a piece of a text in one style, given as the sequence that opens it. That of
// a link stands before it.
type run struct {
	end  int
	open string
}

// Add appends text in a style, given as [rows.Style.Open]. Tabs become one
// blank; the text must be free of other control characters.
func (t *Text) Add(s, open string) {
	if s == "" {
		return
	}
	from := len(t.buf)
	t.buf = append(t.buf, s...)
	for i := from; i < len(t.buf); i++ {
		if t.buf[i] == '\t' {
			t.buf[i] = ' '
		}
	}
	t.mark(open)
}

// mark gives what was appended since the last run a style.
func (t *Text) mark(open string) {
	if n := len(t.runs); n > 0 && t.runs[n-1].open == open {
		t.runs[n-1].end = len(t.buf)
		return
	}
	t.runs = append(t.runs, run{end: len(t.buf), open: open})
}

// AddSanitized appends text from [term.Sanitize], keeping its colours; open is
// the style where it has none.
func (t *Text) AddSanitized(s, open string) {
	text, runs := term.SplitStyles(s)
	from := 0
	for _, r := range runs {
		style := open
		if r.Open != "" {
			style = r.Open
		}
		t.Add(text[from:r.End], style)
		from = r.End
	}
}

// Rows appends the text as rows of at most w cells. Words stay whole where they
// fit; wide characters may be parted anywhere but before closing and after
// opening punctuation. At least one row is appended.
func (t *Text) Rows(dst []string, w int) []string {
	t.each(w, breakWords, func(row string, _ int, _ bool) { dst = append(dst, row) })
	return dst
}

// breaker cuts the line s[base:] into pieces of at most w cells.
type breaker func(dst []piece, s string, runs []run, base, w int) []piece

// each breaks the text with cut and hands out its rows, with their widths in
// cells and whether they begin a line.
func (t *Text) each(w int, cut breaker, emit func(row string, width int, first bool)) {
	s, runs := string(t.buf), t.runs
	var pieces []piece
	for base := 0; ; {
		end := len(s)
		if i := strings.IndexByte(s[base:], '\n'); i >= 0 {
			end = base + i
		}
		pieces = cut(pieces[:0], s[:end], runs, base, max(w, 1))
		for i, p := range pieces {
			var row string
			row, runs = paint(s, runs, p)
			emit(row, p.width, i == 0)
		}
		if end == len(s) {
			return
		}
		base = end + 1
	}
}

// paint makes a row of a piece. It returns the runs that are not used up.
func paint(s string, runs []run, p piece) (string, []run) {
	for len(runs) > 1 && runs[0].end <= p.from {
		runs = runs[1:]
	}
	if p.from == p.to || len(runs) == 0 {
		return s[p.from:p.to], runs
	}
	if first := runs[0]; first.end >= p.to {
		if first.open == "" {
			return s[p.from:p.to], runs
		}
		return first.open + s[p.from:p.to] + closing(first.open), runs
	}
	var b strings.Builder
	for from := p.from; from < p.to; runs = runs[1:] {
		r := runs[0]
		to := min(r.end, p.to)
		if r.open != "" {
			b.WriteString(r.open)
		}
		b.WriteString(s[from:to])
		if r.open != "" {
			b.WriteString(closing(r.open))
		}
		if from = to; r.end >= p.to {
			break
		}
	}
	return b.String(), runs
}

// width is the number of cells of the widest line.
func (t *Text) width() int {
	widest := 0
	for line := range strings.SplitSeq(string(t.buf), "\n") {
		widest = max(widest, rows.Width(line))
	}
	return widest
}

// Wrap appends plain text as rows of at most w cells, broken like
// [Text.Rows]. Tabs are expanded. The text must be free of other control
// characters but line feeds.
func Wrap(dst []string, text string, w int) []string {
	var pieces []piece
	for line := range strings.SplitSeq(text, "\n") {
		line = rows.ExpandTabs(line)
		pieces = breakWords(pieces[:0], line, nil, 0, max(w, 1))
		for _, p := range pieces {
			dst = append(dst, line[p.from:p.to])
		}
	}
	return dst
}

// Tail returns the offset at which the last row of a single line begins when
// it is broken to w cells: what follows a line never changes the rows before
// that offset.
func Tail(line string, w int) int {
	pieces := breakWords(nil, line, nil, 0, max(w, 1))
	if len(pieces) == 1 {
		return 0
	}
	return pieces[len(pieces)-1].from
}

// firstRune is the first character of a cluster.
func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// CodeRows appends the text as rows of at most w cells. In code every blank counts, so that
// rows keep those they end with; they are broken inside a word only where they have to be. At
// least one row is appended.
func (t *Text) CodeRows(dst []string, w int) []string {
	t.each(w, breakCode, func(row string, _ int, _ bool) { dst = append(dst, row) })
	return dst
}
