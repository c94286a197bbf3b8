package code

import (
	"sync"
	"time"
)

// stopwatch calls a function when a time has run that does not count while it is
// held. It is safe for concurrent use.
type stopwatch struct {
	fire func()

	mu    sync.Mutex
	left  time.Duration // when it began to run last
	since time.Time
	holds int
	ended bool
	timer *time.Timer
}

// newStopwatch starts to run.
func newStopwatch(limit time.Duration, fire func()) *stopwatch {
	s := &stopwatch{fire: fire, left: limit, since: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(limit, s.expire)
	return s
}

// hold makes it stand still until release is called as often as hold was.
func (s *stopwatch) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds++; s.holds == 1 {
		s.timer.Stop()
		s.left -= time.Since(s.since)
	}
}

func (s *stopwatch) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds--; s.holds == 0 && !s.ended {
		s.since = time.Now()
		s.timer.Reset(max(s.left, 0))
	}
}

// expire is called by the timer, perhaps a moment after it was held.
func (s *stopwatch) expire() {
	s.mu.Lock()
	over := !s.ended && s.holds == 0 && time.Since(s.since) >= s.left
	s.ended = s.ended || over
	s.mu.Unlock()
	if over {
		s.fire()
	}
}

// stop ends it for good.
func (s *stopwatch) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.timer.Stop()
}
