package agents

import (
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// node is an agent as the pane shows it.
type node struct {
	id    event.AgentID
	known *record
	up    int // its parent's place in [Pane.all], -1 for none
	root  bool
	state event.AgentState
	on    string
	// own are its figures, sum those of it and everything below it.
	own, sum figures
	kids     int
	busy     int // the greatest activity of the last minute at or below it
	watch    event.Spawned
	steers   int // texts of the user that wait for it

	shown bool // the filter lets it through
	line  int  // its row in [Pane.lines], -1 when it is hidden
	above int  // the nearest agent above it that has a row, -1 for none
}

// figures are what an agent has used.
type figures struct {
	tools int
	usage event.Usage
}

func (f *figures) add(g figures) {
	f.tools += g.tools
	f.usage = f.usage.Plus(g.usage)
}

// tokens are all that went in and out.
func (f *figures) tokens() int64 { return f.usage.Prompt() + f.usage.Output }

// record is what is remembered of an agent from one sync to the next.
type record struct {
	round     uint64
	goal      string // as it came
	name      string
	fitted    string // the name, cut to room cells
	room      int
	pulse     pulse
	doingCall event.CallID
	doingOf   string // the subject or the phase as it came
	doing     string
}

// nameBytes is how much of a text is looked at that has a place of one line.
const nameBytes = 2 << 10

// Sync takes the agents as they are now.
func (p *Pane) Sync(s *event.State) {
	p.round++
	p.frozen = s.Frozen
	p.doing, p.context = "", event.Context{}
	p.choose(s)
	p.sum()
	p.cache = status.Cache{}
	if root := s.Root(); root != nil && !p.now.IsZero() {
		p.cache = status.CacheOf(root, p.now)
	}
	for i := range s.Queue {
		p.await(&s.Queue[i], s.Root())
	}
	if len(p.known) > len(p.all) {
		for id, r := range p.known {
			if r.round != p.round {
				delete(p.known, id)
			}
		}
	}
	if a := s.Root(); a != nil {
		p.context = a.Context
		if a.Turn != "" {
			p.doing = p.all[0].known.doing
			if a.State == event.AgentWaiting {
				p.doing, _ = format.Needs("")
			}
		}
	}
	p.arrange()
}

// choose takes the root and the subagents that are to be shown: those of one
// tree, those of others that are alive, and those of others that have ended since
// the root's newest turn began.
func (p *Pane) choose(s *event.State) {
	p.all = p.all[:0]
	clear(p.place)
	tree := p.newest(s)
	var since time.Time
	root := s.Root()
	if root != nil {
		since = root.TurnStarted
	}
	live, first := false, time.Time{}
	for _, a := range s.Agents {
		if a.Parent != "" && a.Tree != tree && a.State.Ended() && !a.Ended.After(since) {
			continue
		}
		p.add(a)
		if a.Parent != "" && a.Tree == tree {
			live = live || !a.State.Ended()
			if first.IsZero() {
				first = a.Started
			}
		}
	}
	p.past = ""
	switch {
	case root == nil, first.IsZero(), live, tree == root.Turn && tree != "":
	case root.Turn == "" && !first.Before(since):
		p.past = "last turn"
	default:
		p.past = "earlier turn"
	}
}

// newest is the tree that began last, as in [event.State.Trees].
func (p *Pane) newest(s *event.State) (tree event.TurnID) {
	clear(p.trees)
	at := event.TurnID("")
	for i, a := range s.Agents {
		if a.Parent == "" || a.Tree == at && i > 0 && len(p.trees) > 0 {
			continue
		}
		if at = a.Tree; !p.trees[at] {
			p.trees[at] = true
			tree = at
		}
	}
	return tree
}

// add adds an agent. A subagent whose parent is not shown, or was not there before
// it, hangs below the root.
func (p *Pane) add(a *event.Agent) {
	n := node{
		id: a.ID, up: -1, root: a.Parent == "", state: a.State, on: a.On, known: p.record(a),
		own:   figures{a.Tools, a.Usage},
		watch: event.Spawned{Started: a.Started, Ended: a.Ended, Held: a.Held, HeldFrom: a.HeldFrom},
	}
	if n.root { // its stop-watch is that of the turn, and nothing while it waits
		n.watch = event.Spawned{}
		if a.Turn != "" && !a.State.Held() {
			n.watch.Started = a.TurnStarted
		}
	}
	if !n.root && len(p.all) > 0 && p.all[0].root {
		n.up = 0
	}
	if up, ok := p.place[a.Parent]; ok && !n.root {
		n.up = up
	}
	if _, twice := p.place[a.ID]; !twice {
		p.place[a.ID] = len(p.all)
	}
	n.sum = n.own
	p.all = append(p.all, n)
}

// record finds or begins what is remembered of an agent, and takes its news.
func (p *Pane) record(a *event.Agent) *record {
	r := p.known[a.ID]
	switch {
	case r == nil:
		r = &record{}
		p.known[a.ID] = r
	case r.round == p.round: // a second agent of the same id
		r = &record{}
	}
	r.round = p.round
	if goal := a.Name(); r.name == "" || goal != r.goal {
		r.goal, r.name, r.room = goal, shownName(a), -1
	}
	r.pulse.take(a, p.now)
	r.do(a)
	return r
}

// fit is the name in at most n cells.
func (r *record) fit(n int) string {
	if n = max(n, 0); r.room != n {
		r.room, r.fitted = n, cells.Cut(r.name, n)
	}
	return r.fitted
}

// sum adds the figures of the subagents to those above them.
func (p *Pane) sum() {
	p.children, p.active, p.spent = 0, 0, event.Usage{}
	for i := len(p.all) - 1; i >= 0; i-- {
		n := &p.all[i]
		n.busy = max(n.busy, n.known.pulse.level(p.now, slots))
		if n.up >= 0 {
			up := &p.all[n.up]
			up.sum.add(n.sum)
			up.kids++
			up.busy = max(up.busy, n.busy)
		}
		if n.root {
			continue
		}
		p.children++
		p.spent = p.spent.Plus(n.own.usage)
		if atWork(n.state) {
			p.active++
		}
	}
}

// await counts a text of the user for the agent that it steers.
func (p *Pane) await(q *event.Queued, root *event.Agent) {
	id := q.Agent
	if id == "" {
		if !q.Steer || root == nil {
			return
		}
		id = root.ID
	}
	if i, ok := p.place[id]; ok {
		p.all[i].steers++
	}
}

// shownName returns the name of an agent, made safe.
func shownName(a *event.Agent) string {
	if name := clip(a.Name()); name != "" {
		return name
	}
	return a.Kind()
}

// clip makes the start of a text fit for a place of one line.
func clip(s string) string {
	if len(s) > nameBytes {
		s = s[:nameBytes]
	}
	return strings.TrimSpace(term.Line(s))
}

// do notes what an agent does now: the newest of its running calls, or the phase
// of its turn.
func (r *record) do(a *event.Agent) {
	if a.Turn == "" {
		r.doing, r.doingOf, r.doingCall = "", "", ""
		return
	}
	if n := len(a.Running); n > 0 {
		if c := recent(a, a.Running[n-1]); c != nil {
			r.doCall(c, n)
			return
		}
	}
	if of := string(a.Phase) + a.Detail; r.doing == "" || r.doingCall != "" || r.doingOf != of {
		r.doingCall, r.doingOf = "", of
		r.doing = status.Phase(a.Phase, clip(a.Detail))
	}
}

// doCall notes a running call, one of n.
func (r *record) doCall(c *event.Call, n int) {
	if n == 1 && r.doingCall == c.ID && r.doingOf == c.View.Subject {
		return
	}
	r.doingCall, r.doingOf = c.ID, c.View.Subject
	r.doing = strings.TrimSpace(clip(c.View.Name) + " " + clip(c.View.Subject))
	if n > 1 {
		r.doingCall = "" // the number may change
		r.doing = strconv.Itoa(n) + " tools, " + r.doing
	}
}

// recentBlocks is how far back a running call is looked for. One that runs stands
// at the end of the transcript, below it only calls of the same answer.
const recentBlocks = 64

// recent finds a call near the end of the transcript, nil if there is none.
func recent(a *event.Agent, id event.CallID) *event.Call {
	for i := len(a.Blocks) - 1; i >= max(len(a.Blocks)-recentBlocks, 0); i-- {
		if c := a.Blocks[i].Call; c != nil && c.ID == id {
			return c
		}
	}
	return nil
}

// atWork reports whether an agent in this state does something just now.
func atWork(s event.AgentState) bool {
	switch s {
	case event.AgentRunning, event.AgentPausing, event.AgentStopping:
		return true
	}
	return false
}

// elapsed is the time on the stop-watch, empty without one.
func (n *node) elapsed(now time.Time) string {
	if n.watch.Started.IsZero() || n.state == event.AgentRefused {
		return ""
	}
	d := n.watch.Elapsed(now)
	if n.state == event.AgentQueued && d == 0 {
		return ""
	}
	return format.Elapsed(d)
}
