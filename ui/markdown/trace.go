package markdown

import (
	"bytes"
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Trace draws a whole text as [Renderer.Render] does and has a trace note where in the
// text, as it was sanitised, stands what the rows show. Marks of lists, headings and
// quotes stand for those of the text.
func (m *Renderer) Trace(src string, w int, st *rows.Styles, t *rows.Trace) []string {
	return m.trace(term.Plain(src), seam{}, w, st, t)
}

// trace draws a sanitised text, which may go on in a list or in a fence.
func (m *Renderer) trace(clean string, begins seam, w int, st *rows.Styles, t *rows.Trace) []string {
	if w <= 0 {
		return nil
	}
	r := m.renderer([]byte(clean), st, &lexer{clock: m.opts.Clock})
	r.first = begins.first
	r.tracer = &tracer{Trace: t, id: t.Source(clean)}
	if begins.code.length > 0 {
		return r.tracer.code(r, begins.code, w)
	}
	r.enter()
	return r.children(nil, m.parse(r.src), w, body)
}

// tracer notes where in the source the text stands that is drawn.
type tracer struct {
	*rows.Trace
	id int
	extent
}

// extent is the part of the source that was drawn since [renderer.enter].
type extent struct{ from, to int }

// put appends a text that was made of n bytes of the source, which begin at an offset;
// a negative one is not known.
func (r *renderer) put(t *Text, shown string, l look, at, n int) {
	if r.tracer == nil || at < 0 || at+n > len(r.src) {
		t.Add(shown, r.begin(l))
		return
	}
	r.tracer.put(t, shown, string(r.src[at:at+n]), at)
}

// whole appends a text that stands for n bytes of the source as a whole.
func (r *renderer) whole(t *Text, shown string, l look, at, n int) {
	if r.tracer == nil || at < 0 || at+n > len(r.src) {
		t.Add(shown, r.begin(l))
		return
	}
	r.tracer.add(t, shown, at, n, true)
}

// put appends a text that differs from its source in escapes, entities, and blanks that
// stand for white space.
func (tr *tracer) put(t *Text, shown, src string, at int) {
	for shown != "" && src != "" {
		n := 0
		for n < len(src) && n < len(shown) && src[n] == shown[n] && strings.IndexByte("\t\\&", src[n]) < 0 {
			n++
		}
		if n > 0 {
			tr.add(t, shown[:n], at, n, false)
			shown, src, at = shown[n:], src[n:], at+n
			continue
		}
		part, n := stands(src, shown)
		tr.add(t, part, at, n, part != src[:n])
		shown, src, at = shown[len(part):], src[n:], at+n
	}
	t.Add(shown, "")
}

// stands finds what of a text stands for how many bytes of its source, where the two
// begin differently or with a mark.
func stands(src, shown string) (part string, n int) {
	switch c := src[0]; {
	case c == '\t', c == '\n' && shown[0] == ' ':
		return shown[:1], 1
	case c == '\\' && len(src) > 1 && util.IsPunct(src[1]) && shown[0] == src[1]:
		return shown[:1], 2
	case c == '&':
		if text, n := entity([]byte(src)); text != "" && strings.HasPrefix(shown, text) {
			return text, n
		}
	case c == shown[0]:
		return shown[:1], 1
	}
	return shown, len(src)
}

func (tr *tracer) add(t *Text, shown string, at, n int, whole bool) {
	t.Add(shown, tr.Mark(tr.id, at, at+n, whole || shown == "\t"))
	tr.from, tr.to = min(tr.from, at), max(tr.to, at+n)
}

// lines appends the lines of a block of code or HTML.
func (tr *tracer) lines(t *Text, src []byte, n ast.Node) {
	var list []text.Segment
	for i := range n.Lines().Len() {
		list = append(list, n.Lines().At(i))
	}
	if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
		list = append(list, html.ClosureLine)
	}
	if n.Kind() == ast.KindHTMLBlock {
		for len(list) > 0 && string(list[len(list)-1].Value(src)) == "\n" {
			list = list[:len(list)-1]
		}
	}
	for i, seg := range list {
		if i > 0 {
			t.Add("\n", "")
		}
		t.Add(rows.Blank(seg.Padding), "")
		line := bytes.TrimSuffix(src[seg.Start:seg.Stop], []byte("\n"))
		if n.Kind() == ast.KindHTMLBlock {
			tr.put(t, string(line), string(line), seg.Start)
			continue
		}
		t.AddFrom(tr.Trace, tr.id, seg.Start, seg.Padding, string(line))
	}
	if fence, ok := n.(*ast.FencedCodeBlock); ok && len(list) > 0 {
		tr.fence(src, fence.Pos(), list[len(list)-1].Stop)
	}
}

// code draws a source that goes on in a fence.
func (tr *tracer) code(r *renderer, mark fenceMark, w int) []string {
	var t Text
	at := 0
	for line := range bytes.Lines(r.src) {
		text := bytes.TrimSuffix(line, []byte("\n"))
		if mark.closes(text) {
			break
		}
		if at > 0 {
			t.Add("\n", "")
		}
		t.AddFrom(tr.Trace, tr.id, at, 0, string(text))
		at += len(line)
	}
	if at == 0 {
		return nil
	}
	return r.codeRows(nil, &t, w)
}

// fence pairs the lines that open and close a block of code, whose last line ends at an
// offset.
func (tr *tracer) fence(src []byte, opens, end int) {
	if opens < 0 || end > len(src) {
		return
	}
	line, _, _ := bytes.Cut(src[end:], []byte("\n"))
	if rest := bytes.TrimLeft(line, "> \t"); !bytes.HasPrefix(rest, []byte("```")) && !bytes.HasPrefix(rest, []byte("~~~")) {
		return
	}
	tr.Pair(tr.id, rows.Marks{
		OpenFrom: opens, OpenTo: opens + bytes.IndexByte(src[opens:], '\n') + 1,
		CloseFrom: end, CloseTo: min(end+len(line)+1, len(src)),
	})
}

// AddFrom appends a line of a source, which begins at an offset there, and notes that in
// a trace. Tabs are expanded; col is the column at which the line begins.
func (t *Text) AddFrom(trace *rows.Trace, id, at, col int, line string) {
	for line != "" {
		tab := strings.IndexByte(line, '\t')
		if tab < 0 {
			tab = len(line)
		}
		t.Add(line[:tab], trace.Mark(id, at, at+tab, false))
		col += rows.Width(line[:tab])
		if line, at = line[tab:], at+tab; line == "" {
			break
		}
		n := rows.TabWidth - col%rows.TabWidth
		t.Add(rows.Blank(n), trace.Mark(id, at, at+1, true))
		line, at, col = line[1:], at+1, col+n
	}
}

// enter begins an extent, and returns the one around it.
func (r *renderer) enter() (outer extent) {
	if r.tracer == nil {
		return extent{}
	}
	outer = r.tracer.extent
	r.tracer.extent = extent{math.MaxInt, -1}
	return outer
}

// leave ends an extent whose text has marks around it, and returns where its text ends,
// -1 without one.
func (r *renderer) leave(outer extent, marks func(src []byte, e extent) (rows.Marks, bool)) (to int) {
	tr := r.tracer
	if tr == nil {
		return -1
	}
	inner := tr.extent
	tr.extent = outer
	if inner.to < 0 {
		return -1
	}
	to = inner.to
	if m, ok := marks(r.src, inner); ok && m.OpenFrom >= 0 && m.CloseTo <= len(r.src) {
		tr.Pair(tr.id, m)
		inner = extent{m.OpenFrom, m.CloseTo}
	}
	tr.from, tr.to = min(tr.from, inner.from), max(tr.to, inner.to)
	return to
}

// around pairs the n bytes before an extent with as many behind it.
func (e extent) around(n int) rows.Marks {
	return rows.Marks{OpenFrom: e.from - n, OpenTo: e.from, CloseFrom: e.to, CloseTo: e.to + n}
}

func italicMarks(src []byte, e extent) (rows.Marks, bool) { return emphasisMarks(src, e, 1) }

func boldMarks(src []byte, e extent) (rows.Marks, bool) { return emphasisMarks(src, e, 2) }

func emphasisMarks(src []byte, e extent, level int) (rows.Marks, bool) {
	m := e.around(level)
	return m, m.OpenFrom >= 0 && strings.IndexByte("*_", src[m.OpenFrom]) >= 0
}

func strikeMarks(src []byte, e extent) (rows.Marks, bool) {
	n := 0
	for n < 2 && e.from > n && src[e.from-n-1] == '~' {
		n++
	}
	return e.around(n), n > 0
}

// codeMarks are the backticks around code, with the blank that may be inside them.
func codeMarks(src []byte, e extent) (rows.Marks, bool) {
	from, to := e.from, e.to
	if from > 1 && strings.IndexByte(" \n", src[from-1]) >= 0 && src[from-2] == '`' {
		from--
	}
	n := 0
	for from > n && src[from-n-1] == '`' {
		n++
	}
	if to < len(src) && strings.IndexByte(" \n", src[to]) >= 0 {
		to++
	}
	return rows.Marks{OpenFrom: from - n, OpenTo: e.from, CloseFrom: e.to, CloseTo: to + n}, n > 0
}

// linkMarks are the brackets of a link or image, and its target.
func linkMarks(src []byte, e extent) (rows.Marks, bool) {
	m := e.around(1)
	if m.OpenFrom < 0 || src[m.OpenFrom] != '[' || e.to >= len(src) || src[e.to] != ']' {
		return m, false
	}
	if m.OpenFrom > 0 && src[m.OpenFrom-1] == '!' {
		m.OpenFrom--
	}
	m.CloseTo += targetLen(src[m.CloseTo:])
	return m, true
}

// maxTargetPart bounds the target of a link, with its title, in bytes.
const maxTargetPart = 4 << 10

// targetLen is how long the target is that begins a text: "(target "title")" or
// "[label]"; 0 without one.
func targetLen(s []byte) int {
	s = s[:min(len(s), maxTargetPart)]
	if len(s) == 0 || s[0] != '(' && s[0] != '[' {
		return 0
	}
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'' && s[i-1] == ' ':
			quote = c
		case c == '<':
			quote = '>'
		case c == s[0]:
			depth++
		case c == ')' && s[0] == '(', c == ']' && s[0] == '[':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// targetAt is where the target of a link stands whose text ends at an offset, -1 if that
// is not known.
func (r *renderer) targetAt(end int, dest []byte) int {
	if end < 0 || end >= len(r.src) {
		return -1
	}
	rest := r.src[end+1:]
	if i := bytes.Index(rest[:targetLen(rest)], dest); i >= 0 {
		return end + 1 + i
	}
	return -1
}

// stands has a mark that is drawn before a block stand for the n bytes that the block
// begins with.
func (r *renderer) stands(mark string, block ast.Node, n int) string {
	if r.tracer == nil || mark == "" || block.Pos() < 0 || block.Pos()+n > len(r.src) {
		return mark
	}
	plain := ansi.Strip(mark)
	glyph := strings.TrimLeft(plain, " ")
	return plain[:len(plain)-len(glyph)] + r.tracer.Mark(r.tracer.id, block.Pos(), block.Pos()+n, true) + glyph + reset
}

// offset is where a part of a text begins in it, -1 if it is none.
func offset(all, part []byte) int {
	at := cap(all) - cap(part)
	if at < 0 || at+len(part) > len(all) || !bytes.Equal(all[at:at+len(part)], part) {
		return -1
	}
	return at
}
