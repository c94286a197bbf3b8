package timeline

import (
	"slices"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// Trees lists the turns of a conversation that had subagents, the newest first,
// and compares two of them. The zero value is not ready, see [NewTrees].
//
// At most two are marked for comparing; one that is marked is compared with the selected
// one. Its keys are those of [keys.InReplays].
type Trees struct {
	overlay.Silent
	st      *rows.Styles
	bound   *keys.Map
	hints   []status.Hint
	list    []stats // newest first
	prompts prompts

	selected event.TurnID
	at, top  int
	marked   []event.TurnID // in the order of marking
	compare  bool
	down     int // rows that the comparison is scrolled by

	now   time.Time
	frame int
}

var _ overlay.Box = (*Trees)(nil)

// NewTrees makes an empty list. table has the keys that it names, and the hints are those
// of the keys that the caller binds: what enter does, and how the window closes.
func NewTrees(st *rows.Styles, table *keys.Map, hints []status.Hint) *Trees {
	return &Trees{st: st, bound: table, hints: hints}
}

// SetStyles implements [overlay.Box].
func (t *Trees) SetStyles(st *rows.Styles) { t.st = st }

// SetHints changes the reminders of the caller's keys.
func (t *Trees) SetHints(hints []status.Hint) { t.hints = hints }

// Sync takes the trees as they are now.
func (t *Trees) Sync(s *event.State) {
	t.prompts.read(s.Root())
	t.list = t.list[:0]
	place := map[event.TurnID]int{}
	for _, a := range s.Agents {
		if a.Parent == "" {
			continue
		}
		i, ok := place[a.Tree]
		if !ok {
			i = len(t.list)
			place[a.Tree] = i
			t.list = append(t.list, stats{tree: a.Tree, prompt: t.prompts.of[a.Tree], by: map[event.AgentState]int{}})
		}
		t.list[i].add(a)
	}
	slices.Reverse(t.list)
	t.marked = slices.DeleteFunc(t.marked, func(id event.TurnID) bool {
		_, ok := place[id]
		return !ok
	})
	if len(t.marked) < 2 {
		t.compare = false
	}
	t.at = max(min(t.at, len(t.list)-1), 0)
	if i := t.index(t.selected); i >= 0 {
		t.at = i
	} else if t.at < len(t.list) {
		t.selected = t.list[t.at].tree
	}
}

func (t *Trees) index(id event.TurnID) int {
	return slices.IndexFunc(t.list, func(s stats) bool { return s.tree == id })
}

// Tick tells the time and the frame of the animation.
func (t *Trees) Tick(now time.Time, frame int) { t.now, t.frame = now, frame }

// Animating reports whether the window changes as time goes by.
func (t *Trees) Animating() bool {
	return slices.ContainsFunc(t.list, func(s stats) bool { return s.running() })
}

// Len is how many trees there are.
func (t *Trees) Len() int { return len(t.list) }

// Number is the tree of a number; 1 is the newest.
func (t *Trees) Number(n int) (event.TurnID, bool) {
	if n < 1 || n > len(t.list) {
		return "", false
	}
	return t.list[n-1].tree, true
}

// Selected is the selected tree, and whether an agent of it has not ended: then
// it is for watching, not for a replay.
func (t *Trees) Selected() (id event.TurnID, running, ok bool) {
	if t.at >= len(t.list) {
		return "", false, false
	}
	s := &t.list[t.at]
	return s.tree, s.running(), true
}

// Select selects a tree, if it is there.
func (t *Trees) Select(id event.TurnID) {
	if i := t.index(id); i >= 0 {
		t.selected, t.at = id, i
	}
}

// Mark marks the selected tree for comparing, or unmarks it. Of three, the one
// that was marked first loses its mark.
func (t *Trees) Mark() {
	id, _, ok := t.Selected()
	if !ok {
		return
	}
	if i := slices.Index(t.marked, id); i >= 0 {
		t.marked = slices.Delete(t.marked, i, i+1)
		return
	}
	if t.marked = append(t.marked, id); len(t.marked) > 2 {
		t.marked = slices.Delete(t.marked, 0, 1)
	}
}

// Compare compares the two trees that are marked, or the marked one with the
// selected one. It reports whether there are two.
func (t *Trees) Compare() bool {
	if id, _, ok := t.Selected(); ok && len(t.marked) == 1 && t.marked[0] != id {
		t.marked = append(t.marked, id)
	}
	t.compare = len(t.marked) == 2
	t.down = 0
	return t.compare
}

// Comparing reports whether two trees are compared just now.
func (t *Trees) Comparing() bool { return t.compare }

// Size implements [overlay.Box]: nearly the whole screen, and all of a small one.
func (t *Trees) Size(w, h int) (bw, bh int) { return overlay.Most(w, h) }

// Back implements [overlay.Box]: it goes back from a comparison to the list, and
// takes the marks away.
func (t *Trees) Back() (closed bool) {
	switch {
	case t.compare:
		t.compare = false
	case len(t.marked) > 0:
		t.marked = nil
	default:
		return true
	}
	return false
}

// Move implements [overlay.Box].
func (t *Trees) Move(m overlay.Move) overlay.Request {
	at, n := &t.at, len(t.list)
	if t.compare {
		at, n = &t.down, len(t.table())
	}
	*at = m.From(*at, n, 5)
	if !t.compare && t.at < len(t.list) {
		t.selected = t.list[t.at].tree
	}
	return nil
}

// Contexts are where keys of the table have a meaning here besides those of any window.
func (t *Trees) Contexts() []keys.Context { return []keys.Context{keys.InReplays} }

// Act implements [overlay.Box].
func (t *Trees) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Accept:
		if tree, _, ok := t.Selected(); ok && !t.compare {
			return Open{tree}
		}
	case keys.Mark:
		if !t.compare {
			t.Mark()
		}
	case keys.Compare:
		t.Compare()
	}
	return nil
}

// Name is what the window is called where another one leads back to it.
func (t *Trees) Name() string { return "the list" }
