package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// clock holds what the timers of the screen share.
type clock struct {
	conv    context.Context // ends with the conversation
	running bool            // an animation tick is on its way
	frame   int
	armGen  int
	pickGen int
	folded  bool // everything was folded last
}

// tickMsg is a step of the animation.
type tickMsg struct{}

// The steps of the animation. With reduced motion only stop-watches move.
const (
	tickEvery   = 100 * time.Millisecond
	tickClock   = 250 * time.Millisecond // nothing but times move
	tickReduced = time.Second
)

// after returns a command that sends a message after a while.
func (m *Model) after(d time.Duration, msg func() tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg() })
}

// animate starts the animation clock when something on the screen changes with
// time and it is not running.
func (m *Model) animate() tea.Cmd {
	if m.clock.running || !m.animating() {
		return nil
	}
	m.clock.running = true
	every := tickClock
	switch {
	case m.o.Settings.ReducedMotion:
		every = tickReduced
	case m.spinning():
		every = tickEvery
	}
	return m.after(every, func() tea.Msg { return tickMsg{} })
}

// animating reports whether anything on the screen changes with time, and someone
// may be looking: a terminal in the background is drawn when something happens, and
// while a question waits.
func (m *Model) animating() bool {
	if m.blurred && !m.panel.Active() {
		return false
	}
	return m.spinning() || m.state.Looking != nil || m.panel.Animating()
}

// handle takes a step of the animation. While events arrive, their frames show
// it as well; it has a frame of its own when none has been drawn for a while, and
// when it is the last step.
func (tickMsg) handle(m *Model) tea.Cmd {
	now := m.now()
	m.clock.running = false
	if !m.o.Settings.ReducedMotion {
		m.clock.frame++
	}
	m.tickRegions(now)
	next := m.animate()
	if next == nil || !m.pace.within(m.pace.now(), paceUsual) {
		m.dirty = true
	}
	return next
}
