package transcript

import (
	"bytes"
	"math"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// codeOf is the blocks of code of a block.
type codeOf struct {
	of      *event.Block
	list    []markdown.Code
	rows    []codeRow // at which each of them begins
	numbers bool      // their numbers are shown
}

// Code is the blocks of code in the block that the cursor is on; a call has none. The text
// is as it came from outside.
func (v *View) Code() []markdown.Code {
	b := v.Selected()
	if b == nil {
		v.coded = codeOf{}
		return nil
	}
	if v.coded.of != b {
		v.coded = codeOf{of: b}
		if b.Kind != event.BlockTool {
			v.coded.list = markdown.Blocks(b.Text.Bytes())
		}
	}
	return v.coded.list
}

// HasCode reports whether there is a block of code in the block that the cursor is on, as
// it seems while that goes on.
func (v *View) HasCode() bool {
	if b := v.Selected(); b != nil && (b.Open || b.Text.Len() > v.least) {
		return bytes.Contains(b.Text.Bytes(), []byte("```"))
	}
	return len(v.Code()) > 0
}

// ShowNumbers shows beside each block of code of the block that the cursor is on which
// one it is, or no longer.
func (v *View) ShowNumbers(on bool) {
	if !on && !v.coded.numbers {
		return
	}
	v.Code()
	if i, ok := v.selected(); on && ok {
		v.coded.rows = v.codeRows(i)
	}
	v.coded.numbers = on
	v.changed()
}

// codeRow is a row of an item, or of a part of a long answer.
type codeRow struct{ seg, row int }

// codeRows are the rows of block i at which its blocks of code begin, as far as they are
// known.
func (v *View) codeRows(i int) (out []codeRow) {
	b := v.blocks[i]
	list := markdown.Blocks([]byte(term.Plain(b.Text.String())))
	for it, ok := v.itemAt(i), true; ok && it.from <= i && len(list) > 0; it, ok = v.next(it) {
		from, to := 0, math.MaxInt
		if it.segs > 0 {
			part := v.part(it)
			if from = part.From; !it.last() {
				to = from + len(part.Text)
			}
		}
		if list[0].At >= to {
			continue
		}
		runs, row := v.tracedOf(it).runs, 0
		for ; len(list) > 0 && list[0].At < to; list = list[1:] {
			for row < len(runs) && (len(runs[row]) == 0 || runs[row][len(runs[row])-1].End <= list[0].At-from) {
				row++
			}
			if row == len(runs) {
				return out
			}
			out = append(out, codeRow{it.seg, row})
		}
	}
	return out
}

// numbered shows the number of the block of code that begins at a row.
func (v *View) numbered(row string, width int, it item, i int) (string, int) {
	if !v.coded.numbers || v.blocks[it.from] != v.coded.of {
		return row, width
	}
	for n, at := range v.coded.rows {
		if at == (codeRow{it.seg, i}) && n < len(v.coded.list) {
			badge := v.st.BadgeWarn.Render(" " + itoa(n+1) + " ")
			at := max(v.inner()-rows.Width(badge), 0)
			row = rows.Splice(row+rows.Blank(v.inner()-width), at, badge, v.inner())
			return row, v.inner()
		}
	}
	return row, width
}

// CallInput is what a call was asked to do: its command, its script, or what it is about.
func CallInput(c *event.Call) string {
	if c.View.Kind == event.ViewCode {
		text, _ := scriptParts(c.View.Body)
		return text
	}
	return c.View.Subject
}

// CallOutput is what a call has put out, as far as the transcript holds it.
func CallOutput(c *event.Call) string {
	switch {
	case c.Stage == event.CallRunning:
		return c.Tail.String()
	case c.View.Kind == event.ViewCode:
		_, text := scriptParts(c.View.Body)
		return text
	}
	return c.View.Body
}

// scriptParts takes the body of a script apart: the script, and its output.
func scriptParts(body string) (script, output string) {
	var in, out []string
	for line := range strings.SplitSeq(body, "\n") {
		if rest, ok := strings.CutPrefix(line, outputMark); ok {
			out = append(out, rest)
		} else if len(out) == 0 {
			in = append(in, line)
		}
	}
	return strings.TrimRight(strings.Join(in, "\n"), "\n"), strings.Join(out, "\n")
}
