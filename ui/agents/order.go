package agents

import (
	"cmp"
	"slices"
	"time"

	"hermes-tui/agent/event"
)

// Sort is the order of subagents that have the same parent. They always stand
// below it.
type Sort int

// The orders.
const (
	SortSpawn   Sort = iota // in which they were spawned
	SortBusiest             // the most active first
	SortSlowest             // the longest first
	SortStatus              // what needs the user first, what is done last
)

// sortNames are what the orders are called on the screen.
var sortNames = [...]string{"spawn order", "busiest", "slowest", "status"}

// String names the order in a word or two.
func (s Sort) String() string { return sortNames[s] }

// Filter chooses which agents have a row. The root always has one.
type Filter int

// The filters.
const (
	FilterAll     Filter = iota
	FilterRunning        // not ended
	FilterFailed         // ended, and not with what was asked for
	FilterLeaves         // no one below them
)

// filterNames are what the filters are called on the screen.
var filterNames = [...]string{"all", "running", "failed", "leaves"}

// String names the filter in a word.
func (f Filter) String() string { return filterNames[f] }

// NextSort changes to the next order, after the last to the first.
func (p *Pane) NextSort() {
	p.sort = (p.sort + 1) % Sort(len(sortNames))
	p.arrange()
}

// Sort is the order of the rows.
func (p *Pane) Sort() Sort { return p.sort }

// NextFilter changes to the next filter, after the last to the first.
func (p *Pane) NextFilter() {
	p.filter = (p.filter + 1) % Filter(len(filterNames))
	p.arrange()
}

// Filter is the filter of the rows.
func (p *Pane) Filter() Filter { return p.filter }

// passes reports whether the filter lets an agent through.
func (p *Pane) passes(n *node) bool {
	if n.root || p.steer.open && n.id == p.steer.to {
		return true
	}
	switch p.filter {
	case FilterRunning:
		return !n.state.Ended()
	case FilterFailed:
		return n.state.Ended() && n.state != event.AgentCompleted
	case FilterLeaves:
		return n.kids == 0
	}
	return true
}

// ranks put the states in the order of [SortStatus].
var ranks = map[event.AgentState]int64{
	event.AgentWaiting: 12, event.AgentStopping: 11, event.AgentPausing: 10, event.AgentRunning: 9, event.AgentPaused: 8,
	event.AgentQueued: 7, event.AgentFailed: 6, event.AgentTimeout: 5, event.AgentRefused: 4, event.AgentInterrupted: 3,
	event.AgentKilled: 2, event.AgentCompleted: 1,
}

// key is what agents are sorted by, the greatest first.
func (p *Pane) key(n *node) int64 {
	switch p.sort {
	case SortBusiest:
		return int64(n.busy)
	case SortSlowest:
		return int64(n.watch.Elapsed(p.now) / time.Second)
	case SortStatus:
		return ranks[n.state]
	}
	return 0
}

// forest is what the rows are put in order with. Places are those in [Pane.all].
type forest struct {
	sorted []int
	keys   []int64
	first  []int    // of the rows below an agent's, plus one; 0 for none
	next   []int    // row below the same agent's, plus one
	last   []int    // of the rows below an agent's
	below  []string // the guides of the rows below an agent's
	depth  []int
	table  table
}

// reset makes room for n agents.
func (f *forest) reset(n int) {
	f.sorted = f.sorted[:0]
	f.keys, f.first, f.next, f.last = zeroed(f.keys, n), zeroed(f.first, n), zeroed(f.next, n), zeroed(f.last, n)
	f.below, f.depth = zeroed(f.below, n), zeroed(f.depth, n)
}

func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// line is a row of the tree.
type line struct {
	at     int    // the agent's place in [Pane.all]
	guide  string // the lines that lead to it from the agent above it
	hidden int    // agents below it that the filter hides, up to those that have a row
}

// arrange chooses which agents have a row, and puts the rows in order. An agent
// whose parent has none hangs below the nearest agent above that has one.
func (p *Pane) arrange() {
	f := &p.forest
	f.reset(len(p.all))
	p.lines = p.lines[:0]
	for i := range p.all {
		n := &p.all[i]
		n.above, n.line = -1, -1
		if n.up >= 0 {
			if n.above = n.up; !p.all[n.up].shown {
				n.above = p.all[n.up].above
			}
		}
		if n.shown = p.passes(n); n.shown {
			f.sorted = append(f.sorted, i)
			f.keys[i] = p.key(n)
		}
	}
	if p.sort != SortSpawn {
		slices.SortStableFunc(f.sorted, func(i, j int) int { return cmp.Compare(f.keys[j], f.keys[i]) })
	}
	for _, i := range f.sorted {
		up := p.all[i].above
		switch {
		case up < 0:
		case f.first[up] == 0:
			f.first[up], f.last[up] = i+1, i
		default:
			f.next[f.last[up]], f.last[up] = i+1, i
		}
	}
	for i := range p.all { // trees stay in the order in which they began
		if n := &p.all[i]; n.shown && n.above < 0 {
			p.descend(i)
		}
	}
	for i := range p.all {
		if n := &p.all[i]; !n.shown && n.above >= 0 {
			p.lines[p.all[n.above].line].hidden++
		}
	}
	p.guide()
}

// descend appends the row of an agent and everything below it.
func (p *Pane) descend(i int) {
	p.all[i].line = len(p.lines)
	p.lines = append(p.lines, line{at: i})
	for c := p.forest.first[i]; c != 0; c = p.forest.next[c-1] {
		p.descend(c - 1)
	}
}

// guideLevels bounds how many levels guides tell apart. Deeper ones look alike.
const guideLevels = 24

// guide draws the lines between the rows.
func (p *Pane) guide() {
	f := &p.forest
	for k := range p.lines {
		l := &p.lines[k]
		up := p.all[l.at].above
		if up < 0 {
			continue
		}
		fork, rest := "├─", "│ "
		if f.next[l.at] == 0 {
			fork, rest = "└─", "  "
		}
		l.guide = f.below[up] + fork
		f.depth[l.at] = f.depth[up] + 1
		if f.first[l.at] == 0 {
			continue
		}
		f.below[l.at] = f.below[up]
		if f.depth[l.at] <= guideLevels {
			f.below[l.at] += rest
		}
	}
}
