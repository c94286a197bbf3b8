package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxFormula bounds a formula inside a line, in bytes.
const maxFormula = 400

// formula is a formula of TeX inside a line: between dollar signs, "\(" and "\)", or
// "\[" and "\]". It is drawn as it was written, like code: nothing in it is Markdown.
type formula struct {
	ast.BaseInline
	text string
}

var kindFormula = ast.NewNodeKind("Formula")

// Kind implements [ast.Node].
func (n *formula) Kind() ast.NodeKind { return kindFormula }

// Dump implements [ast.Node].
func (n *formula) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// formula appends a formula inside a line.
func (r *renderer) formula(t *Text, n *formula, l look) {
	r.whole(t, n.text, l&^(bold|italic)|code, n.Pos(), len(n.text))
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
	block.Advance(size)
	return &formula{text: string(line[:size])}
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
			if i++; i < len(line) && strings.IndexByte("[]()$", line[i]) >= 0 { // escapes of Markdown
				return "", 0
			}
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
	until  string // a line that ends with it closes the block
	closed bool
}

var kindFormulaBlock = ast.NewNodeKind("FormulaBlock")

// Kind implements [ast.Node].
func (n *formulaBlock) Kind() ast.NodeKind { return kindFormulaBlock }

// IsRaw implements [ast.Node]: nothing in it is Markdown.
func (n *formulaBlock) IsRaw() bool { return true }

// Dump implements [ast.Node].
func (n *formulaBlock) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// formulaRows appends a formula on lines of its own, as it was written.
func (r *renderer) formulaRows(dst []string, n *formulaBlock, w int) []string {
	src := strings.TrimSpace(string(n.Lines().Value(r.src)))
	at := n.Lines().At(0).Start
	size := len(strings.TrimRight(string(r.src[at:n.Lines().At(n.Lines().Len()-1).Stop]), "\n"))
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
	s := strings.TrimSpace(string(line))
	switch {
	case strings.HasPrefix(s, "$$"):
		n.until = "$$"
	case strings.HasPrefix(s, `\[`):
		n.until = `\]`
	case strings.HasPrefix(s, `\begin{`) && strings.HasSuffix(s, "}"):
		n.until = `\end` + s[len(`\begin`):]
	default:
		return nil, parser.NoChildren
	}
	if inner := strings.TrimSpace(s[2:]); n.until[1] != 'e' && inner != "" {
		formula, ends := strings.CutSuffix(inner, n.until)
		if !ends || strings.Contains(formula, n.until) || !formulaic(formula) {
			return nil, parser.NoChildren // a sentence that begins with a formula, or with neither
		}
		n.closed = true
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
