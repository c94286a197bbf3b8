package delegate

import (
	"strings"
	"time"

	"hermes-tui/agent/event"
)

// Signs of progress are looked for this often, and at least so often within the
// shortest limit.
const (
	beatEvery = 30 * time.Second
	beatsIn   = 15
	beatMin   = time.Millisecond
)

// beat is the longest time between two looks, 0 when nothing is to be looked for.
func (l Limits) beat() time.Duration {
	d := time.Duration(0)
	shorten := func(t time.Duration) {
		if t > 0 && (d == 0 || t < d) {
			d = t
		}
	}
	shorten(l.Timeout)
	shorten(l.Idle / beatsIn)
	shorten(l.InTool / beatsIn)
	if l.Timeout <= 0 && l.Idle <= 0 && l.InTool <= 0 {
		return 0
	}
	return min(max(d, beatMin), beatEvery)
}

// watchProgress looks for signs of progress as long as there are subagents.
func (r *Registry) watchProgress() {
	every := r.o.Limits.beat()
	if r.pulse != nil || every == 0 {
		return
	}
	quiet := make(chan struct{})
	r.pulse = quiet
	r.running++
	go func() {
		defer r.leave()
		for {
			select {
			case <-r.o.After(r.checkProgress(every)):
			case <-quiet:
				return
			}
		}
	}()
}

// checkProgress ends the subagents whose time is over. It returns when to checkProgress again.
func (r *Registry) checkProgress(every time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, next := r.o.IDs.Now(), every
	for _, m := range r.live {
		if !m.hasSlot || m.closing {
			continue
		}
		worked := m.work.read(now)
		if m.sign.Swap(false) {
			m.mark = worked
		}
		left, why, limit := r.o.Limits.left(m, worked)
		switch {
		case why == "":
		case left <= 0:
			r.end(m, event.AgentTimeout, why, why.after(limit))
		case !m.held:
			next = min(next, left)
		}
	}
	return max(next, beatMin)
}

// left is what is left of the limit that an agent comes to first. The reason is
// empty when there is none.
func (l Limits) left(m *Member, worked time.Duration) (left time.Duration, why Why, limit time.Duration) {
	if l.Timeout > 0 {
		left, why, limit = l.Timeout-worked, TooLong, l.Timeout
	}
	quiet := l.Idle
	if m.tools.Load() > 0 {
		quiet = l.InTool
	}
	if rest := quiet - (worked - m.mark); quiet > 0 && (why == "" || rest < left) {
		left, why, limit = rest, NoSign, quiet
	}
	return left, why, limit
}

// after says what a limit was.
func (w Why) after(limit time.Duration) string {
	if w == NoSign {
		return string(w) + " for " + spoken(limit)
	}
	return string(w) + ", which is " + spoken(limit)
}

// spoken writes a duration without parts that are nothing: 7m30s, 20m, 1h.
func spoken(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}
