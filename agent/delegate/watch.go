package delegate

import (
	"time"

	"hermes-tui/agent/event"
)

// stamp is a reading of a watch.
type stamp = time.Duration

// watch is a stop-watch.
type watch struct {
	before time.Duration // until it was stopped last
	from   time.Time     // zero while it stands still
}

// run starts or stops the watch.
func (w *watch) run(on bool, now time.Time) {
	switch {
	case on && w.from.IsZero():
		w.from = now
	case !on:
		w.before, w.from = w.read(now), time.Time{}
	}
}

func (w *watch) read(now time.Time) stamp {
	if w.from.IsZero() {
		return w.before
	}
	return w.before + max(now.Sub(w.from), 0)
}

// countTime decides whether the time of a subagent counts, after something that this
// depends on has changed, and the time of those above it, which stand still while
// all that they wait for does. The time that is reported is that of
// [event.Agent.Elapsed]. For the limits all time does not count in which the user
// is asked, even while the agent is about to pause.
func (r *Registry) countTime(m *Member) {
	now := r.o.IDs.Now()
	for m.parent != nil {
		busy := m.hasSlot && m.state != event.AgentPaused
		m.own.run(busy && (m.asking == 0 || m.state != event.AgentRunning), now)
		held := !busy || m.asking > 0 || len(m.below) > 0 && m.heldBelow == len(m.below)
		m.work.run(!held, now)
		if held == m.held {
			return
		}
		m.held = held
		if m = m.parent; held {
			m.heldBelow++
		} else {
			m.heldBelow--
		}
	}
}
