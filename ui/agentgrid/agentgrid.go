package agentgrid

import (
	"slices"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
)

// Grid is a grid of tiles. The zero value is not ready, see [New].
type Grid struct {
	st    *rows.Styles
	look  uint64 // grows with the styles
	tree  event.TurnID
	conv  event.ConvID
	turn  uint64 // grows with each sync
	tiles map[event.AgentID]*tile
	order []*tile
	above map[event.AgentID]event.AgentID // the parents of the tree's agents

	focus event.AgentID
	at    int // where the focus is
	shown layout

	now   time.Time
	frame int
	md    *markdown.Renderer
}

// New makes an empty grid.
func New(st *rows.Styles) *Grid {
	return &Grid{st: st, md: markdown.New(markdown.Options{Defer: true}), tiles: map[event.AgentID]*tile{}, above: map[event.AgentID]event.AgentID{}}
}

// SetStyles changes the colours.
func (g *Grid) SetStyles(st *rows.Styles) {
	if st != g.st {
		g.st = st
		g.look++
	}
}

// Tick tells the time and the frame of the animation.
func (g *Grid) Tick(now time.Time, frame int) { g.now, g.frame = now, frame }

// Len is how many tiles there are.
func (g *Grid) Len() int { return len(g.order) }

// Sync takes the subagents of a turn as they are now.
func (g *Grid) Sync(s *event.State, tree event.TurnID) {
	fresh := tree != g.tree || s.Conv != g.conv
	if fresh {
		clear(g.tiles)
		g.order, g.tree, g.conv, g.focus, g.at = nil, tree, s.Conv, "", 0
	}
	g.turn++
	clear(g.above)
	for i, a := range s.Agents {
		if i == 0 || a.Tree != tree || a.Parent == "" {
			continue
		}
		_, below := g.above[a.Parent]
		g.above[a.ID] = a.Parent
		if !below {
			g.take(a)
		}
	}
	g.order = slices.DeleteFunc(g.order, func(t *tile) bool {
		gone := t.turn != g.turn
		if gone {
			delete(g.tiles, t.id)
		}
		return gone
	})
	g.askAll(s)
	if fresh {
		g.Arrange()
		return
	}
	g.refocus()
	g.settle()
	g.refocus()
}

// take brings the tile of an agent up to date, or makes one.
func (g *Grid) take(a *event.Agent) {
	t := g.tiles[a.ID]
	if t == nil {
		t = &tile{id: a.ID}
		g.tiles[a.ID] = t
		g.order = append(g.order, t)
	}
	if t.turn == g.turn {
		return // a second agent of that name
	}
	t.turn = g.turn
	t.sync(a)
}

// top is the tile that an agent belongs to, nil if it has none.
func (g *Grid) top(id event.AgentID) *tile {
	for hops := 0; hops <= len(g.above); hops++ {
		if t := g.tiles[id]; t != nil {
			return t
		}
		up, ok := g.above[id]
		if !ok {
			return nil
		}
		id = up
	}
	return nil
}

// askAll gives the tiles what the user is asked, and by whom.
func (g *Grid) askAll(s *event.State) {
	for i := range s.Requests {
		r := &s.Requests[i]
		if t := g.top(r.Agent); t != nil {
			t.ask(s, r)
		}
	}
	for _, a := range s.Agents {
		if a.State != event.AgentWaiting || a.Tree != g.tree {
			continue
		}
		if t := g.top(a.ID); t != nil && t.asks == 0 {
			t.wait(a)
		}
	}
}

// Animating reports whether something in sight changes as time goes by.
func (g *Grid) Animating() bool {
	from, to := 0, len(g.order)
	if per := g.shown.per(); per > 0 {
		from = g.at / per * per
		to = min(from+per, to)
	}
	return slices.ContainsFunc(g.order[from:to], (*tile).atWork)
}

// Focused is the agent in focus, empty without tiles.
func (g *Grid) Focused() event.AgentID {
	if g.at < len(g.order) {
		return g.order[g.at].id
	}
	return ""
}

// Focus puts the focus on an agent and brings its page into sight. An agent below
// another one counts as the one that has a tile.
func (g *Grid) Focus(id event.AgentID) {
	if t := g.top(id); t != nil {
		g.focus = t.id
		g.refocus()
	}
}

// refocus finds the focus again. When its agent is gone, the one that took its
// place has it.
func (g *Grid) refocus() {
	if i := slices.IndexFunc(g.order, func(t *tile) bool { return t.id == g.focus }); i >= 0 {
		g.at = i
		return
	}
	g.at = max(min(g.at, len(g.order)-1), 0)
	g.focus = g.Focused()
}

// move puts the focus elsewhere and reports whether that is another tile.
func (g *Grid) move(to int) bool {
	to = max(min(to, len(g.order)-1), 0)
	if to == g.at || to >= len(g.order) {
		return false
	}
	g.at, g.focus = to, g.order[to].id
	return true
}

// Left moves the focus to the tile before and reports whether there is one.
func (g *Grid) Left() bool { return g.move(g.at - 1) }

// Right moves the focus to the next tile and reports whether there is one.
func (g *Grid) Right() bool { return g.move(g.at + 1) }

// Up moves the focus to the tile above and reports whether there is one.
func (g *Grid) Up() bool {
	to := g.at - max(g.shown.cols, 1)
	return to >= 0 && g.move(to)
}

// Down moves the focus to the tile below, or to the last one where the row below
// is shorter, and reports whether there is one.
func (g *Grid) Down() bool {
	cols := max(g.shown.cols, 1)
	if g.at/cols == (len(g.order)-1)/cols {
		return false
	}
	return g.move(g.at + cols)
}

// PageUp shows the page before and reports whether there is one.
func (g *Grid) PageUp() bool {
	per := max(g.shown.per(), 1)
	return g.at >= per && g.move(g.at-per)
}

// PageDown shows the next page and reports whether there is one.
func (g *Grid) PageDown() bool {
	per := max(g.shown.per(), 1)
	return g.at/per < (len(g.order)-1)/per && g.move(g.at+per)
}

// NextWaiting moves the focus to the next tile that waits for the user, after
// the last one to the first, and reports whether there is one.
func (g *Grid) NextWaiting() bool {
	for i := range g.order {
		if to := (g.at + 1 + i) % len(g.order); g.order[to].asks > 0 {
			g.move(to)
			return true
		}
	}
	return false
}
