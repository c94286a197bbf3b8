package timeline

import (
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// Timeline draws the subagents of one turn as bars over time. The zero value is
// not ready, see [New].
//
// Its keys are those of [keys.InTimeline].
type Timeline struct {
	overlay.Silent
	st    *rows.Styles
	md    *markdown.Renderer
	bound *keys.Map
	hints []status.Hint
	tree  event.TurnID
	title string
	named bool // the title was looked for

	bars    []bar
	diaries map[event.AgentID]*diary
	order   []branch
	live    int
	frozen  bool

	selected event.AgentID
	at       int // where the selection was last
	top      int // of the rows in sight
	signs    int // cells of the widest glyph

	now   time.Time
	frame int
	wide  int // cells of a bar at the newest drawing
	past  replay
}

var _ overlay.Box = (*Timeline)(nil)

// The least window that shows anything.
const minWidth, minHeight = 20, 4

// New makes a timeline of the subagents of one turn. table has the keys that it names.
func New(st *rows.Styles, tree event.TurnID, table *keys.Map) *Timeline {
	return &Timeline{st: st, md: markdown.New(markdown.Options{}), tree: tree, bound: table, diaries: map[event.AgentID]*diary{}}
}

// SetStyles implements [overlay.Box].
func (t *Timeline) SetStyles(st *rows.Styles) { t.st = st }

// SetHints changes the reminders of the caller's keys: what enter does, what can be done
// with the marked agent, and how the window closes.
func (t *Timeline) SetHints(hints []status.Hint) { t.hints = hints }

// Sync takes the agents as they are now.
func (t *Timeline) Sync(s *event.State) {
	list := s.Tree(t.tree)
	t.order = branches(t.order[:0], list)
	t.bars, t.live, t.frozen = t.bars[:0], 0, s.Frozen
	for _, o := range t.order {
		a := list[o.at]
		d := t.diaries[a.ID]
		if d == nil {
			d = &diary{}
			t.diaries[a.ID] = d
		}
		t.bars = append(t.bars, newBar(a, o.guide, d))
		if !a.State.Ended() {
			t.live++
		}
	}
	if !t.named {
		t.title, t.named = promptOf(s.Root(), t.tree), true
	}
	t.reselect()
}

// reselect finds the selected agent again. When it is gone, the one that took its
// place is selected.
func (t *Timeline) reselect() {
	for i := range t.bars {
		if t.bars[i].sp.Agent == t.selected {
			t.at = i
			return
		}
	}
	t.at = max(min(t.at, len(t.bars)-1), 0)
	if t.at < len(t.bars) {
		t.selected = t.bars[t.at].sp.Agent
	}
}

// Tick tells the time and the frame of the animation. A replay that plays goes on
// by the time that has passed.
func (t *Timeline) Tick(now time.Time, frame int) {
	passed := now.Sub(t.now)
	if t.now.IsZero() {
		passed = 0
	}
	t.now, t.frame = now, frame
	t.play(passed)
}

// Animating reports whether the window changes as time goes by.
func (t *Timeline) Animating() bool {
	if t.past.on {
		return t.past.playing
	}
	return t.live > 0
}

// Selected is the selected agent, false without any.
func (t *Timeline) Selected() (event.AgentID, bool) {
	if t.at >= len(t.bars) {
		return "", false
	}
	return t.bars[t.at].sp.Agent, true
}

// Select selects an agent, if it is there.
func (t *Timeline) Select(id event.AgentID) {
	for i := range t.bars {
		if t.bars[i].sp.Agent == id {
			t.selected, t.at = id, i
			return
		}
	}
}

// Controls reports whether the selected agent can be stopped, paused or steered
// from here: not in a replay, and not when it has ended.
func (t *Timeline) Controls() bool {
	return !t.past.on && t.at < len(t.bars) && !t.bars[t.at].sp.State.Ended()
}

// Size implements [overlay.Box]: nearly the whole screen, and all of a small one.
func (t *Timeline) Size(w, h int) (bw, bh int) { return overlay.Most(w, h) }

// Back implements [overlay.Box]: it ends a replay that was begun in this window.
func (t *Timeline) Back() (closed bool) {
	if t.past.on && t.past.begun {
		t.endReplay()
		return false
	}
	return true
}

// Move implements [overlay.Box]: it selects another agent.
func (t *Timeline) Move(m overlay.Move) overlay.Request {
	t.at = m.From(t.at, len(t.bars), 10)
	if t.at < len(t.bars) {
		t.selected = t.bars[t.at].sp.Agent
	}
	return nil
}

// Control asks for an action on an agent.
type Control struct {
	Action keys.Action
	Agent  event.AgentID
}

// Promote asks to show an agent in the main view.
type Promote struct{ Agent event.AgentID }

// Open asks to open a tree.
type Open struct{ Tree event.TurnID }

// Past says that nothing can be done with the marked agent: it has ended, or what is
// shown is the past.
type Past struct{}

// Contexts are where keys of the table have a meaning besides those of any window.
func (t *Timeline) Contexts() []keys.Context { return []keys.Context{keys.InTimeline} }

// Act implements [overlay.Box].
func (t *Timeline) Act(a keys.Action) overlay.Request {
	id, marked := t.Selected()
	switch a {
	case keys.Accept:
		if marked {
			return Promote{id}
		}
	case keys.Kill, keys.KillTree, keys.Pause:
		if !marked || !t.Controls() {
			return Past{}
		}
		return Control{a, id}
	case keys.Left:
		t.stepBy(-1)
	case keys.Right:
		t.stepBy(1)
	case keys.Replay:
		t.ToggleReplay()
	case keys.Play:
		t.Play()
	case keys.NextEvent:
		t.Next()
	case keys.PrevEvent:
		t.Prev()
	case keys.Slower:
		t.Slower()
	case keys.Faster:
		t.Faster()
	}
	return nil
}
