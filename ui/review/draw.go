package review

import (
	"sort"
	"strconv"
	"strings"

	"hermes-tui/tools/hunks"
	"hermes-tui/ui/diff"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// bar is how many cells stand before each line: a bar beside the marked piece.
const bar = 2

// drawing is what was drawn of the differences.
type drawing struct {
	w        int
	st       *rows.Styles
	sides    bool
	segments [][]diff.Segment // of the files
	parts    []block
	height   int
}

// block is a run of lines: what is said of a piece, and then rows of a segment.
type block struct {
	at    int // its first line
	piece int // -1 for none
	head  []string
	rows  []string
}

func (b *block) height() int { return len(b.head) + len(b.rows) }

// Size implements [overlay.Box].
func (w *Window) Size(sw, sh int) (bw, bh int) { return overlay.Most(sw, sh) }

// Rows implements [overlay.Box].
func (w *Window) Rows(dst []string, bw, bh int) []string {
	if bw < 8 || bh < 4 {
		for range bh {
			dst = append(dst, rows.Blank(bw))
		}
		return dst
	}
	f := overlay.NewFrame(w.o.Styles, dst, bw, bh)
	f.Top(w.title(bw))
	inner := f.Inner()
	foot := w.foot(inner, bh)
	foot = foot[max(len(foot)-(bh-3), 0):]
	w.h = max(bh-2-len(foot), 1)
	w.lay(inner)
	for _, l := range w.sight() {
		if f.Left() > len(foot) {
			f.Put(l)
		}
	}
	for f.Left() > len(foot) {
		f.Put(rows.Blank(inner))
	}
	for _, l := range foot {
		if l == "" {
			f.Divide()
			continue
		}
		f.Put(l)
	}
	return f.Bottom(w.reminders())
}

// reminders are those of keys on the lower edge.
func (w *Window) reminders() []status.Hint {
	switch w.writing {
	case comment:
		return w.o.Hints(keys.Hint{Action: keys.Accept, Text: "done"})
	case text:
		return w.o.Hints(keys.Hint{Action: keys.Accept, Text: "done"}, keys.Hint{Action: keys.Newline, Text: "new line"})
	}
	return w.o.Hints(keys.Hint{Action: keys.TakeHunk}, keys.Hint{Action: keys.RejectHunk}, keys.Hint{Action: keys.EditHunk}, keys.Hint{Action: keys.CommentHunk},
		keys.Hint{Action: keys.Accept, Text: "send"}, keys.Hint{Action: keys.NextHunk}, keys.Hint{Action: keys.TakeAll}, keys.Hint{Action: keys.SideBySide})
}

// foot is what stands below the differences: what is being written, or a sentence. An empty
// row is a line through the window.
func (w *Window) foot(inner, bh int) []string {
	st := w.o.Styles
	if w.writing == nothing {
		if w.say == "" {
			return nil
		}
		return []string{"", cells.NewRow(inner).PutMax(st.Warn, w.say, inner).String()}
	}
	p := &w.pieces[w.at]
	label := "Comment on " + w.name(p)
	if w.writing == text {
		label = "In place of " + w.name(p)
	}
	list := []string{"", cells.NewRow(inner).PutMax(st.Strong, term.Line(label), inner).String()}
	n := w.input.Height(inner, max(bh/2-2, 1))
	return w.input.Rows(list, inner, n)
}

// Cursor implements [overlay.Box].
func (w *Window) Cursor(bw, bh int) (x, y int, ok bool) {
	if w.writing == nothing || bw < 8 || bh < 4 {
		return 0, 0, false
	}
	inner := bw - 4
	n := w.input.Height(inner, max(bh/2-2, 1))
	x, y, ok = w.input.Cursor()
	return x + 2, bh - 1 - n + y, ok
}

// name names a piece.
func (w *Window) name(p *piece) string {
	if p.line > 0 {
		return p.what + ":" + strconv.Itoa(p.line)
	}
	return p.what
}

// lay puts the lines in their order for rows of so many cells.
func (w *Window) lay(inner int) {
	d := &w.drawn
	if !w.chosen {
		w.sides = inner >= diff.Wide
	}
	if d.w != inner || d.st != w.o.Styles || d.sides != w.sides {
		*d = drawing{w: inner, st: w.o.Styles, sides: w.sides}
		for _, f := range w.diffs {
			d.segments = append(d.segments, f.Segments(inner-bar, w.o.Styles, w.sides))
		}
		w.follow = true
	}
	d.parts, d.height = d.parts[:0], 0
	put := func(b block) {
		b.at = d.height
		d.height += b.height()
		d.parts = append(d.parts, b)
	}
	for _, n := range w.o.Notes {
		put(block{piece: -1, rows: rows.Wrap(nil, term.Line(n), max(inner-bar, 1))})
	}
	next := 0 // of the pieces
	for file, segments := range d.segments {
		if d.height > 0 {
			put(block{piece: -1, rows: []string{""}})
		}
		for ; next < len(w.pieces) && w.pieces[next].file == file && w.pieces[next].hunk < 0; next++ {
			put(block{piece: next, head: w.head(next, inner-bar)})
		}
		for _, s := range segments {
			if s.Hunk < 0 || next >= len(w.pieces) || w.pieces[next].file != file {
				put(block{piece: -1, rows: s.Rows})
				continue
			}
			put(block{piece: next, head: w.head(next, inner-bar), rows: s.Rows})
			next++
		}
	}
}

// head is what is said of a piece above its lines.
func (w *Window) head(i, width int) []string {
	st, p := w.o.Styles, &w.pieces[i]
	lead := st.Text
	mark := "  "
	if i == w.at {
		lead, mark = st.Strong, "▸ "
	}
	word, style := w.state(p)
	row := cells.NewRow(width)
	row.PutMax(lead, mark+strconv.Itoa(i+1)+"/"+strconv.Itoa(len(w.pieces))+" "+term.Line(w.name(p)), max(width-rows.Width(word)-2, 1))
	if n := row.Left() - rows.Width(word); n > 0 {
		row.Skip(n).Put(style, word)
	}
	list := []string{row.String()}
	add := func(style rows.Style, sign, text string) {
		for k, l := range rows.Wrap(nil, text, max(width-4, 1)) {
			if k > 0 {
				sign = " "
			}
			list = append(list, rows.Fit("  "+style.Render(sign+" "+l), width))
		}
	}
	if p.comment != "" {
		add(st.Accent, "“", term.Line(p.comment))
	}
	if p.verdict == hunks.Replace {
		if p.text == "" {
			add(st.Warn, "✎", "(no lines)")
		}
		for l := range strings.SplitSeq(p.text, "\n") {
			if p.text != "" {
				add(st.Warn, "✎", rows.ExpandTabs(term.Plain(l)))
			}
		}
	}
	return list
}

// state is what was decided about a piece.
func (w *Window) state(p *piece) (string, rows.Style) {
	st := w.o.Styles
	switch p.verdict {
	case hunks.Accept:
		if w.o.Made {
			return "✓ keep", st.Good
		}
		return "✓ accepted", st.Good
	case hunks.Reject:
		return "✗ rejected", st.Bad
	case hunks.Replace:
		return "✎ rewritten", st.Warn
	}
	if w.o.Made {
		return "· kept", st.Muted
	}
	return "○ undecided", st.Muted
}

// sight gives the lines in sight.
func (w *Window) sight() []string {
	d := &w.drawn
	if w.follow || w.writing != nothing {
		w.reveal()
	}
	w.top = max(min(w.top, d.height-w.h), 0)
	first := sort.Search(len(d.parts), func(i int) bool { return d.parts[i].at+d.parts[i].height() > w.top })
	var list []string
	for i := first; i < len(d.parts) && len(list) < w.h; i++ {
		b := &d.parts[i]
		lead := rows.Blank(bar)
		if b.piece == w.at {
			lead = w.o.Styles.Accent.Render("▌") + " "
		}
		for k := max(w.top-b.at, 0); k < b.height() && len(list) < w.h; k++ {
			if k < len(b.head) {
				list = append(list, lead+b.head[k])
			} else {
				list = append(list, lead+rows.Fit(b.rows[k-len(b.head)], d.w-bar))
			}
		}
	}
	return list
}

// reveal brings the marked piece into sight, its head in any case, with some lines before.
func (w *Window) reveal() {
	w.follow = false
	for i := range w.drawn.parts {
		b := &w.drawn.parts[i]
		if b.piece != w.at {
			continue
		}
		before := min(hunks.Context+1, w.h/4)
		if end := b.at + b.height(); b.at-before < w.top || end > w.top+w.h {
			w.top = b.at - before
		}
		return
	}
}
