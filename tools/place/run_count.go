package place

import "sync"

// runCount knows whether confined processes may be running.
type runCount struct {
	mu      sync.Mutex
	running int  // that were started, and have not ended
	left    bool // those may have left others
}

// add counts a process before its start. gone takes it away, once, after its end.
func (c *runCount) add() (gone func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
	c.left = true
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running--
	})
}

// any reports whether there may be one; look looks for those that were left.
func (c *runCount) any(look func() bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == 0 && c.left {
		c.left = look()
	}
	return c.running > 0 || c.left
}
