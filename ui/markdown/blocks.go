package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Code is a block of code.
type Code struct {
	// Lang is the first word after its opening fence; it may be empty.
	Lang string
	// Text is its lines as they were written, without the indentation of a list
	// or quote that holds it and without a line break at the end.
	Text string
	// At is where its first line begins.
	At int
}

// Blocks are the blocks of code in src, fenced or indented, in their order. Their
// text is not sanitised.
func Blocks(src []byte) []Code {
	var list []Code
	doc := newParser().Parse(text.NewReader(src[:len(src):len(src)]))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		lang := ""
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			lang = string(n.Language(src))
		case *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if text := strings.TrimSuffix(string(n.Lines().Value(src)), "\n"); text != "" {
			list = append(list, Code{lang, text, n.Lines().At(0).Start})
		}
		return ast.WalkSkipChildren, nil
	})
	return list
}
