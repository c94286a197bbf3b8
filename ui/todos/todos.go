// Package todos draws the task list of an agent: as a pane of its own, and as
// one line for screens without room for it.
//
// Guarantees:
//
//   - [Pane.Rows] yields exactly h rows of exactly w cells, [Pane.Line] one row.
//   - The current task is always among the rows shown; marks say how many tasks
//     are hidden above and below.
//   - Every state of a task has a sign of its own and needs no colour.
//
// A [Pane] belongs to one goroutine.
package todos

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Pane shows a task list. The zero value is not ready, see [New].
type Pane struct {
	st      *rows.Styles
	source  []event.Todo
	items   []item
	current int // index of the task in focus, -1 without tasks
	done    int
	total   int // cancelled tasks are not counted
	elapsed time.Duration
}

// item is a task made safe for the screen.
type item struct {
	text   string
	status event.TodoStatus
	width  int
}

// New makes an empty pane.
func New(st *rows.Styles) *Pane { return &Pane{st: st, current: -1} }

// SetStyles changes the colours.
func (p *Pane) SetStyles(st *rows.Styles) { p.st = st }

// Sync takes the task list as it is now and reports whether it is another one.
func (p *Pane) Sync(list []event.Todo) (changed bool) {
	if slices.Equal(p.source, list) {
		return false
	}
	p.source = slices.Clone(list)
	p.items, p.done, p.total = p.items[:0], 0, 0
	for _, t := range list {
		text := strings.TrimSpace(term.Line(t.Content))
		p.items = append(p.items, item{text, t.Status, rows.Width(text)})
		if t.Status != event.TodoCancelled {
			p.total++
		}
		if t.Status == event.TodoCompleted {
			p.done++
		}
	}
	p.current = p.focus()
	return true
}

// SetElapsed tells for how long the current task has been worked on; 0 when that
// is not known.
func (p *Pane) SetElapsed(d time.Duration) { p.elapsed = d }

// Empty reports whether there are no tasks at all.
func (p *Pane) Empty() bool { return len(p.items) == 0 }

// focus chooses the task that must be seen: the one in progress, or else the
// next one, or else the last of all.
func (p *Pane) focus() int {
	for _, want := range []event.TodoStatus{event.TodoInProgress, event.TodoPending} {
		if i := slices.IndexFunc(p.items, func(it item) bool { return it.status == want }); i >= 0 {
			return i
		}
	}
	return len(p.items) - 1
}

// Height is how many of at most limit rows the pane needs when each task takes
// one. It is 0 without tasks.
func (p *Pane) Height(limit int) int {
	if p.Empty() {
		return 0
	}
	return max(min(1+len(p.items), limit), 0)
}

// HeightAt is [Pane.Height] for a pane of w cells in which long tasks take two
// rows.
func (p *Pane) HeightAt(w, limit int) int {
	if p.Empty() {
		return 0
	}
	n := 1 + len(p.items)
	for i := range p.items {
		if p.long(i, w) {
			n++
		}
	}
	return max(min(n, limit), 0)
}

// Rows appends the pane to dst: the header, then the tasks; with a single row,
// the line that [Pane.Line] makes. Long tasks take a
// second row when all tasks have one and rows are left; the current task is the
// first to get it.
func (p *Pane) Rows(dst []string, w, h int) []string {
	base := len(dst)
	if h <= 0 || p.Empty() {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	if h == 1 {
		return append(dst, p.Line(w))
	}
	dst = append(dst, p.header(w))
	room := h - 1
	from, to := cells.Window(len(p.items), room, p.current)
	marks := room >= 3
	if marks && from > 0 {
		dst = append(dst, p.hidden(w, from, "above"))
	}
	spare := room - len(p.items)
	second := p.seconds(w, spare)
	for i := from; i < to; i++ {
		dst = p.task(dst, w, i, second[i])
	}
	if marks && to < len(p.items) {
		dst = append(dst, p.hidden(w, len(p.items)-to, "below"))
	}
	return rows.Fill(dst, base, h, w)
}

// margin is the blank on either side of a pane; sign is the room of a task's
// sign and the blank behind it.
const margin, sign = 1, 2

// textCells is the room for a task's text in the first of its rows.
func (p *Pane) textCells(i, w int) int {
	n := w - 2*margin - sign
	if e := p.stopwatch(i); e != "" {
		n -= 1 + len(e)
	}
	return n
}

// long reports whether a task does not fit into one row.
func (p *Pane) long(i, w int) bool { return p.items[i].width > p.textCells(i, w) }

// seconds chooses the tasks that get a second row, of which there are spare.
func (p *Pane) seconds(w, spare int) map[int]bool {
	if spare <= 0 {
		return nil
	}
	chosen := map[int]bool{}
	give := func(i int) {
		if spare > 0 && !chosen[i] && p.long(i, w) {
			chosen[i], spare = true, spare-1
		}
	}
	give(p.current)
	for i := range p.items {
		give(i)
	}
	return chosen
}

// stopwatch is what stands at the end of the current task's row.
func (p *Pane) stopwatch(i int) string {
	if i != p.current || p.elapsed <= 0 || p.items[i].status != event.TodoInProgress {
		return ""
	}
	return format.Elapsed(p.elapsed)
}

func (p *Pane) header(w int) string {
	count := p.count()
	row := cells.NewRow(w)
	row.Skip(margin).PutMax(p.st.Strong, "Todo", w-len(count)-2*margin-1)
	return row.Until(len(count)+margin).Put(p.st.Muted, count).String()
}

func (p *Pane) count() string { return strconv.Itoa(p.done) + "/" + strconv.Itoa(p.total) }

func (p *Pane) hidden(w, n int, where string) string {
	return cells.NewRow(w).Skip(margin).Put(p.st.Faint, "… "+strconv.Itoa(n)+" "+where).String()
}

// task appends the row of a task, or two of them.
func (p *Pane) task(dst []string, w, i int, two bool) []string {
	it := p.items[i]
	glyph, mark, text := p.look(it.status)
	first, rest := it.text, ""
	if two {
		first, rest = cells.Split(it.text, p.textCells(i, w))
	}
	row := cells.NewRow(w)
	row.Skip(margin).Put(mark, glyph).Skip(1).PutMax(text, first, p.textCells(i, w))
	if e := p.stopwatch(i); e != "" {
		row.Until(len(e)+margin).Put(p.st.Muted, e)
	}
	dst = append(dst, row.String())
	if two {
		row := cells.NewRow(w).Skip(margin+sign).PutMax(text, rest, w-2*margin-sign)
		dst = append(dst, row.String())
	}
	return dst
}

// look gives the sign of a state, its style and that of the text.
func (p *Pane) look(s event.TodoStatus) (glyph string, mark, text rows.Style) {
	switch s {
	case event.TodoCompleted:
		return "✓", p.st.Good, p.st.Muted
	case event.TodoInProgress:
		return "▸", p.st.Accent, p.st.Accent
	case event.TodoCancelled:
		return "–", p.st.Faint, p.st.Faint.With(rows.Strike)
	}
	return "○", p.st.Muted, p.st.Text
}

// Line is the list in one row: how many tasks are done and which one is in
// progress or next.
func (p *Pane) Line(w int) string {
	row := cells.NewRow(w)
	if p.Empty() {
		return row.String()
	}
	row.Skip(margin).Put(p.st.Strong, "Todo").Skip(1).Put(p.st.Muted, p.count()).Skip(1)
	it := p.items[p.current]
	if it.status != event.TodoInProgress && it.status != event.TodoPending {
		text := "all done"
		if p.total == 0 {
			text = "all cancelled"
		}
		return row.Put(p.st.Good, "✓").Skip(1).PutMax(p.st.Muted, text, row.Left()-margin).String()
	}
	glyph, mark, text := p.look(it.status)
	row.Put(mark, glyph).Skip(1)
	e := p.stopwatch(p.current)
	tail := margin
	if e != "" {
		tail += 1 + len(e)
	}
	row.PutMax(text, it.text, row.Left()-tail)
	if e != "" {
		row.Skip(1).PutMax(p.st.Muted, e, row.Left()-margin)
	}
	return row.String()
}
