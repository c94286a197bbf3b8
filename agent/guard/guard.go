package guard

import (
	"slices"
	"sync"

	"hermes-tui/tools"
)

// Guard watches the calls of one agent.
type Guard struct {
	config Config

	mu    sync.Mutex
	calls map[digest]*record
	order []digest // of calls, the oldest first
	// failed counts failures in a row by tool.
	failed map[string]int
	recent trail
	// acts counts successes that can have changed something.
	acts int
	// blocked counts blocked calls in a row.
	blocked int
	halted  Decision
}

// record is what is known of a call.
type record struct {
	failed bool
	result digest
	count  int // in a row with this result
	acts   int // Guard.acts when it ended
}

const (
	// mostCalls bounds how many different calls are remembered.
	mostCalls = 4096
	// mostBlocked is how many blocked calls in a row end the turn.
	mostBlocked = 3
)

// New makes a guard.
func New(c Config) *Guard {
	g := &Guard{config: c}
	g.Reset()
	return g
}

// Reset forgets everything, for a new turn.
func (g *Guard) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls, g.order, g.failed = map[digest]*record{}, nil, map[string]int{}
	g.recent, g.acts, g.blocked, g.halted = trail{}, 0, 0, Decision{}
}

// Halted gives the decision that ended the turn, if there was one.
func (g *Guard) Halted() (Decision, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.halted, g.halted.Kind == Halt
}

// Before decides whether a call may run: Allow, Block or Halt. Without hard stops
// it always may.
func (g *Guard) Before(c Call) Decision {
	if !g.config.HardStops {
		return Decision{}
	}
	sig := signature(c)
	g.mu.Lock()
	defer g.mu.Unlock()
	code, count := g.repeats(c, sig)
	if code == "" {
		return Decision{}
	}
	g.blocked++
	if g.blocked >= mostBlocked {
		return g.halt(Blocked, c.Tool, g.blocked)
	}
	return Decision{Block, code, count, stop(code, c.Tool)}
}

// repeats tells what a call would repeat too often, "" for nothing.
func (g *Guard) repeats(c Call, sig digest) (Code, int) {
	limit := g.config.StopAfter
	r := g.calls[sig]
	if r == nil || r.acts != g.acts {
		return "", 0 // something happened since, so the result may be another
	}
	switch {
	case r.failed && reached(r.count, limit.ExactFailure):
		return ExactFailure, r.count
	case !r.failed && c.Effect == Reads && reached(r.count, limit.NoProgress):
		return NoProgress, r.count
	}
	if rounds, next := g.recent.rounds(); next == sig && reached(rounds, limit.NoProgress) {
		return Alternating, rounds
	}
	return "", 0
}

// After takes note of what came of a call that Before let through, and decides:
// Allow, Warn or Halt. Calls that never got as far as Before, because their
// arguments are wrong, count as well. A call that was stopped on purpose says
// nothing. A refusal by the user is held against the call, not the tool.
func (g *Guard) After(c Call, r Result) Decision {
	if r.Status == tools.StatusCancelled {
		return Decision{}
	}
	sig, result := signature(c), outcome(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blocked = 0
	rec := g.note(c, sig, result, r.Status != tools.StatusOK)
	g.recent = g.recent.with(visit{sig, result})
	if r.Status == tools.StatusFailed {
		g.failed[c.Tool]++
	}
	if reached(g.failed[c.Tool], g.config.StopAfter.SameToolFailure) && g.config.HardStops && r.Status == tools.StatusFailed {
		return g.halt(SameToolFailure, c.Tool, g.failed[c.Tool])
	}
	code, count := g.noticed(c, rec, r.Status)
	if code == "" || !g.config.Warnings {
		return Decision{}
	}
	return Decision{Warn, code, count, warning(code, c.Tool)}
}

// noticed tells what is worth a warning, the most telling first; "" for nothing.
func (g *Guard) noticed(c Call, rec *record, s tools.Status) (Code, int) {
	limit := g.config.WarnAfter
	rounds, _ := g.recent.rounds()
	switch {
	case rec.failed && reached(rec.count, limit.ExactFailure):
		return ExactFailure, rec.count
	case s == tools.StatusFailed && reached(g.failed[c.Tool], limit.SameToolFailure):
		return SameToolFailure, g.failed[c.Tool]
	case reached(rounds, limit.NoProgress):
		return Alternating, rounds
	case !rec.failed && c.Effect == Reads && reached(rec.count, limit.NoProgress):
		return NoProgress, rec.count
	}
	return "", 0
}

// note brings what is known of a call up to date.
func (g *Guard) note(c Call, sig, result digest, failed bool) *record {
	r := g.calls[sig]
	if r == nil {
		r = g.remember(sig)
	}
	if r.count > 0 && r.result == result && r.failed == failed {
		r.count++
	} else {
		r.count = 1
	}
	r.failed, r.result = failed, result
	if !failed {
		g.succeeded(c, r.count == 1)
	}
	r.acts = g.acts
	return r
}

// succeeded notes a success: the tool works, and what others depend on may have
// changed. A success that is one more of the same changed nothing.
func (g *Guard) succeeded(c Call, fresh bool) {
	delete(g.failed, c.Tool)
	switch {
	case c.Effect == Changes:
		clear(g.failed) // failing again after a change is another matter
		g.acts++
	case c.Effect == MayChange && fresh:
		g.acts++
	}
}

// remember makes room for a call and adds it.
func (g *Guard) remember(sig digest) *record {
	if len(g.order) >= mostCalls {
		delete(g.calls, g.order[0])
		g.order = slices.Delete(g.order, 0, 1)
	}
	r := &record{}
	g.calls[sig], g.order = r, append(g.order, sig)
	return r
}

// halt ends the turn.
func (g *Guard) halt(c Code, tool string, count int) Decision {
	g.halted = Decision{Halt, c, count, stop(c, tool)}
	return g.halted
}
