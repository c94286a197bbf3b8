package prompt

import (
	"time"

	"hermes-tui/agent/event"
)

// Quiet is how long no key may be pressed before a request takes keys by itself.
const Quiet = 400 * time.Millisecond

// arming decides when the current request takes keys.
type arming struct {
	armed bool
	// drawn is set once the request was on the screen.
	drawn bool
	// fresh is set until the time is known at which the request appeared.
	fresh bool
	// covered is set while something hides the panel.
	covered bool
	// since is the begin of the quiet time: the newest key, or when the request
	// appeared.
	since time.Time
	// empty reports whether the draft was empty when it was last told.
	empty bool
	// later holds the requests that were put off. Only tab arms them.
	later map[event.RequestID]bool
}

func newArming() arming { return arming{later: map[event.RequestID]bool{}} }

// begin starts again, for another request or for one that comes into sight again.
func (a *arming) begin() { a.armed, a.drawn, a.fresh = false, false, true }

// Cover says whether something hides the panel: a window in front of it, or a screen
// that is too small for it. A request that is hidden takes no keys and does not count
// as seen; once it is in sight again it has to be armed again.
func (p *Panel) Cover(covered bool) {
	if covered != p.arming.covered {
		p.arming.covered = covered
		p.arming.begin()
	}
}

func (a *arming) forget(here map[event.RequestID]bool) {
	for id := range a.later {
		if !here[id] {
			delete(a.later, id)
		}
	}
}

// Observe tells the panel what goes on. The root calls it after [Panel.Sync] and
// after an answer, for every key, mouse button and paste, whenever the draft
// becomes empty or does not stay so, and at the time of [Panel.ArmAt]. A key
// never arms: it begins the quiet time again. So does the first call after a
// request came into sight. When the draft begins to be written, an armed request
// gives the keys back.
func (p *Panel) Observe(now time.Time, key, draftEmpty bool) {
	a := &p.arming
	p.now = now
	if a.armed && a.empty && !draftEmpty {
		a.armed = false
	}
	a.empty = draftEmpty
	if a.fresh || key {
		a.fresh, a.since = false, now
	}
	if at, ok := p.ArmAt(); ok && !key && !now.Before(at) {
		a.armed = a.drawn
		a.since = now // where there was no room to draw it, the time begins again
	}
}

// ArmAt is when the request on the screen will take keys, if nothing happens
// until then. There is no such time while it does already, while it is covered or the
// draft is not empty, and for a request that was put off.
func (p *Panel) ArmAt() (time.Time, bool) {
	a := &p.arming
	if !p.Active() || a.armed || a.fresh || a.covered || !a.empty || a.later[p.current] {
		return time.Time{}, false
	}
	return a.since.Add(Quiet), true
}

// Armed reports whether the request on the screen takes keys. While it is false,
// no verb does anything but [Panel.Arm] and those that scroll.
func (p *Panel) Armed() bool { return p.Active() && p.arming.armed && p.arming.drawn }

// Arm lets the request on the screen take keys at once; it is what tab does. It
// does nothing before the request was drawn. When all that wait were put off, a new
// round begins.
func (p *Panel) Arm() {
	if !p.Active() || !p.arming.drawn {
		return
	}
	p.arming.armed = true
	if len(p.arming.later) >= len(p.waiting) && p.other() == "" {
		clear(p.arming.later)
	}
	delete(p.arming.later, p.current)
}

// Recall takes back that the request on the screen was put off: it is armed by quiet
// again.
func (p *Panel) Recall() { delete(p.arming.later, p.current) }

// Disarm gives the keys back to the draft; it is for text that
// [Panel.Takes] does not take. Quiet with an empty draft arms again.
func (p *Panel) Disarm() { p.arming.armed = false }
