package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxNote bounds the name of a footnote.
const maxNote = 40

// note is a footnote: "[^1]" where it is referred to, and "[^1]:" at the beginning
// of a line before what it says. Either is shown without looking for the other,
// which may come later.
type note struct {
	ast.BaseInline
	name    string
	defines bool
}

var kindNote = ast.NewNodeKind("Note")

// Kind implements [ast.Node].
func (n *note) Kind() ast.NodeKind { return kindNote }

// Dump implements [ast.Node].
func (n *note) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// defines reports whether a node begins what a footnote says.
func defines(n ast.Node) bool {
	def, ok := n.(*note)
	return ok && def.defines
}

// sign is what stands for a footnote: its number, raised, or its name.
func (n *note) sign() string {
	var b strings.Builder
	for i := range len(n.name) {
		if n.name[i] < '0' || n.name[i] > '9' {
			return "[" + n.name + "]"
		}
		b.WriteString([...]string{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"}[n.name[i]-'0'])
	}
	return b.String()
}

// noteParser finds footnotes.
type noteParser struct{}

// Trigger implements [parser.InlineParser].
func (noteParser) Trigger() []byte { return []byte{'['} }

// Parse implements [parser.InlineParser].
func (noteParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(line) < 4 || line[1] != '^' {
		return nil
	}
	end := bytes.IndexAny(line[2:min(len(line), maxNote+3)], "] []\t\n\\")
	if end < 1 || line[2+end] != ']' {
		return nil
	}
	n := &note{name: string(line[2 : 2+end])}
	rest := line[end+3:]
	switch {
	case len(rest) > 0 && rest[0] == '(': // a link with an odd text
		return nil
	case len(rest) > 0 && rest[0] == ':' && block.PrecendingCharacter() == '\n':
		n.defines = true
		block.Advance(end + 4 + len(rest) - 1 - len(bytes.TrimLeft(rest[1:], " \t")))
	default:
		block.Advance(end + 3)
	}
	return n
}
