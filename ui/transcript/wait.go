package transcript

import (
	"maps"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// SetRequests tells what the questions to the user are about that are open, so
// that a call can say what it waits for. The slice is not kept.
func (v *View) SetRequests(list []event.Request) {
	asked := make(map[event.RequestID]event.RequestKind, len(list))
	for i := range list {
		asked[list[i].ID] = list[i].Kind
	}
	if !maps.Equal(asked, v.asked) {
		v.asked = asked
		v.changed()
	}
}

// kindOf is what kind of question a call waits for; one that was not told of is
// guessed, as far as the call allows.
func (v *View) kindOf(c *event.Call) event.RequestKind {
	if kind, ok := v.asked[c.Asked]; ok {
		return kind
	}
	if c.View.Kind == event.ViewClarify {
		return event.RequestClarify
	}
	return ""
}

// waitsFor says in a row of w cells that the user has to do something.
func waitsFor(kind event.RequestKind, w int) string {
	if words, ok := format.Needs(string(kind)); ok && w >= roomy {
		return words
	}
	return "needs you"
}

const (
	// slow is from when on a call says that it has put out nothing.
	slow = 10 * time.Second
	// roomy is from how many cells on a row has room to say in full what it waits
	// for, tight below how many it has none for it.
	roomy, tight = 48, 36
)

// waits says what a call at work waits for, as far as that is known: its
// subagents, or output that does not come. It is empty when there is nothing to
// say.
func (v *View) waits(c *event.Call, w int) string {
	if n := len(c.Agents); n > 0 {
		live := 0
		for _, a := range c.Agents {
			if !a.State.Ended() {
				live++
			}
		}
		switch {
		case live == 0:
			return ""
		case w < roomy:
			return itoa(live) + " of " + itoa(n)
		case live == n:
			return "waits for " + format.Count(n, "agent", "agents")
		}
		return "waits for " + itoa(live) + " of " + format.Count(n, "agent", "agents")
	}
	d := v.quiet(c)
	switch {
	case d < slow, w < tight:
		return ""
	case w < roomy:
		return "quiet " + format.Elapsed(d)
	}
	return "no output for " + format.Elapsed(d)
}

// quiet is since when a call has put out nothing, 0 when that means nothing: it
// puts nothing out while it runs, waits for a call of its own, or was not listened to.
func (v *View) quiet(c *event.Call) time.Duration {
	if k := c.View.Kind; k != event.ViewCommand && k != event.ViewCode && c.Tail.Len() == 0 {
		return 0
	}
	for i := range c.Calls {
		if !c.Calls[i].Ended {
			return 0
		}
	}
	return v.since(v.heard[c.ID].at)
}

// heard is how much a call has put out, in bytes, and since when it is no more
// than that; a zero time is not known yet.
type heard struct {
	out   int64
	asked bool
	at    time.Time
}

// earshot is how far from the end of the transcript calls are listened to, in
// blocks: those at work are never far from it.
const earshot = 256

// hear notes what the calls among blocks that changed have put out. were are the
// blocks that stood in their place.
func (v *View) hear(were, are []*event.Block) {
	var before map[event.CallID]heard
	for _, b := range were[max(len(were)-earshot, 0):] {
		if b.Call == nil {
			continue
		}
		if h, ok := v.heard[b.Call.ID]; ok {
			if before == nil {
				before = map[event.CallID]heard{}
			}
			before[b.Call.ID] = h
			delete(v.heard, b.Call.ID)
		}
	}
	for _, b := range are[max(len(are)-earshot, 0):] {
		if b.Call == nil || b.Call.Stage != event.CallRunning {
			continue
		}
		c := b.Call
		h := heard{out: c.Shed + int64(c.Tail.Len()), asked: c.Asked != ""}
		switch old, ok := before[c.ID]; {
		case ok && old.out == h.out && old.asked == h.asked:
			h.at = old.at
		case !ok && h.out == 0:
			h.at = c.Started
		case !v.now.IsZero():
			h.at = v.now
			if c.Started.After(h.at) {
				h.at = c.Started
			}
		}
		v.heard[c.ID] = h
	}
}

// listen takes the present for the times that were not known.
func (v *View) listen() {
	for id, h := range v.heard {
		if h.at.IsZero() {
			h.at = v.now
			v.heard[id] = h
		}
	}
}
