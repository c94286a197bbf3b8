package mcp

import (
	"math"
	"time"
)

// begin notes a call that begins; what it gives notes that it has ended.
func (s *server) begin() (end func()) {
	s.mu.Lock()
	s.using++
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		s.using--
		s.used = s.o.Now()
		s.mu.Unlock()
	}
}

// restIn is how long a program that began then still runs when no one calls it.
func (s *server) restIn(began time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restAfter(began)
}

// restAfter is restIn for who holds the lock.
func (s *server) restAfter(began time.Time) time.Duration {
	left, now := time.Duration(math.MaxInt64), s.o.Now()
	if s.c.Command == "" {
		return left
	}
	if s.c.IdleTimeout > 0 {
		left = s.c.IdleTimeout - now.Sub(s.used)
	}
	if s.c.MaxLifetime > 0 {
		left = min(left, s.c.MaxLifetime-now.Sub(began))
	}
	return left
}

// letRest takes the session from those who might call, if it is due and no call runs.
func (s *server) letRest(began time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.using > 0 || s.restAfter(began) > 0 {
		return false
	}
	s.session = nil
	return true
}

// rest notes whether a server rests.
func (s *server) rest(yes bool) {
	s.mu.Lock()
	s.rested = yes
	s.mu.Unlock()
}
