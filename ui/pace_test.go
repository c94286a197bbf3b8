package ui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
)

// TestPace counts deliveries in five seconds in which something waits at any time:
// 30 a second, 10 beside typing, and as many again at most when all of it is urgent.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name           string
		urgent, typing bool
		least, most    int
	}{
		{"usual", false, false, 145, 155},
		{"typing", false, true, 48, 52},
		{"urgent", true, false, 145, 315},
		{"urgent, typing", true, true, 145, 210},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &pace{now: time.Now}
			var urgent chan struct{}
			if c.urgent {
				urgent = make(chan struct{})
				close(urgent) // always ready
			}
			n := 0
			for end := time.Now().Add(5 * time.Second); time.Now().Before(end); n++ {
				if c.typing {
					p.typed(time.Now())
				}
				p.wait(t.Context(), urgent)
				p.last.Store(time.Now().UnixNano())
			}
			if n < c.least || n > c.most {
				t.Errorf("%s: %d deliveries, not %d to %d", c.name, n, c.least, c.most)
			}
		})
	}
}

// TestUrgentDoesNotWait delivers at once what is urgent shortly after a delivery.
func TestUrgentDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pace{now: time.Now}
		began := time.Now()
		p.typed(began)
		p.last.Store(began.UnixNano())
		urgent := make(chan struct{}, 1)
		urgent <- struct{}{}
		if p.wait(t.Context(), urgent); !time.Now().Equal(began) {
			t.Errorf("it waits %v", time.Since(began))
		}
	})
}

// TestNothingMovesOutOfSight stops the animation while the terminal is in the
// background, unless a question waits, and goes on when it is in front again.
func TestNothingMovesOutOfSight(t *testing.T) {
	st := &event.State{}
	meta := event.Meta{Agent: "root", At: time.Now(), Turn: "turn"}
	st.Apply(&event.AgentSpawned{Meta: event.Meta{Agent: "root"}, Role: "root"})
	st.Apply(&event.TurnStarted{Meta: meta})
	m := newBenchModel(st, 100, 30)
	step := func() bool { return m.dispatch(tickMsg{}) != nil }
	if !step() {
		t.Error("nothing moves while a turn runs")
	}
	m.Update(tea.BlurMsg{})
	if step() {
		t.Error("it moves in the background")
	}
	if m.Update(tea.FocusMsg{}); !m.clock.running || !m.dirty {
		t.Error("it does not go on in front")
	}
	m.Update(tea.BlurMsg{})
	asked(m)
	if !step() {
		t.Error("it does not move while a question waits")
	}
}
