package ui

import (
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// TestTickHasAFrameWhenItNeedsOne holds a step of the animation to a frame of its
// own unless the frame of a delivery shows it.
func TestTickHasAFrameWhenItNeedsOne(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name      string
		busy      bool
		delivered time.Time
		frame     bool
	}{
		{"text arrives", true, now.Add(-paceUsual / 2), false},
		{"nothing arrives", true, now.Add(-2 * paceUsual), true},
		{"the last step", false, now, true},
	} {
		st := &event.State{}
		meta := event.Meta{Agent: "root", At: now}
		st.Apply(&event.AgentSpawned{Meta: meta, Role: "root"})
		if c.busy {
			meta.Turn = "turn"
			st.Apply(&event.TurnStarted{Meta: meta})
		}
		m := newBenchModel(st, 100, 30)
		m.pace.last.Store(c.delivered.UnixNano())
		m.dirty = false
		m.o.Now = func() time.Time { return now }
		next := m.dispatch(tickMsg{})
		if m.dirty != c.frame || (next != nil) != c.busy {
			t.Errorf("%s: a frame %t, another step %t", c.name, m.dirty, next != nil)
		}
	}
}
