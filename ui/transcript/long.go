package transcript

import (
	"bytes"
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
)

// From longBytes on an answer is drawn in parts of about partBytes, each an item of its
// own, so that a screen never costs more than a few of them.
const (
	longBytes = 16 << 10
	partBytes = 4 << 10
)

// longAnswer is an answer that is drawn in parts. What is kept of it is small beside its
// text.
type longAnswer struct {
	block *event.Block // which the parts are of
	parts *markdown.Parts
	// heights are the rows of its parts when they were drawn last, in whatever width; 0
	// is not known.
	heights []int
}

// partsOf are the parts of block i, nil if it is drawn as a whole.
func (v *View) partsOf(i int) *markdown.Parts {
	b := v.blocks[i]
	if b.Kind != event.BlockAnswer || b.Text.Len() < v.least {
		return nil
	}
	l := v.long[b.ID]
	if l == nil {
		l = &longAnswer{parts: v.md.Parts(min(partBytes, v.least/2))}
		v.long[b.ID] = l
	}
	if l.block != b {
		l.block = b
		l.parts.Set(b.Text.Bytes(), !b.Open)
	}
	return l.parts
}

// part is the part of a long answer that an item is.
func (v *View) part(it item) markdown.Part { return v.partsOf(it.from).At(it.seg) }

// forgetLong drops what is known of long answers that are no longer there.
func (v *View) forgetLong(were, are []*event.Block) {
	for _, b := range were {
		if v.long[b.ID] != nil && !slices.ContainsFunc(are, func(other *event.Block) bool { return other.ID == b.ID }) {
			delete(v.long, b.ID)
		}
	}
}

// noteHeight notes how many rows a part of a long answer takes.
func (v *View) noteHeight(it item, e *entry) {
	if l := v.long[v.blocks[it.from].ID]; it.segs > 0 && l != nil {
		for len(l.heights) < it.segs {
			l.heights = append(l.heights, 0)
		}
		l.heights[it.seg] = e.height()
	}
}

// drawnToCount is how many of the last parts of a long answer are drawn to count its rows.
// Of those before them that were not drawn yet, the lines are counted.
const drawnToCount = 4

// rowsOf is how many rows an item takes, of a long answer all its parts, about.
func (v *View) rowsOf(it item) int {
	if it.segs == 0 {
		return v.entry(it).height()
	}
	n, l := 0, v.long[v.blocks[it.from].ID]
	for it.seg = range it.segs {
		switch {
		case it.last(), it.seg >= len(l.heights) && it.seg >= it.segs-drawnToCount:
			n += v.entry(it).height()
		case it.seg < len(l.heights) && l.heights[it.seg] > 0:
			n += l.heights[it.seg]
		default:
			part := v.part(it)
			n += bytes.Count(bytes.TrimRight(part.Text, "\n"), []byte("\n")) + 1
		}
		if it.seg > 0 {
			n += v.gap(it)
		}
	}
	return n
}
