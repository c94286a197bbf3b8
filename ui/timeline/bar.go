package timeline

import (
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
	"hermes-tui/ui/term"
)

// kind says what an agent does at a time.
type kind uint8

// The kinds of time. What is later in the list is shown where two share a cell
// evenly.
const (
	nothing kind = iota
	model        // the model answers, or is asked to
	tool         // a call runs
	queued
	paused
	lock // waits, but not for the user
	asks // waits for the user
	kinds
)

// bar is what the timeline shows of an agent.
type bar struct {
	sp      event.Spawned // times, state and figures
	guide   string
	name    string
	problem string // why it failed
	summary string // what it reported
	model   string
	usage   event.Usage

	start, end int64 // of the bar; end is 0 while it grows
	began      int64 // left the queue, 0 for never
	placed     time.Duration
	diary      *diary
}

// newBar takes what a bar needs of an agent.
func newBar(a *event.Agent, guide string, d *diary) bar {
	d.read(a.Blocks)
	b := bar{
		sp: event.Spawned{
			Agent: a.ID, State: a.State, On: a.On, Tools: a.Tools,
			Started: a.Started, Ended: a.Ended, Held: a.Held, HeldFrom: a.HeldFrom,
		},
		guide: guide, name: nameOf(a), problem: firstLine(a.Error), summary: firstLine(a.Summary), model: a.Model, usage: a.Usage,
		start: nanos(a.Started), diary: d,
	}
	if a.State.Ended() {
		b.end = max(nanos(a.Ended), b.start)
	}
	b.began = began(a, d, b.start)
	if b.began > 0 {
		b.placed = time.Duration(b.began - b.start)
	}
	if b.placed+d.asked.total() <= a.Held { // else it was not the user who answered
		b.placed += d.asked.total()
	} else if len(d.asked) > 0 {
		b.diary = &diary{tools: d.tools, recent: d.recent, open: d.open}
	}
	return b
}

// began is when an agent left the queue: with its first turn, or, before that has
// started, when it stopped being held. It is 0 for one that never did.
func began(a *event.Agent, d *diary, start int64) int64 {
	at := start + int64(max(a.Held, 0))
	switch {
	case start == 0:
		return 0
	case a.Turns == 1 && !a.TurnStarted.IsZero():
		at = min(at, nanos(a.TurnStarted))
	case a.Turns > 1 && d.first > 0:
		at = min(at, d.first)
	case a.Turns > 1:
		at = start
	case a.State == event.AgentQueued || a.State.Ended():
		return 0
	}
	return max(at, start)
}

// nameOf returns the name of an agent, made safe.
func nameOf(a *event.Agent) string {
	if name := strings.TrimSpace(term.Line(shorten.Bytes(a.Name(), nameBytes))); name != "" {
		return name
	}
	return a.Kind()
}

// nameBytes bounds what is looked at of a text that is shown in one row.
const nameBytes = 600

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(shorten.Bytes(strings.TrimSpace(s), nameBytes)), "\n")
	return strings.TrimSpace(term.Line(s))
}

// until is where the bar ends.
func (b *bar) until(now int64) int64 {
	if b.end > 0 {
		return b.end
	}
	return max(now, b.start)
}

// refused reports whether the agent was asked for and not started.
func (b *bar) refused() bool { return b.sp.State == event.AgentRefused }

// at is the state of the agent at a moment, as far as it is known. Before it was
// asked for it has none. The second result is what it waits for.
func (b *bar) at(t int64) (event.AgentState, string) {
	switch {
	case b.start == 0 || t < b.start:
		return "", ""
	case b.refused(), b.end > 0 && t >= b.end:
		return b.sp.State, ""
	case b.began == 0 || t < b.began:
		return event.AgentQueued, ""
	}
	if from := nanos(b.sp.HeldFrom); from > 0 && t >= from {
		return b.sp.State, b.sp.On
	}
	if i := b.diary.asked.after(t); i < len(b.diary.asked) && b.diary.asked[i].from <= t {
		return event.AgentWaiting, string(event.RequestClarify)
	}
	return event.AgentRunning, ""
}

// worked is how long the agent had worked at a moment, without what is known of
// the time it was held. now is the time of the state.
func (b *bar) worked(t int64, now time.Time) time.Duration {
	all := b.sp.Elapsed(now)
	if b.began == 0 || t < b.began {
		return 0
	}
	if b.end > 0 && t >= b.end {
		return all
	}
	if from := nanos(b.sp.HeldFrom); from > 0 {
		t = min(t, from)
	}
	spent := time.Duration(t - b.began)
	for _, s := range b.diary.asked {
		spent -= time.Duration(s.overlap(b.began, t))
	}
	return min(max(spent, 0), all)
}

// held is for how long the agent was held until now.
func (b *bar) held(now time.Time) time.Duration {
	h := b.sp.Held
	if !b.sp.HeldFrom.IsZero() {
		h += max(now.Round(0).Sub(b.sp.HeldFrom.Round(0)), 0)
	}
	return h
}

// holding is the kind of time that passes while the agent is held as it is now.
func (b *bar) holding() kind {
	switch b.sp.State {
	case event.AgentQueued:
		return queued
	case event.AgentWaiting:
		if _, person := Word(b.sp.State, b.sp.On); person {
			return asks
		}
		return lock
	}
	return paused
}

// paint says for each cell what fills most of it. Cell i stands for the time from
// from+i*per to from+(i+1)*per; what is after now is not there yet.
func (b *bar) paint(cells []kind, from, per, now int64) {
	clear(cells)
	if b.start == 0 || b.refused() {
		return
	}
	end := min(b.until(now), now)
	tools, recent := cursor{list: b.diary.tools}, cursor{list: b.diary.recent}
	asked := cursor{list: b.diary.asked}
	tools.seek(from)
	recent.seek(from)
	asked.seek(from)
	hold := nanos(b.sp.HeldFrom)
	for i := range cells {
		lo := from + int64(i)*per
		hi := lo + per
		life := span{b.start, end}
		part := life.overlap(lo, hi)
		if part == 0 {
			if end-b.start <= 0 && b.start >= lo && b.start < hi && b.start <= now {
				cells[i] = b.shortest() // what has no length is shown all the same
			}
			continue
		}
		lo, hi = max(lo, b.start), min(hi, end)
		var sum [kinds]int64
		switch {
		case b.began == 0:
			sum[queued] = part
		default:
			sum[queued] = span{b.start, b.began}.overlap(lo, hi)
		}
		if hold > 0 && b.began > 0 {
			sum[b.holding()] += span{hold, end}.overlap(lo, hi)
		}
		sum[asks] += asked.overlap(lo, hi)
		busy := tools.overlap(lo, hi) + recent.overlap(lo, hi)
		for _, at := range b.diary.open {
			busy = max(busy, span{at, end}.overlap(lo, hi))
		}
		sum[tool] = min(busy, max(part-sum[queued]-sum[paused]-sum[lock]-sum[asks], 0))
		sum[model] = max(part-sum[queued]-sum[tool]-sum[paused]-sum[lock]-sum[asks], 0)
		best := model
		for k := model; k < kinds; k++ {
			if sum[k] >= sum[best] && sum[k] > 0 {
				best = k
			}
		}
		cells[i] = best
	}
}

// shortest is the kind of a bar without a length.
func (b *bar) shortest() kind {
	if b.began != b.start {
		return queued
	}
	return model
}

// cursor walks over stretches of time.
type cursor struct {
	list spans
	at   int
}

func (c *cursor) seek(from int64) { c.at = c.list.after(from) }

// overlap is how much of the stretches lies between two moments. The moments must
// not go back.
func (c *cursor) overlap(from, to int64) int64 {
	var sum int64
	for c.at < len(c.list) && c.list[c.at].to <= from {
		c.at++
	}
	for k := c.at; k < len(c.list) && c.list[k].from < to; k++ {
		sum += c.list[k].overlap(from, to)
	}
	return sum
}
