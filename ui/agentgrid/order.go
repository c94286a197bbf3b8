package agentgrid

import (
	"cmp"
	"slices"
	"time"

	"hermes-tui/agent/event"
)

// linger is how long a tile keeps its place after its agent ended, though another
// one could use it.
const linger = 8 * time.Second

// rank orders tiles: those at work or held, those in the queue, those that ended.
func (t *tile) rank() int {
	switch {
	case t.sp.State.Ended():
		return 2
	case t.sp.State == event.AgentQueued:
		return 1
	}
	return 0
}

// Arrange puts the tiles in order: those at work first, then those in the queue,
// then those that ended, each in the order in which they were asked for.
func (g *Grid) Arrange() {
	slices.SortStableFunc(g.order, func(a, b *tile) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), a.sp.Started.Compare(b.sp.Started))
	})
	g.refocus()
}

// settle lets agents at work on later pages have the places of earlier pages whose
// agents do nothing. Nothing moves away that is in sight or in focus.
func (g *Grid) settle() {
	per := g.shown.per()
	if per <= 0 {
		return
	}
	page, j := g.at/per, 0
	for i, t := range g.order {
		if !g.yields(t) {
			continue
		}
		for j = max(j, (i/per+1)*per); j < len(g.order); j++ {
			if u := g.order[j]; u.rank() == 0 && j/per != page && u.id != g.focus {
				break
			}
		}
		if j >= len(g.order) {
			return
		}
		g.order[i], g.order[j] = g.order[j], t
	}
}

// yields reports whether a tile may be put elsewhere.
func (g *Grid) yields(t *tile) bool {
	switch {
	case t.id == g.focus:
		return false
	case t.sp.State.Ended():
		return g.now.Sub(t.sp.Ended) > linger
	}
	return t.rank() > 0
}
