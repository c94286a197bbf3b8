package transcript

import (
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
)

// markBook stands before the first row of a block that has a bookmark.
const markBook = "★"

// SetBookmarks tells which blocks have bookmarks. The slice is kept and must not change.
func (v *View) SetBookmarks(list []event.BlockID) {
	if !slices.Equal(v.bookmarks, list) {
		v.bookmarks = list
		v.changed()
	}
}

// bookmarked reports whether a block of an item has a bookmark.
func (v *View) bookmarked(it item) bool {
	return len(v.bookmarks) > 0 && slices.ContainsFunc(v.blocks[it.from:it.to], func(b *event.Block) bool {
		return slices.Contains(v.bookmarks, b.ID)
	})
}

// Bookmarks are the blocks that have bookmarks, in their order.
func (v *View) Bookmarks() (list []*event.Block) {
	if len(v.bookmarks) == 0 {
		return nil
	}
	for _, b := range v.blocks {
		if slices.Contains(v.bookmarks, b.ID) {
			list = append(list, b)
		}
	}
	return list
}

// NextBookmark goes to the next bookmark from the cursor on, else from the top of the
// screen, or back to the previous one. After the last one comes the first. It reports
// whether there is one.
func (v *View) NextBookmark(back bool) bool {
	v.layout()
	at, on := v.selected()
	if !on {
		if at = v.top - 1; back {
			at = v.top
		}
	}
	n, step := len(v.blocks), 1
	if back {
		step = -1
	}
	if len(v.bookmarks) == 0 {
		return false
	}
	for k := 1; k <= n; k++ {
		i := ((at+k*step)%n + n) % n
		if slices.Contains(v.bookmarks, v.blocks[i].ID) {
			v.jump(i)
			return true
		}
	}
	return false
}

// labelBytes is how much of a text is looked at for its first line.
const labelBytes = 200

// Label is the start of a block in one line, which is not sanitised but for Markdown, and
// what it is.
func (v *View) Label(b *event.Block) (text, what string) {
	if b.Kind == event.BlockTool {
		return shorten.First(b.Call.View.Subject), b.Call.View.Name
	}
	title, _ := OpenText(b)
	all := b.Text.Bytes()
	start := strings.ToValidUTF8(string(all[:min(len(all), labelBytes)]), "")
	if b.Kind == event.BlockAnswer {
		return v.md.Line(start, v.st), "answer"
	}
	return shorten.First(start), strings.ToLower(title)
}
