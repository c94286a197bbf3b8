package wall

import (
	"slices"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
)

// Wall is a grid of tiles. The zero value is not ready, see [New].
type Wall struct {
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
	shown grid

	now   time.Time
	frame int
	md    *markdown.Renderer
}

// New makes an empty wall.
func New(st *rows.Styles) *Wall {
	return &Wall{st: st, md: markdown.New(markdown.Options{Defer: true}), tiles: map[event.AgentID]*tile{}, above: map[event.AgentID]event.AgentID{}}
}

// SetStyles changes the colours.
func (w *Wall) SetStyles(st *rows.Styles) {
	if st != w.st {
		w.st = st
		w.look++
	}
}

// Tick tells the time and the frame of the animation.
func (w *Wall) Tick(now time.Time, frame int) { w.now, w.frame = now, frame }

// Len is how many tiles there are.
func (w *Wall) Len() int { return len(w.order) }

// Sync takes the subagents of a turn as they are now.
func (w *Wall) Sync(s *event.State, tree event.TurnID) {
	fresh := tree != w.tree || s.Conv != w.conv
	if fresh {
		clear(w.tiles)
		w.order, w.tree, w.conv, w.focus, w.at = nil, tree, s.Conv, "", 0
	}
	w.turn++
	clear(w.above)
	for i, a := range s.Agents {
		if i == 0 || a.Tree != tree || a.Parent == "" {
			continue
		}
		_, below := w.above[a.Parent]
		w.above[a.ID] = a.Parent
		if !below {
			w.take(a)
		}
	}
	w.order = slices.DeleteFunc(w.order, func(t *tile) bool {
		gone := t.turn != w.turn
		if gone {
			delete(w.tiles, t.id)
		}
		return gone
	})
	w.askAll(s)
	if fresh {
		w.Arrange()
		return
	}
	w.refocus()
	w.settle()
	w.refocus()
}

// take brings the tile of an agent up to date, or makes one.
func (w *Wall) take(a *event.Agent) {
	t := w.tiles[a.ID]
	if t == nil {
		t = &tile{id: a.ID}
		w.tiles[a.ID] = t
		w.order = append(w.order, t)
	}
	if t.turn == w.turn {
		return // a second agent of that name
	}
	t.turn = w.turn
	t.sync(a)
}

// top is the tile that an agent belongs to, nil if it has none.
func (w *Wall) top(id event.AgentID) *tile {
	for hops := 0; hops <= len(w.above); hops++ {
		if t := w.tiles[id]; t != nil {
			return t
		}
		up, ok := w.above[id]
		if !ok {
			return nil
		}
		id = up
	}
	return nil
}

// askAll gives the tiles what the user is asked, and by whom.
func (w *Wall) askAll(s *event.State) {
	for i := range s.Requests {
		r := &s.Requests[i]
		if t := w.top(r.Agent); t != nil {
			t.ask(s, r)
		}
	}
	for _, a := range s.Agents {
		if a.State != event.AgentWaiting || a.Tree != w.tree {
			continue
		}
		if t := w.top(a.ID); t != nil && t.asks == 0 {
			t.wait(a)
		}
	}
}

// Animating reports whether something in sight changes as time goes by.
func (w *Wall) Animating() bool {
	from, to := 0, len(w.order)
	if per := w.shown.per(); per > 0 {
		from = w.at / per * per
		to = min(from+per, to)
	}
	return slices.ContainsFunc(w.order[from:to], (*tile).atWork)
}

// Focused is the agent in focus, empty without tiles.
func (w *Wall) Focused() event.AgentID {
	if w.at < len(w.order) {
		return w.order[w.at].id
	}
	return ""
}

// Focus puts the focus on an agent and brings its page into sight. An agent below
// another one counts as the one that has a tile.
func (w *Wall) Focus(id event.AgentID) {
	if t := w.top(id); t != nil {
		w.focus = t.id
		w.refocus()
	}
}

// refocus finds the focus again. When its agent is gone, the one that took its
// place has it.
func (w *Wall) refocus() {
	if i := slices.IndexFunc(w.order, func(t *tile) bool { return t.id == w.focus }); i >= 0 {
		w.at = i
		return
	}
	w.at = max(min(w.at, len(w.order)-1), 0)
	w.focus = w.Focused()
}

// move puts the focus elsewhere and reports whether that is another tile.
func (w *Wall) move(to int) bool {
	to = max(min(to, len(w.order)-1), 0)
	if to == w.at || to >= len(w.order) {
		return false
	}
	w.at, w.focus = to, w.order[to].id
	return true
}

// Left moves the focus to the tile before and reports whether there is one.
func (w *Wall) Left() bool { return w.move(w.at - 1) }

// Right moves the focus to the next tile and reports whether there is one.
func (w *Wall) Right() bool { return w.move(w.at + 1) }

// Up moves the focus to the tile above and reports whether there is one.
func (w *Wall) Up() bool {
	to := w.at - max(w.shown.cols, 1)
	return to >= 0 && w.move(to)
}

// Down moves the focus to the tile below, or to the last one where the row below
// is shorter, and reports whether there is one.
func (w *Wall) Down() bool {
	cols := max(w.shown.cols, 1)
	if w.at/cols == (len(w.order)-1)/cols {
		return false
	}
	return w.move(w.at + cols)
}

// PageUp shows the page before and reports whether there is one.
func (w *Wall) PageUp() bool {
	per := max(w.shown.per(), 1)
	return w.at >= per && w.move(w.at-per)
}

// PageDown shows the next page and reports whether there is one.
func (w *Wall) PageDown() bool {
	per := max(w.shown.per(), 1)
	return w.at/per < (len(w.order)-1)/per && w.move(w.at+per)
}

// NextWaiting moves the focus to the next tile that waits for the user, after
// the last one to the first, and reports whether there is one.
func (w *Wall) NextWaiting() bool {
	for i := range w.order {
		if to := (w.at + 1 + i) % len(w.order); w.order[to].asks > 0 {
			w.move(to)
			return true
		}
	}
	return false
}
