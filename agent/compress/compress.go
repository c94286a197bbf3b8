package compress

import (
	"slices"

	"hermes-tui/providers"
)

// level is one degree of shortening. Everything before the newest messages it
// protects is shortened: results to one line, arguments to their beginnings.
type level struct {
	// keep is how many messages at the end are protected at least; as many more
	// are as have together no more than tail tokens.
	keep, tail int
	// preview is how many characters of a protected result stay, 0 for all.
	preview int
}

// few is how many messages are protected when the configured number is too many.
func (e *Engine) few() int { return max(3, min(e.c.ProtectLast, 8)) }

// levels are the degrees of shortening in the order they are tried.
func (e *Engine) levels(b Budget) []level {
	return []level{
		{keep: max(e.c.ProtectLast, e.few()), tail: b.Tail},
		{keep: e.few(), tail: b.Tail},
		{keep: e.few()},
		{keep: 3},
		{keep: 3, preview: 32_000},
		{keep: 3, preview: 8_000},
		{keep: 3, preview: 2_000},
	}
}

// Compress makes a history fit a budget. One that fits is returned as it is.
//
// Old results and arguments are shortened first; when that is not enough the
// oldest turns are left out, as few as possible; when even that is not enough,
// more is shortened. A result that fits without leaving out turns at one degree of
// shortening is taken before a stronger degree is tried. When all of the old is short
// and it is not enough, the newest turn is what is long: it begins again, and the
// oldest calls of that turn may be left out, too; in the end the newest results are
// cut. open are the tasks that are not done, one line each, which the notice in place
// of what is left out lists.
func (e *Engine) Compress(history []providers.Message, b Budget, open []string) Result {
	w := newWork(e, history, open)
	w.room = max(b.Summary, 0)
	if w.total <= b.History {
		return Result{History: history, Before: w.before, After: w.total, Fits: true}
	}
	goal, levels := b.History-w.attachedRoom(b), e.levels(b)
	old := slices.DeleteFunc(slices.Clone(w.span.units), func(u unit) bool { return u.late })
	first := levels
	if len(old) < len(w.span.units) {
		first = slices.DeleteFunc(slices.Clone(levels), func(l level) bool { return l.preview > 0 })
	}
	w.span.units = old
	if !w.reach(goal, first) && len(first) < len(levels) {
		again := newWork(e, history, open)
		again.room, again.lines, again.shorts = max(b.Summary, 0), w.lines, w.shorts
		w = again
		w.reach(goal, levels)
	}
	if w.total > b.History && w.shed == 0 {
		w.shed = w.most()
	}
	return w.result(b)
}

// reach shortens by one degree after the other and leaves units out until a size is
// reached, and reports whether it is.
func (w *work) reach(goal int, levels []level) bool {
	for _, l := range levels {
		w.shorten(l)
		if w.total <= goal {
			return true
		}
		if w.shed = w.enough(goal); w.shed > 0 {
			return true
		}
	}
	return false
}

// work is a compression under way.
type work struct {
	e    *Engine
	said marks
	open []string

	old      []providers.Message // as it was, not written to
	messages []providers.Message // as it becomes
	sizes    []int               // of messages
	before   int
	total    int

	calls   []providers.Call // by tool message, as it was
	newest  map[string]int   // the newest result of each tool
	results []bool           // shortened
	cut     []int            // calls with shortened arguments, by assistant message
	blind   []bool           // its images were left out
	final   []bool           // no further level changes it

	// What was made of messages: a line of a result, empty before it is made, and short
	// calls.
	lines  []string
	shorts []*shortCalls

	span span
	shed int // units to leave out
	room int // tokens for a summary of them
}

func newWork(e *Engine, history []providers.Message, open []string) *work {
	n := len(history)
	w := &work{
		e: e, said: marks{e.c.SaidOpen, e.c.SaidClose}, open: open, old: history, messages: slices.Clone(history),
		sizes: make([]int, n), calls: make([]providers.Call, n), newest: map[string]int{}, results: make([]bool, n), cut: make([]int, n), blind: make([]bool, n), final: make([]bool, n),
		lines: make([]string, n), shorts: make([]*shortCalls, n),
	}
	var group []providers.Call
	for i := range history {
		m := &history[i]
		w.sizes[i] = size(m)
		w.total += w.sizes[i]
		w.final[i] = m.Pinned
		if m.Role != providers.Tool {
			group = m.Calls
			continue
		}
		w.calls[i] = providers.Call{Name: m.CallName}
		if k := slices.IndexFunc(group, func(c providers.Call) bool { return c.ID == m.CallID }); k >= 0 {
			w.calls[i] = group[k]
		}
		w.newest[w.calls[i].Name] = i
	}
	w.before = w.total
	w.span = findSpan(history, e.c.ProtectFirst, e.few())
	return w
}

// replace puts a shortened message in the place of what is there.
func (w *work) replace(i int, m providers.Message) {
	w.messages[i] = m
	w.total -= w.sizes[i]
	w.sizes[i] = size(&m)
	w.total += w.sizes[i]
}

// result puts together what became of the history.
func (w *work) result(b Budget) Result {
	gone := make([]bool, len(w.messages))
	if w.shed > 0 {
		for n := range w.shed {
			if w.stays(n) {
				continue
			}
			for i := w.span.units[n].from; i < w.span.units[n].to; i++ {
				gone[i] = true
				w.total -= w.sizes[i]
			}
		}
		w.replace(w.span.anchor, w.withNotice(w.shed, w.record(gone)))
	}
	o := w.omitted(w.shed)
	r := Result{Before: w.before, After: w.total, Fits: w.total <= b.History, Turns: o.turns, Messages: o.messages}
	var left, past []providers.Message
	for i := range w.messages {
		if gone[i] {
			r.LeftOut, past = append(r.LeftOut, w.old[i].ID), append(past, w.old[i])
			continue
		}
		left = append(left, w.messages[i])
		if w.results[i] {
			r.Results++
		}
		if w.blind[i] {
			r.Images++
		}
		r.Arguments += w.cut[i]
		if w.results[i] || w.blind[i] || w.cut[i] > 0 || w.shed > 0 && i == w.span.anchor {
			r.Replaced = append(r.Replaced, w.messages[i])
		}
	}
	if w.shed > 0 && w.room > 0 {
		r.Past = Past{Earlier: w.earlier(), Messages: past, Room: w.room}
	}
	r.History = w.old
	if r.Changed() {
		r.History = left
		w.attach(&r, b.History-r.After)
	}
	return r
}
