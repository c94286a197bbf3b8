package markdown

import (
	"bytes"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Options of a [Renderer]. The zero value is ready.
type Options struct {
	// Clock measures how long a lexer takes; nil means [time.Now].
	Clock func() time.Time
	// Defer leaves code plain until [Stream.Refine] colours it, so that no
	// call of [Stream.Rows] waits for a lexer.
	Defer bool
}

// Renderer makes rows out of markdown. It and its streams belong to one
// goroutine.
type Renderer struct {
	opts   Options
	parser parser.Parser
	split  parser.Parser // finds blocks, for [Parts]
	pal    *palette
	lexed  lexed
}

// New makes a renderer.
func New(o Options) *Renderer {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Renderer{opts: o, parser: newParser(), split: newSplitter()}
}

// Render draws a whole text as rows of at most w cells. Code is coloured
// whether its fence is closed or not.
func (m *Renderer) Render(src string, w int, st *rows.Styles) []string {
	if w <= 0 {
		return nil
	}
	clean := []byte(term.Plain(src))
	r := m.renderer(clean, st, &lexer{clock: m.opts.Clock})
	return r.children(nil, m.parse(clean), w, body)
}

// Line is the first line of a text without its marks: what stands in its first block,
// up to a line break that has to stay.
func (m *Renderer) Line(src string, st *rows.Styles) string {
	clean := []byte(term.Plain(src))
	n := m.parse(clean).FirstChild()
	for n != nil && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		n = n.FirstChild()
	}
	if n == nil {
		return ""
	}
	if n.IsRaw() || n.FirstChild() == nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(n.Lines().Value(clean))), "\n")
		return line
	}
	var t Text
	m.renderer(clean, st, &lexer{}).inline(&t, n, body)
	line, _, _ := strings.Cut(string(t.buf), "\n")
	return line
}

// renderer starts drawing a source that was parsed from clean text.
func (m *Renderer) renderer(src []byte, st *rows.Styles, lx *lexer) *renderer {
	if st.Markdown != nil {
		st = st.Markdown
	}
	if m.pal == nil || m.pal.st != st {
		m.pal = newPalette(st)
	}
	return &renderer{src: src, pal: m.pal, lexer: lx}
}

// parse takes a source apart. A source that makes the parser fail is shown as
// it is: half a document must not end the program.
func (m *Renderer) parse(src []byte) ast.Node { return parse(m.parser, src) }

func parse(p parser.Parser, src []byte) (doc ast.Node) {
	defer func() {
		if recover() != nil {
			doc = verbatim(src)
		}
	}()
	return p.Parse(text.NewReader(src[:len(src):len(src)]))
}

// verbatim is a document of one block that holds the lines of a source.
func verbatim(src []byte) ast.Node {
	block := ast.NewCodeBlock()
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		block.Lines().Append(text.NewSegment(at, end))
		at = end
	}
	doc := ast.NewDocument()
	doc.AppendChild(doc, block)
	return doc
}

// renderer draws the blocks of one parsed source.
type renderer struct {
	src   []byte
	pal   *palette
	lexer *lexer
	// open is a fence that has not closed yet; it stays plain.
	open ast.Node
	// target opens the link that what is drawn leads to; empty for none.
	target string
	// depth counts the lists around a block.
	depth int
	// first is the number of the first item when the source begins inside a
	// list; 0 when it does not.
	first int
	// tracer is told where in the source the text stands that is drawn; nil for none.
	tracer *tracer
}

// children appends the blocks inside a node, with a blank row where the source
// has one.
func (r *renderer) children(dst []string, parent ast.Node, w int, base look) []string {
	return r.siblings(dst, parent.FirstChild(), nil, w, base)
}

// siblings appends the blocks from first up to and without stop.
func (r *renderer) siblings(dst []string, first, stop ast.Node, w int, base look) []string {
	for n := first; n != stop && n != nil; n = n.NextSibling() {
		if n != first && r.gapBefore(n) {
			dst = append(dst, "")
		}
		from := len(dst)
		dst = r.block(dst, n, w, base)
		if len(dst) == from {
			dst = append(dst, "")
		}
	}
	return dst
}

// gapBefore reports whether a blank row stands before a block that follows
// another.
func (r *renderer) gapBefore(n ast.Node) bool {
	if n.Kind() == ast.KindHeading {
		return true
	}
	at := start(n, r.src)
	if next := n.NextSibling(); next != nil && n.Kind() == extTable {
		// The parser puts what is left of the lines above a table behind it
		// when a bar of hyphens follows.
		at = min(at, start(next, r.src))
	}
	return at < 0 || afterBlank(r.src, at)
}

// block appends one block.
func (r *renderer) block(dst []string, n ast.Node, w int, base look) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return r.heading(dst, n, w)
	case *ast.Blockquote:
		return r.quote(dst, n, w)
	case *ast.List:
		return r.list(dst, n, w, base)
	case *ast.FencedCodeBlock:
		return r.fence(dst, n, w)
	case *ast.CodeBlock:
		return r.code(dst, n, "", w)
	case *ast.ThematicBreak:
		return append(dst, rows.Rule(w, r.pal.st.Border))
	case *ast.HTMLBlock:
		return r.html(dst, n, w)
	case *formulaBlock:
		return r.formulaRows(dst, n, w)
	case *ast.Paragraph, *ast.TextBlock:
		return r.paragraph(dst, n, w, base)
	}
	if n.Kind() == extTable {
		return r.table(dst, n, w, base)
	}
	return r.children(dst, n, w, base)
}

// paragraph appends a paragraph. What its footnotes say, "[^1]: text", is set in
// behind their signs.
func (r *renderer) paragraph(dst []string, n ast.Node, w int, base look) []string {
	for from := n.FirstChild(); ; {
		first := from
		if defines(from) {
			first = from.NextSibling()
		}
		stop := first
		for stop != nil && !defines(stop) {
			stop = stop.NextSibling()
		}
		var t Text
		r.inlines(&t, first, stop, base)
		if defines(from) {
			sign := r.pal.st.Accent.Render(from.(*note).sign()) + " "
			dst = r.prefixed(dst, r.stands(sign, from, 1), rows.Blank(rows.Width(sign)), w, t.Rows)
		} else {
			dst = t.Rows(dst, w)
		}
		if from = stop; stop == nil {
			return dst
		}
	}
}

// begin is the sequence that switches a look on, and the link that is drawn.
func (r *renderer) begin(l look) string { return r.target + r.pal.open(l) }

// bars mark the levels of headings, the highest with the thickest.
var bars = [...]string{"▌ ", "▍ ", "▎ ", "▏ "}

func (r *renderer) heading(dst []string, n *ast.Heading, w int) []string {
	base := heading
	switch {
	case n.Level == 1:
		base = title
	case n.Level > len(bars):
		base = minor
	}
	prefix := ""
	if n.Level <= len(bars) {
		prefix = r.pal.st.Accent.Render(bars[n.Level-1])
	}
	var t Text
	r.inline(&t, n, base)
	return r.prefixed(dst, r.stands(prefix, n, n.Level), prefix, w, func(dst []string, w int) []string { return t.Rows(dst, w) })
}

func (r *renderer) quote(dst []string, n ast.Node, w int) []string {
	bar := r.pal.st.Faint.Render("▎ ")
	return r.prefixed(dst, r.stands(bar, n, 1), bar, w, func(dst []string, w int) []string {
		return r.children(dst, n, w, quoted)
	})
}

// minInner is the least width that is left to what stands behind a prefix.
// Where less would be left, the prefix is.
const minInner = 4

// prefixed appends rows with a prefix on the first of them and another one, of
// the same width, on the rest.
func (r *renderer) prefixed(dst []string, first, rest string, w int, draw func([]string, int) []string) []string {
	pw := rows.Width(first)
	narrow := w-pw < minInner
	if narrow {
		pw = 0
	}
	from := len(dst)
	dst = draw(dst, w-pw)
	if len(dst) == from {
		dst = append(dst, "")
	}
	if narrow {
		return dst
	}
	for i := from; i < len(dst); i++ {
		if i == from {
			dst[i] = first + dst[i]
		} else if dst[i] != "" || strings.TrimRight(rest, " ") != "" {
			dst[i] = rest + dst[i]
		}
	}
	return dst
}

// html appends a block of HTML as the text it is.
func (r *renderer) html(dst []string, n *ast.HTMLBlock, w int) []string {
	s := string(n.Lines().Value(r.src))
	if n.HasClosure() {
		s += string(n.ClosureLine.Value(r.src))
	}
	var t Text
	if r.tracer != nil {
		r.tracer.lines(&t, r.src, n)
	} else {
		t.Add(strings.TrimRight(s, "\n"), r.pal.st.Muted.Open())
	}
	return t.Rows(dst, w)
}
