package markdown

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"hermes-tui/ui/rows"
)

// bullets mark items by the depth of their list.
var bullets = [...]string{"•", "◦", "▪"}

// list appends a list.
func (r *renderer) list(dst []string, n *ast.List, w int, base look) []string {
	return r.items(dst, n, n.FirstChild(), nil, w, base)
}

// items appends the items of a list from first up to and without stop. A blank
// row stands between two items where the source has one, so an item that
// follows later moves none of those before.
func (r *renderer) items(dst []string, n *ast.List, first, stop ast.Node, w int, base look) []string {
	number := r.number(n, first)
	r.depth++
	for item := first; item != stop && item != nil; item = item.NextSibling() {
		if item != first && r.gapBefore(item) {
			dst = append(dst, "")
		}
		mark := r.marker(n, item, number)
		number++
		rest := rows.Blank(rows.Width(mark) + 1)
		dst = r.prefixed(dst, r.stands(mark, item, 1)+" ", rest, w, func(dst []string, w int) []string {
			return r.children(dst, item, w, base)
		})
	}
	r.depth--
	return dst
}

// number is the number of an item.
func (r *renderer) number(n *ast.List, item ast.Node) int {
	number := n.Start
	if r.first > 0 && n.PreviousSibling() == nil && n.Parent().Kind() == ast.KindDocument {
		number = r.first
	}
	for c := n.FirstChild(); c != item; c = c.NextSibling() {
		number++
	}
	return number
}

// marker is what stands before an item. Lists of the first level are set in,
// their numbers to the right of a column of four cells.
func (r *renderer) marker(n *ast.List, item ast.Node, number int) string {
	mark, indent := bullets[min(r.depth, len(bullets))-1], 2
	if n.IsOrdered() {
		mark = strconv.Itoa(number) + string(rune(n.Marker))
		indent = max(4-len(mark), 0)
	}
	if r.depth > 1 {
		indent = 0
	}
	if done, ok := task(item); ok {
		box := "☐"
		if done {
			box = "☑"
		}
		if n.IsOrdered() {
			box = mark + " " + box
		}
		mark = box
	}
	return rows.Blank(indent) + r.pal.st.Accent.Render(mark)
}

// task reports whether an item is a task, and whether that is done.
func task(item ast.Node) (done, ok bool) {
	block := item.FirstChild()
	if block == nil || block.FirstChild() == nil || block.FirstChild().Kind() != extTask {
		return false, false
	}
	return block.FirstChild().(*extast.TaskCheckBox).IsChecked, true
}
