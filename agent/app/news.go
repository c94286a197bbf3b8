package app

import "sync"

// news tells that something has changed. The zero value is ready.
type news struct {
	mu sync.Mutex
	ch chan struct{} // nil while no one waits
}

// next returns a channel that is closed at the next change.
func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch == nil {
		n.ch = make(chan struct{})
	}
	return n.ch
}

// stir wakes all that wait.
func (n *news) stir() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch != nil {
		close(n.ch)
	}
	n.ch = nil
}
