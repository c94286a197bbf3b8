package delegate

import (
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
)

// actor is a subagent in the model: what the rules say, in the plainest form.
type actor struct {
	name             string
	up               *actor
	kids             []*actor // alive
	bg, orch         bool
	depth, places    int
	state            event.AgentState
	placed, stubborn bool
	paused, spread   bool
	cut              bool // what it depends on has ended
	asked, returned  event.AgentState
	asking, tools    int
	worked, quiet    time.Duration
}

// model is what a registry should be.
type model struct {
	l      Limits
	root   *actor
	cast   []*actor // in the order of asking, refused ones too
	frozen bool
	turn   bool
}

func newModel(l Limits) *model {
	return &model{l: l, turn: true, root: &actor{name: "root", orch: true, placed: true, state: event.AgentRunning}}
}

func (m *model) find(name string) *actor {
	for _, a := range m.cast {
		if a.name == name {
			return a
		}
	}
	return m.root
}

func (m *model) spawn(name string, words []string) {
	a := &actor{name: name, up: m.root, state: event.AgentQueued}
	for _, word := range words {
		switch word {
		case "bg":
			a.bg = true
		case "orch":
			a.orch = true
		case "stubborn":
			a.stubborn = true
		default:
			a.up = m.find(word)
		}
	}
	a.depth = a.up.depth + 1
	a.orch = a.orch && a.depth < m.l.Depth
	behind := 0
	for _, k := range m.root.kids {
		if k.bg {
			behind++
		}
	}
	m.cast = append(m.cast, a)
	if m.frozen || a.up.state.Ended() || a.up.asked != "" || a.up.returned != "" || !a.up.orch || a.bg && (a.up != m.root || behind >= m.l.Background) {
		a.state = event.AgentRefused
		return
	}
	a.up.kids = append(a.up.kids, a)
	if a.up.spread {
		a.state, a.paused, a.spread = event.AgentPaused, true, true
	}
	a.cut = a.up.cut || a.up.asked != ""
	m.fill(a.up)
}

func (m *model) fill(p *actor) {
	for _, k := range p.kids {
		if !k.placed && !k.paused && k.asked == "" && !k.cut && (k.bg || p.places < m.l.Concurrent) {
			k.placed, k.state = true, event.AgentRunning
			if !k.bg {
				p.places++
			}
		}
	}
}

// stop asks an actor to end.
func (m *model) stop(a *actor, why event.AgentState) {
	if a.asked != "" || a.state.Ended() {
		return
	}
	if a.cut {
		why = event.AgentInterrupted
	}
	a.asked, a.paused, a.spread = why, false, false
	if a.placed {
		a.state = event.AgentStopping
	}
	for _, k := range a.kids {
		m.depart(k)
	}
}

// depart ends what an actor depends on.
func (m *model) depart(a *actor) {
	a.cut = true
	m.stop(a, event.AgentInterrupted)
}

// settle lets those end that can.
func (m *model) settle() {
	for again := true; again; {
		again = false
		for _, a := range m.cast {
			if a.state.Ended() {
				continue
			}
			if a.asked != "" && a.returned == "" && (!a.placed || !a.stubborn) {
				a.returned = a.asked
			}
			if a.returned == "" {
				continue
			}
			a.asking = 0 // what returns asks nothing any more
			for _, k := range slices.Clone(a.kids) {
				m.stop(k, event.AgentInterrupted)
			}
			if len(a.kids) == 0 {
				m.end(a)
				again = true
			}
		}
	}
}

func (m *model) end(a *actor) {
	a.paused, a.spread = false, false
	a.state = a.returned
	if a.asked != "" {
		a.state = a.asked
	}
	a.up.kids = slices.DeleteFunc(a.up.kids, func(k *actor) bool { return k == a })
	if a.placed && !a.bg {
		a.up.places--
	}
	m.fill(a.up)
}

func (m *model) pause(a *actor) {
	switch a.state {
	case event.AgentQueued, event.AgentIdle:
		a.state, a.paused = event.AgentPaused, true
	case event.AgentRunning:
		a.state, a.paused = event.AgentPausing, true
	}
}

func (m *model) resume(a *actor) {
	if !a.paused {
		return
	}
	a.paused, a.spread = false, false
	switch {
	case !a.placed:
		a.state = event.AgentQueued
	case a == m.root && !m.turn:
		a.state = event.AgentIdle
	default:
		a.state = event.AgentRunning
	}
	if a != m.root {
		m.fill(a.up)
	}
}

// each does something to an actor and before that to all below it.
func each(a *actor, do func(*actor)) {
	for _, k := range slices.Clone(a.kids) {
		each(k, do)
	}
	do(a)
}

func (a *actor) held() bool {
	if !a.placed || a.state == event.AgentPaused || a.asking > 0 {
		return true
	}
	return len(a.kids) > 0 && !slices.ContainsFunc(a.kids, func(k *actor) bool { return !k.held() })
}

func (a *actor) beat() {
	for ; a != nil; a = a.up {
		a.quiet = 0
	}
}

// do carries out a line in the model.
func (m *model) do(line string) {
	f := strings.Fields(line)
	if f[0] == "spawn" {
		m.spawn(f[1], f[2:])
		m.settle()
		return
	}
	a := m.root
	if len(f) > 1 {
		a = m.find(f[1])
	}
	switch f[0] {
	case "freeze", "thaw":
		m.frozen = f[0] == "freeze"
	case "begin":
		m.turn, m.root.state = true, event.AgentRunning
		if m.root.paused {
			m.root.state = event.AgentPausing
		}
	case "end":
		m.turn = false
		if m.root.state = event.AgentIdle; m.root.paused {
			m.root.state = event.AgentPaused
		}
	case "killall":
		each(a, func(k *actor) {
			if k != m.root {
				m.stop(k, event.AgentKilled)
			}
		})
	case "kill":
		m.stop(a, event.AgentKilled)
	case "pause":
		m.pause(a)
	case "pauseall":
		each(a, func(k *actor) { m.pause(k); k.spread = k.paused })
	case "resume":
		m.resume(a)
	case "resumeall":
		each(a, m.resume)
	default:
		m.act(f[0], a)
	}
	m.settle()
}

// act is what happens to one subagent.
func (m *model) act(verb string, a *actor) {
	switch verb {
	case "cut":
		m.depart(a)
	case "let":
		a.stubborn = false
	case "beat":
		a.beat()
	case "tool":
		a.tools++
		a.beat()
	case "untool":
		if a.tools > 0 {
			a.tools--
			a.beat()
		}
	case "ask":
		a.asking++
		a.beat()
	case "answer":
		if a.asking > 0 {
			a.asking--
			a.beat()
		}
	case "check":
		if a.state == event.AgentPausing {
			a.state = event.AgentPaused
		}
	case "completed", "failed":
		a.returned = event.AgentState(verb)
	case "panic", "goexit", "nothing":
		a.returned = event.AgentFailed
	}
}
