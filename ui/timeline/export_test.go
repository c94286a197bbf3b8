package timeline

import (
	"slices"
	"time"

	"hermes-tui/agent/event"
)

// Replaying reports whether the past is shown.
func (t *Timeline) Replaying() bool { return t.past.on }

// Playing reports whether a replay plays.
func (t *Timeline) Playing() bool { return t.past.on && t.past.playing }

// Moment is the moment that a replay shows, since the tree began.
func (t *Timeline) Moment() time.Duration { return time.Duration(t.past.at) }

// Tree is the turn whose subagents are shown.
func (t *Timeline) Tree() event.TurnID { return t.tree }

// Marked are the trees that are marked, in the order of marking.
func (t *Trees) Marked() []event.TurnID { return slices.Clone(t.marked) }
