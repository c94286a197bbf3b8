package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The limits that keep hostile input cheap. What goes beyond one is plain text.
const (
	// maxDepth is how many quotes, lists and list items may hold a block.
	maxDepth = 24
	// maxLinks is how many brackets of one block are looked at as links; the
	// cost of looking grows with their square.
	maxLinks = 200
	// maxColumns and maxCells bound a table.
	maxColumns = 64
	maxCells   = 10_000
)

// newParser makes a parser of our dialect. Link definitions are no part of it.
// It is not safe for concurrent use.
func newParser() parser.Parser { return parser.NewParser(blocks(), inlines(), tables()) }

// newSplitter makes one that finds the same blocks, and does not look into them.
func newSplitter() parser.Parser { return parser.NewParser(blocks(), tables()) }

func blocks() parser.Option {
	return parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(listGuard{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(formulaBlocks{}, 750),
		util.Prioritized(quoteGuard{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	)
}

func inlines() parser.Option {
	return parser.WithInlineParsers(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(noteParser{}, 150),
		util.Prioritized(formulaParser{}, 160),
		util.Prioritized(&linkGuard{InlineParser: parser.NewLinkParser()}, 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(parser.NewEmphasisParser(), 500),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	)
}

func tables() parser.Option {
	return parser.WithParagraphTransformers(util.Prioritized(tableGuard{extension.NewTableParagraphTransformer()}, 200))
}

// tooDeep reports whether a node may hold no further container.
func tooDeep(n ast.Node) bool {
	for depth := 0; n != nil; n = n.Parent() {
		if depth++; depth > maxDepth {
			return true
		}
	}
	return false
}

// listGuard opens no list that would be nested too deeply.
type listGuard struct{ parser.BlockParser }

func (g listGuard) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	// The parser keeps notes while it looks, so it has to be asked first.
	n, state := g.BlockParser.Open(parent, reader, pc)
	if n != nil && tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return n, state
}

// quoteGuard opens no quote that would be nested too deeply.
type quoteGuard struct{ parser.BlockParser }

func (g quoteGuard) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return g.BlockParser.Open(parent, reader, pc)
}

// linkGuard looks at no more than maxLinks brackets of a block.
type linkGuard struct {
	parser.InlineParser
	block ast.Node
	seen  int
}

func (g *linkGuard) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if parent != g.block {
		g.block, g.seen = parent, 0
	}
	if block.Peek() != ']' {
		if g.seen++; g.seen > maxLinks {
			return nil
		}
	}
	return g.InlineParser.Parse(parent, block, pc)
}

// CloseBlock lets the parser of links tidy up.
func (g *linkGuard) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	g.block = nil
	if c, ok := g.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// tableGuard makes no table that has too many columns or cells.
type tableGuard struct{ parser.ParagraphTransformer }

func (g tableGuard) Transform(n *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := n.Lines()
	columns := 0
	for i := range lines.Len() {
		line := lines.At(i)
		columns = max(columns, bytes.Count(line.Value(reader.Source()), []byte{'|'})+1)
	}
	if columns > maxColumns || columns*lines.Len() > maxCells {
		return
	}
	g.ParagraphTransformer.Transform(n, reader, pc)
}

// start is where the first line of a block begins, -1 if that is not known.
func start(n ast.Node, src []byte) int {
	at := n.Pos()
	switch n.Kind() {
	case extTable:
		at = n.FirstChild().Pos()
	case ast.KindHeading, ast.KindHTMLBlock, kindFormulaBlock:
		if l := n.Lines(); l.Len() > 0 {
			at = l.At(0).Start
		}
	}
	if at < 0 {
		return -1
	}
	return bytes.LastIndexByte(src[:min(at, len(src))], '\n') + 1
}

// afterBlank reports whether a blank line stands before the line that begins at
// an offset. Lines that hold nothing but the marks of a quote are blank.
func afterBlank(src []byte, line int) bool {
	if line <= 0 {
		return line == 0
	}
	prev := src[bytes.LastIndexByte(src[:line-1], '\n')+1 : line-1]
	return len(bytes.Trim(prev, "> \t")) == 0
}
