package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
)

// cut is a place in a source before which everything is finished, whatever
// follows, and behind which the source reads the same on its own: before a
// block, or before an item of a list that is a top-level block.
type cut struct {
	block ast.Node // nil for no place
	item  ast.Node // an item of block; nil for block itself
}

// boundary finds the last cut of a source. It lies on a complete line: of the
// last line it isn't known yet what it is.
func (r *renderer) boundary(doc ast.Node) cut {
	complete := bytes.LastIndexByte(r.src, '\n')
	newest := true
	for n := doc.LastChild(); n != nil; n = n.PreviousSibling() {
		at := start(n, r.src)
		if at > complete {
			continue
		}
		if list, ok := n.(*ast.List); ok && newest {
			if item := r.lastItem(list, complete); item != nil {
				return cut{block: n, item: item}
			}
		}
		newest = false
		prev := n.PreviousSibling()
		if prev == nil || start(prev, r.src) >= at { // see gapBefore
			continue
		}
		if n.Kind() == ast.KindFencedCodeBlock || afterBlank(r.src, at) {
			return cut{block: n}
		}
	}
	return cut{}
}

// lastItem finds the last item that begins on a complete line and follows
// another.
func (r *renderer) lastItem(list *ast.List, complete int) ast.Node {
	for n := list.LastChild(); n != nil && n != list.FirstChild(); n = n.PreviousSibling() {
		if at := start(n, r.src); at > 0 && at <= complete {
			return n
		}
	}
	return nil
}
