package overlay

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Job is a row of [Jobs].
type Job struct {
	ID, Command, Dir string
	// State says how it stands, in a word or two; Good and Bad colour it.
	State     string
	Good, Bad bool
	// Running reports whether it can be ended.
	Running bool
	// Spent is for how long it has been running, or ran.
	Spent string
}

// KillJob asks to kill a job.
type KillJob struct{ Job Job }

// OpenJob asks to show what a job has put out.
type OpenJob struct{ Job Job }

// MarkedJob says that another job may be marked.
type MarkedJob struct{}

// Jobs lists background jobs and shows what the marked one has put out last. The
// zero value is not ready, see [NewJobs].
type Jobs struct {
	Silent
	st       *rows.Styles
	hints    []status.Hint
	list     []Job
	selected int
	top      int

	of   string // the job that the output is of
	tail string
	raw  string // the same as it came
}

var _ Box = (*Jobs)(nil)

// NewJobs makes an empty list.
func NewJobs(st *rows.Styles, hints []status.Hint) *Jobs { return &Jobs{st: st, hints: hints} }

// SetStyles implements [Box].
func (j *Jobs) SetStyles(st *rows.Styles) { j.st = st }

// SetJobs replaces the list. The selection stays with its job.
func (j *Jobs) SetJobs(list []Job) {
	was, had := j.Selected()
	j.list = list
	for i := range list {
		b := &list[i]
		b.Command, b.Dir, b.State = term.Line(b.Command), term.Line(b.Dir), term.Line(b.State)
	}
	j.selected = max(min(j.selected, len(list)-1), 0)
	if i := slices.IndexFunc(list, func(x Job) bool { return had && x.ID == was.ID }); i >= 0 {
		j.selected = i
	}
}

// Selected is the marked job.
func (j *Jobs) Selected() (Job, bool) {
	if j.selected >= len(j.list) {
		return Job{}, false
	}
	return j.list[j.selected], true
}

// SetTail delivers the newest output of a job. It is dropped when another one is
// marked by then. It reports whether there is something new to show.
func (j *Jobs) SetTail(id, text string) bool {
	at, ok := j.Selected()
	if !ok || at.ID != id || j.of == id && j.raw == text {
		return false
	}
	j.of, j.raw, j.tail = id, text, term.Sanitize(term.CarriageReturns(text))
	return true
}

// Running reports whether a job of the list still runs.
func (j *Jobs) Running() bool {
	return slices.ContainsFunc(j.list, func(b Job) bool { return b.Running })
}

// SetHints changes the reminders of keys.
func (j *Jobs) SetHints(hints []status.Hint) { j.hints = hints }

// Size implements [Box]: nearly the whole screen, as soon as there is a job whose
// output takes the room.
func (j *Jobs) Size(w, h int) (bw, bh int) {
	if bw, bh = Most(w, h); len(j.list) == 0 {
		bh = min(bh, leastHeight)
	}
	return bw, bh
}

// Move implements [Box].
func (j *Jobs) Move(m Move) Request {
	j.selected = m.From(j.selected, len(j.list), 5)
	return MarkedJob{}
}

// Contexts are where keys of the table have a meaning here besides those of any window.
func (j *Jobs) Contexts() []keys.Context { return []keys.Context{keys.InJobs} }

// Act implements [Box].
func (j *Jobs) Act(a keys.Action) Request {
	switch at, ok := j.Selected(); {
	case !ok:
	case a == keys.Kill:
		return KillJob{at}
	case a == keys.Accept, a == keys.Open:
		return OpenJob{at}
	}
	return nil
}

// Name is what the window is called where another one leads back to it.
func (j *Jobs) Name() string { return "the jobs" }

// Rows implements [Box].
func (j *Jobs) Rows(dst []string, w, h int) []string {
	if h < 4 || w < edges+8 {
		return rows.Fill(dst, len(dst), max(h, 0), w)
	}
	listed := max(min(len(j.list), (h-3)/3), 1)
	f := NewFrame(j.st, dst, w, h)
	f.Top("Background jobs", j.count(listed))
	j.rows(f, listed)
	if f.Left() > 1 {
		f.Divide()
	}
	j.output(f)
	return f.Bottom(j.hints)
}

// count says how many jobs run, and which one is marked when not all are in sight.
func (j *Jobs) count(listed int) string {
	n := 0
	for _, b := range j.list {
		if b.Running {
			n++
		}
	}
	text := strconv.Itoa(n) + " running"
	if len(j.list) > listed {
		text = strconv.Itoa(j.selected+1) + " of " + strconv.Itoa(len(j.list)) + " · " + text
	}
	return text
}

// rows adds n rows of the list.
func (j *Jobs) rows(f *Frame, n int) {
	if len(j.list) == 0 {
		f.Say(j.st.Muted, "Nothing runs in the background.")
		return
	}
	j.top = max(min(j.top, j.selected), j.selected-n+1)
	j.top = max(min(j.top, len(j.list)-n), 0)
	for i := j.top; i < j.top+n; i++ {
		f.Add(j.row(&j.list[i], i == j.selected, f.w-2))
	}
}

func (j *Jobs) row(b *Job, marked bool, w int) string {
	mark, style := "  ", j.st.Text
	if marked {
		mark, style = "▸ ", j.st.Strong
	}
	state := j.st.Muted
	switch {
	case b.Good:
		state = j.st.Good
	case b.Bad:
		state = j.st.Bad
	}
	left := j.st.Accent.Render(mark) + style.Render(cells.Cut(b.Command, max(w-4, 0)))
	if b.Dir != "" {
		left += j.st.Faint.Render("  " + b.Dir)
	}
	return rows.Between(" "+left, state.Render(b.State)+" "+j.st.Muted.Render(b.Spent)+" ", w)
}

// output fills the window with the end of what the marked job has put out.
func (j *Jobs) output(f *Frame) {
	at, ok := j.Selected()
	var lines []string
	switch {
	case !ok:
	case at.ID != j.of:
		lines = []string{j.st.Muted.Render("One moment …")}
	case strings.TrimSpace(j.tail) == "":
		text := "No output."
		if at.Running {
			text = "No output yet."
		}
		lines = []string{j.st.Muted.Render(text)}
	default:
		lines = lastRows(j.tail, max(f.Inner(), 1), max(f.Left(), 0))
	}
	for _, line := range lines[:min(len(lines), max(f.Left(), 0))] {
		f.Put(rows.Fit(line, f.Inner()))
	}
}

// lastRows wraps the end of a text and gives at most n rows of it.
func lastRows(text string, w, n int) []string {
	text = strings.TrimRight(text, "\n")
	lines := strings.Split(text, "\n")
	lines = lines[max(len(lines)-n, 0):]
	var all []string
	for _, l := range lines {
		all = rows.Wrap(all, rows.ExpandTabs(l), w)
	}
	return all[max(len(all)-n, 0):]
}
