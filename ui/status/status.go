package status

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

// Status is what the status row shows. It is comparable.
type Status struct {
	Phase event.Phase
	// Detail is the phase's: the host connected to, the reason of a retry, what
	// blocks the store.
	Detail string
	// Host is where requests go, for a phase that does not name it.
	Host  string
	State event.AgentState
	// Waiting is set while a question waits for the user.
	Waiting bool
	// Elapsed is how long the turn has been running, Quiet how long the model has
	// brought nothing new, 0 when that is not worth a word.
	Elapsed, Quiet time.Duration
	// Calls of Budget model calls are used; 0 when there are plenty left.
	Calls, Budget int
	// RetryIn is the time until the next attempt, the number of which is Attempt
	// of Attempts. Zero numbers are unknown.
	RetryIn           time.Duration
	Attempt, Attempts int
	// Rate is in tokens per second; 0 hides it.
	Rate int
	// Input and Output count the tokens sent and received so far.
	Input, Output int64
	// Cost is what everything cost so far, as [Cost] writes it; empty hides it.
	Cost string
	// Cache is what the prompt cache gave for the root's newest call.
	Cache Cache
	// Segment is what the user's own command adds.
	Segment string
	// Agents counts the subagents that have not ended.
	Agents int
	// Full is how much of the context window of the root is used, in percent; 0
	// hides it.
	Full int
	// Queue counts the texts that wait for their turn.
	Queue int
	// Jobs counts the background jobs that run, Others the sessions that go on
	// unseen.
	Jobs, Others int
	// Back reports whether the second hint is the way back, which stays longer than what waits.
	Back bool
	// Note, when set, stands in the place of everything about the turn: one short
	// sentence for the user.
	Note  string
	Warns bool // Note is about something that went wrong, or needs a look
	// Frame is the frame of the animation.
	Frame int
}

// Read takes from the state what the status row shows of it. Rate, note and
// frame are the caller's to add.
func Read(s *event.State, now time.Time) Status {
	u := s.Usage()
	d := Status{
		Host: s.Model.Host, Waiting: len(s.Requests) > 0, Queue: len(s.Queue),
		Input: u.Prompt(), Output: u.Output, Cost: format.CostBrief(u), Agents: len(s.Live()),
	}
	for _, j := range s.Jobs {
		if j.State == event.JobRunning || j.State == event.JobDetached {
			d.Jobs++
		}
	}
	a := s.Root()
	if a == nil {
		return d
	}
	d.Phase, d.Detail, d.State = a.Phase, a.Detail, a.State
	d.Cache = CacheOf(a, now)
	if c := a.Context; c.Max > 0 {
		d.Full = min(c.Used*100/c.Max, 999)
	}
	if a.Turn != "" {
		d.Elapsed = max(now.Sub(a.TurnStarted), 0).Truncate(time.Second)
		d.Quiet = quiet(a, now)
		if a.Calls*4 >= a.Budget*3 {
			d.Calls, d.Budget = a.Calls, a.Budget
		}
	}
	if r := a.Retry; r != nil {
		d.Attempt, d.Attempts = r.Attempt, r.Max
		d.RetryIn = max(r.Until.Sub(now), 0)
		if left := d.RetryIn % time.Second; left > 0 {
			d.RetryIn += time.Second - left // a countdown that has begun a second shows it
		}
	}
	return d
}

// quietAfter is how long a model may bring nothing new before it is mentioned.
const quietAfter = 20 * time.Second

// quiet is how long the model has brought nothing new, 0 when that is not worth
// a word.
func quiet(a *event.Agent, now time.Time) time.Duration {
	switch a.Phase {
	case event.PhaseConnecting, event.PhaseWaiting, event.PhaseReasoning, event.PhaseAnswering, event.PhaseDrafting:
		if d := now.Sub(a.Active); d >= quietAfter {
			return d.Truncate(time.Second)
		}
	}
	return 0
}

// Hint reminds of a key: "esc interrupt".
type Hint struct {
	Key, Text string
	// Entry says that the key does something with the marked entry of a list.
	Entry bool
}

// Row draws the status row. Hints come in the order of their importance.
//
// When not all of it fits, parts yield in this order: the meter of the context, how full it is while
// that is below half, how long the cache is warm, its hit rate unless that is a
// warning, hints from the last to the second, what the user's command adds, the cost, how full the context is
// unless that is a warning, the cache's warning, the tokens, the context's warning,
// the rate, the first hint, the queue; then the words are cut. A way back stays with the first
// hint.
func Row(st *rows.Styles, w int, d Status, hints []Hint) string {
	p := newStatusParts(st, &d, hints)
	p.fit(w)
	row := cells.NewRow(w)
	row.Skip(1).Put(p.words.style, p.words.glyph).Skip(1)
	row.PutMax(p.words.style, p.words.text, w-4)
	if p.rate != "" {
		row.Put(st.Faint, separator).Put(st.Muted, p.rate)
	}
	for _, h := range p.hints {
		row.Put(st.Faint, separator).Put(st.Muted, h.Key+" ").Put(st.Faint, h.Text)
	}
	if right := p.right(); right > 0 {
		row.Until(right + 1)
		for i, part := range p.rightParts(st) {
			if i > 0 {
				row.Put(st.Faint, separator)
			}
			row.Put(part.style, part.text)
		}
	}
	return row.String()
}

const separator = " · "

// From how many percent on the use of a context window is worth a look, a warning, and
// one that there is hardly room left.
const (
	halfFull  = 50
	mostFull  = 80
	almostAll = 95
)

// meterCells is how long the meter of the context is.
const meterCells = 5

// contextMeter draws how much of the context is used.
func contextMeter(percent int) string {
	on := min((percent*meterCells+50)/100, meterCells)
	return strings.Repeat("▓", on) + strings.Repeat("░", meterCells-on)
}

// statusParts are the parts of the status row that are shown.
type statusParts struct {
	words         words
	rate          string
	hints         []Hint
	queue, tokens string
	cache, warm   string
	missed        bool // the cache's part is a warning
	cost          string
	segment       string
	context       string
	meter         string // the part of it that is drawn
	back          bool   // the second hint stays longer than what waits
	roomy, full   bool   // the context is not half full, or is a warning
	contextStyle  rows.Style
}

func newStatusParts(st *rows.Styles, d *Status, hints []Hint) *statusParts {
	p := &statusParts{words: d.words(st), hints: make([]Hint, len(hints)), back: d.Back, segment: term.Line(d.Segment)}
	for i, h := range hints {
		p.hints[i] = Hint{Key: term.Line(h.Key), Text: term.Line(h.Text)}
	}
	if p.words.rate && d.Rate > 0 {
		p.rate = strconv.Itoa(d.Rate) + " tok/s"
	}
	var waits []string
	others, agents := " other session", " agent"
	if d.Others > 1 {
		others += "s"
	}
	if d.Agents > 1 {
		agents += "s"
	}
	for _, n := range []struct {
		n    int
		what string
	}{{d.Queue, " queued"}, {d.Jobs, " ⚙"}, {d.Agents, agents}, {d.Others, others}} {
		if n.n > 0 {
			waits = append(waits, strconv.Itoa(n.n)+n.what)
		}
	}
	if len(waits) > 0 {
		p.queue = strings.Join(waits, separator)
	}
	if d.Input > 0 || d.Output > 0 {
		p.tokens = format.Tokens(d.Input) + " in " + format.Tokens(d.Output) + " out"
	}
	p.cost = d.Cost
	if d.Full > 0 {
		p.meter = contextMeter(d.Full) + " "
		p.roomy, p.full = d.Full < halfFull, d.Full >= mostFull
		p.context, p.contextStyle = "context "+p.meter+strconv.Itoa(d.Full)+"%", st.Muted
		switch {
		case d.Full >= almostAll:
			p.context, p.contextStyle = "⚠ "+p.context+", almost full", st.Bad
		case p.full:
			p.context, p.contextStyle = "⚠ "+p.context, st.Warn
		case !p.roomy:
			p.contextStyle = st.Text
		}
	}
	p.cache, p.warm = d.Cache.words()
	p.missed = d.Cache.Missed
	return p
}

// statusPart is a part on the right.
type statusPart struct {
	text  string
	style rows.Style
}

// rightParts are what stands on the right.
func (p *statusParts) rightParts(st *rows.Styles) []statusPart {
	cache := st.Muted
	if p.missed {
		cache = st.Warn
	}
	list := make([]statusPart, 0, 7)
	for _, part := range [...]statusPart{{p.segment, st.Muted}, {p.queue, st.Warn}, {p.cache, cache}, {p.warm, st.Muted}, {p.context, p.contextStyle}, {p.cost, st.Muted}, {p.tokens, st.Muted}} {
		if part.text != "" {
			list = append(list, part)
		}
	}
	return list
}

// right is the width of what stands on the right.
func (p *statusParts) right() int {
	n := -rows.Width(separator)
	for _, text := range [...]string{p.segment, p.queue, p.cache, p.warm, p.context, p.cost, p.tokens} {
		if text != "" {
			n += rows.Width(separator) + rows.Width(text)
		}
	}
	return max(n, 0)
}

// width is how many cells the row needs: a margin on both sides and a blank
// before what stands on the right.
func (p *statusParts) width() int {
	n := 1 + rows.Width(p.words.glyph) + 1 + rows.Width(p.words.text) + 1
	if p.rate != "" {
		n += rows.Width(separator) + len(p.rate)
	}
	for _, h := range p.hints {
		n += rows.Width(separator) + rows.Width(h.Key) + 1 + rows.Width(h.Text)
	}
	if right := p.right(); right > 0 {
		n += 1 + right
	}
	return n
}

// fit drops parts until the rest fits into w cells.
func (p *statusParts) fit(w int) {
	for p.width() > w {
		switch {
		case p.meter != "":
			p.context, p.meter = strings.Replace(p.context, p.meter, "", 1), ""
		case p.context != "" && p.roomy:
			p.context = ""
		case p.warm != "":
			p.warm = ""
		case p.cache != "" && !p.missed:
			p.cache = ""
		case len(p.hints) > 1 && !p.back, len(p.hints) > 2:
			p.hints = p.hints[:len(p.hints)-1]
		case p.segment != "":
			p.segment = ""
		case p.cost != "":
			p.cost = ""
		case p.context != "" && !p.full:
			p.context = ""
		case p.cache != "":
			p.cache = ""
		case p.tokens != "":
			p.tokens = ""
		case p.context != "":
			p.context = ""
		case p.rate != "":
			p.rate = ""
		case p.back && p.queue != "":
			p.queue = ""
		case len(p.hints) > 0:
			p.hints = nil
		case p.queue != "":
			p.queue = ""
		default:
			return
		}
	}
}

// Bars remembers the newest title row and the newest status row, so that a frame
// in which nothing of them changed costs a comparison. The zero value is not
// ready, see [NewBars].
type Bars struct {
	st *rows.Styles

	titleWidth int
	title      Title
	titleRow   string

	statusWidth int
	status      Status
	hints       []Hint
	statusRow   string
}

// NewBars makes a memory for the two rows.
func NewBars(st *rows.Styles) *Bars { return &Bars{st: st} }

// SetStyles changes the colours.
func (b *Bars) SetStyles(st *rows.Styles) { *b = Bars{st: st} }

// Title is [TitleRow].
func (b *Bars) Title(w int, d Title) string {
	if b.titleRow == "" || b.titleWidth != w || b.title != d {
		b.titleWidth, b.title, b.titleRow = w, d, TitleRow(b.st, w, d)
	}
	return b.titleRow
}

// Status is [Row].
func (b *Bars) Status(w int, d Status, hints []Hint) string {
	if b.statusRow == "" || b.statusWidth != w || b.status != d || !slices.Equal(b.hints, hints) {
		b.statusWidth, b.status, b.hints = w, d, slices.Clone(hints)
		b.statusRow = Row(b.st, w, d, hints)
	}
	return b.statusRow
}
