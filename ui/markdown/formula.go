package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"hermes-tui/ui/markdown/mathtext"
)

// maxFormula bounds a formula inside a line, in bytes.
const maxFormula = 400

// formula is a formula of TeX inside a line: between dollar signs, "\(" and "\)", or
// "\[" and "\]".
type formula struct {
	ast.BaseInline
	text     string
	verbatim bool // as it was written: it has no form in text
	size     int  // in the source
}

var kindFormula = ast.NewNodeKind("Formula")

// Kind implements [ast.Node].
func (n *formula) Kind() ast.NodeKind { return kindFormula }

// Dump implements [ast.Node].
func (n *formula) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// formula appends a formula inside a line.
func (r *renderer) formula(t *Text, n *formula, l look) {
	if n.verbatim {
		r.whole(t, n.text, l&^(bold|italic)|code, n.Pos(), n.size)
		return
	}
	r.whole(t, strings.ReplaceAll(n.text, "\n", "; "), l|italic, n.Pos(), n.size)
}

// formulaParser finds formulas inside lines.
type formulaParser struct{}

// Trigger implements [parser.InlineParser].
func (formulaParser) Trigger() []byte { return []byte{'$', '\\'} }

// Parse implements [parser.InlineParser]. What may as well be money, a variable of a
// shell or an escaped bracket stays what it is.
func (formulaParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	line = line[:min(len(line), maxFormula)]
	inner, size := enclosedFormula(line, block.PrecendingCharacter())
	if size == 0 || !formulaic(inner) {
		return nil
	}
	written, ok := mathtext.Unicode(inner)
	if !ok {
		if size == len(inner)+2 { // between single dollar signs: maybe none
			return nil
		}
		written = string(line[:size])
	}
	block.Advance(size)
	return &formula{text: written, verbatim: !ok, size: size}
}

// enclosedFormula finds the formula that a line begins with, and how many bytes it
// takes with the signs around it; 0 for none.
func enclosedFormula(line []byte, before rune) (inner string, size int) {
	for _, around := range [][2]string{{"$$", "$$"}, {`\(`, `\)`}, {`\[`, `\]`}} {
		if rest, ok := bytes.CutPrefix(line, []byte(around[0])); ok {
			end := bytes.Index(rest, []byte(around[1]))
			if end < 1 || word(before) || line[1] == '[' && !bytes.ContainsAny(rest[:end], `\^_=`) {
				return "", 0
			}
			return string(rest[:end]), end + 4
		}
	}
	if line[0] != '$' || len(line) < 3 || line[1] == ' ' || word(before) {
		return "", 0
	}
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '\n' || line[i] == '`':
			return "", 0
		case line[i] == '$':
			if i == 1 || line[i-1] == ' ' || i+1 < len(line) && (word(rune(line[i+1])) || line[i+1] == '$') {
				return "", 0
			}
			return string(line[1:i]), i + 1
		}
	}
	return "", 0
}

func word(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
}

// formulaic reports whether a text has signs that only a formula has, or is a letter
// or two.
func formulaic(s string) bool {
	if strings.ContainsAny(s, `\^_=`) {
		return true
	}
	for i := range len(s) {
		if !word(rune(s[i])) {
			return false
		}
	}
	return len(s) <= 2 && !(s[0] >= '0' && s[0] <= '9')
}

// formulaBlock is a formula on lines of its own.
type formulaBlock struct {
	ast.BaseBlock
	open, end string // the signs around it; none where they are a part of it
	until     string // a line that ends with it closes the block
	closed    bool
}

var kindFormulaBlock = ast.NewNodeKind("FormulaBlock")

// Kind implements [ast.Node].
func (n *formulaBlock) Kind() ast.NodeKind { return kindFormulaBlock }

// IsRaw implements [ast.Node]: nothing in it is Markdown.
func (n *formulaBlock) IsRaw() bool { return true }

// Dump implements [ast.Node].
func (n *formulaBlock) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// formulaRows appends a formula on lines of its own; one that is not complete, or
// has no form in text, as it was written.
func (r *renderer) formulaRows(dst []string, n *formulaBlock, w int) []string {
	src := strings.TrimSpace(string(n.Lines().Value(r.src)))
	at := n.Lines().At(0).Start
	size := len(strings.TrimRight(string(r.src[at:n.Lines().At(n.Lines().Len()-1).Stop]), "\n"))
	if n.closed {
		inner := strings.TrimSuffix(strings.TrimPrefix(src, n.open), n.end)
		if written, ok := mathtext.Unicode(strings.TrimSpace(inner)); ok {
			var t Text
			r.whole(&t, written, body, at, size)
			return r.prefixed(dst, "  ", "  ", w, t.Rows)
		}
	}
	var t Text
	r.put(&t, src, code, at, size)
	return t.Rows(dst, w)
}

// formulaBlocks finds formulas on lines of their own. A blank line ends one that has
// not closed, which then is none.
type formulaBlocks struct{}

// Trigger implements [parser.BlockParser].
func (formulaBlocks) Trigger() []byte { return []byte{'$', '\\'} }

// Open implements [parser.BlockParser].
func (formulaBlocks) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	n := &formulaBlock{}
	switch s := strings.TrimSpace(string(line)); {
	case strings.HasPrefix(s, "$$"):
		n.open, n.end = "$$", "$$"
	case strings.HasPrefix(s, `\[`):
		n.open, n.end = `\[`, `\]`
	case strings.HasPrefix(s, `\begin{`) && strings.HasSuffix(s, "}"):
		n.until = `\end` + s[len(`\begin`):]
	default:
		return nil, parser.NoChildren
	}
	if n.until == "" {
		n.until = n.end
		inner := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(string(line)), n.open))
		switch {
		case inner == "":
		case strings.Index(inner, n.end) == len(inner)-len(n.end) && formulaic(strings.TrimSuffix(inner, n.end)):
			n.closed = true
		default: // a sentence that begins with a formula, or with neither
			return nil, parser.NoChildren
		}
	}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// Continue implements [parser.BlockParser].
func (formulaBlocks) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*formulaBlock)
	line, segment := reader.PeekLine()
	s := strings.TrimSpace(string(line))
	if n.closed || s == "" {
		return parser.Close
	}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	if strings.HasSuffix(s, n.until) {
		n.closed = true
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

// Close implements [parser.BlockParser].
func (formulaBlocks) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements [parser.BlockParser].
func (formulaBlocks) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements [parser.BlockParser].
func (formulaBlocks) CanAcceptIndentedLine() bool { return false }
