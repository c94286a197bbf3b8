package mcp

import (
	"context"
	"sync"
	"time"
)

// clock bounds how long a call takes. It stands while the user or a model is asked something
// for the call.
type clock struct {
	mu    sync.Mutex
	timer *time.Timer // nil while it stands
	end   func()
	left  time.Duration
	since time.Time
	held  int
	late  bool
}

// begin gives a context that ends when the time is over, and what reports whether it was.
func (c *clock) begin(ctx context.Context, within time.Duration) (timed context.Context, late func() bool, cancel func()) {
	timed, end := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.late, c.held = within, false, 0
	c.end = func() {
		c.mu.Lock()
		c.late = true
		c.mu.Unlock()
		end()
	}
	c.run()
	return timed, func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.late }, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stop()
		c.end = nil
		end()
	}
}

// run has the time go on, stop has it stand. The caller holds the lock.
func (c *clock) run() { c.since, c.timer = time.Now(), time.AfterFunc(c.left, c.end) }

func (c *clock) stop() {
	if c.timer != nil {
		c.timer.Stop()
		c.left -= time.Since(c.since)
		c.timer = nil
	}
}

// hold has the time stand until what it gives is called.
func (r *running) hold() (release func()) {
	c := &r.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held++; c.held == 1 {
		c.stop()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.held--; c.held == 0 && c.end != nil {
			c.left = max(c.left, time.Second) // the server still has to hear of it
			c.run()
		}
	}
}
