package flight

import (
	"context"
	"sync"
	"time"
)

// frame is how often the clock moves while it is waited for the next item.
const frame = 50 * time.Millisecond

// Speed is how fast a recording is played to someone who looks on. It is safe for
// concurrent use.
type Speed struct {
	mu     sync.Mutex
	factor float64
	paused bool
	steps  int // still to be gone
	moved  chan struct{}
	at     int64
	begun  bool
	over   bool
}

// NewSpeed makes one of a factor; with step it waits for [Speed.Step].
func NewSpeed(factor float64, step bool) *Speed {
	return &Speed{factor: factor, paused: step, moved: make(chan struct{})}
}

func (s *Speed) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.moved)
	s.moved = make(chan struct{})
}

// Pause pauses, or goes on.
func (s *Speed) Pause() { s.change(func() { s.paused = !s.paused }) }

// Step goes on to the next item and pauses.
func (s *Speed) Step() { s.change(func() { s.paused, s.steps = true, s.steps+1 }) }

// Times changes the speed.
func (s *Speed) Times(factor float64) {
	s.change(func() { s.factor = min(max(s.factor*factor, 1.0/16), 1024) })
}

// State is where the playing is.
func (s *Speed) State() (at time.Duration, factor float64, paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(s.at) * time.Microsecond, s.factor, s.paused
}

// Over reports whether the playing is over.
func (s *Speed) Over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// wait waits until it is time for an item, in microseconds from the start, and moves the
// clock on the way.
func (s *Speed) wait(ctx context.Context, t int64, move func(int64)) error {
	for {
		s.mu.Lock()
		if !s.begun {
			s.at, s.begun = t, true
		}
		left := time.Duration(float64(t-s.at)/s.factor) * time.Microsecond
		moved := s.moved
		stepped := s.paused && s.steps > 0
		paused := s.paused
		due := stepped || left <= 0 && !paused
		if stepped {
			s.steps--
		}
		if due {
			s.at = max(s.at, t)
		}
		at, factor := s.at, s.factor
		s.mu.Unlock()
		if due {
			return ctx.Err()
		}
		if paused {
			select {
			case <-moved:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		nap := min(left, frame)
		select {
		case <-time.After(nap):
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
		at = min(at+int64(float64(nap.Microseconds())*factor)+1, t)
		s.mu.Lock()
		s.at = max(s.at, at)
		s.mu.Unlock()
		move(at)
	}
}
