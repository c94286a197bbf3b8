package bedrock

import (
	"maps"
	"slices"
	"strings"
)

// layout notes how the blocks of an answer follow each other. Texts are measured
// without the blanks in front of all text.
type layout struct {
	list   []slot
	length int // of the text so far
	ink    int // up to the last letter that is no blank
}

// add notes a block, or more of a text.
func (l *layout) add(kind slotKind, text string) {
	if kind != slotText {
		l.list = append(l.list, slot{Kind: kind})
		return
	}
	if l.length == 0 {
		if text = strings.TrimLeft(text, blanks); text == "" {
			return
		}
	}
	if ink := strings.TrimRight(text, blanks); ink != "" {
		l.ink = l.length + len(ink)
	}
	l.length += len(text)
	if last := len(l.list) - 1; last >= 0 && l.list[last].Kind == slotText {
		l.list[last].End = l.length
		return
	}
	l.list = append(l.list, slot{Kind: slotText, End: l.length})
}

// slots gives the layout, nil for the order of every other message: reasoning, text,
// calls. Without reasoning no order has to be kept.
func (l *layout) slots() []slot {
	if !l.mixed() {
		return nil
	}
	out := slices.Clone(l.list)
	for i := range out {
		out[i].End = min(out[i].End, l.ink)
	}
	return out
}

// mixed tells an order that is not the usual one, in an answer with reasoning.
func (l *layout) mixed() bool {
	rank := map[slotKind]int{slotReasoning: 0, slotText: 1, slotCall: 2}
	thought := false
	usual := slices.IsSortedFunc(l.list, func(a, b slot) int { return rank[a.Kind] - rank[b.Kind] })
	for _, s := range l.list {
		thought = thought || s.Kind == slotReasoning
	}
	return thought && !usual
}

// open lists the blocks that were not closed, in their order.
func open(blocks map[int]*block) []int { return slices.Sorted(maps.Keys(blocks)) }
