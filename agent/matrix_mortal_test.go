package agent_test

import (
	"context"
	"sync"

	"hermes-tui/agent"
	"hermes-tui/store/sessions"
)

// mortal is a store that dies with some commit: from then on it takes nothing, as
// if the program had been killed. The commit itself is stored or not.
type mortal struct {
	agent.Store
	mu    sync.Mutex
	left  int // commits before it dies, negative for never
	after bool
	dead  chan struct{}
}

// Commit implements [agent.Store].
func (m *mortal) Commit(ctx context.Context, b sessions.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	gone := &sessions.Error{Kind: sessions.KindFull, Path: "state.db"}
	if m.died() {
		return gone
	}
	if m.left != 0 {
		m.left--
		return m.Store.Commit(ctx, b)
	}
	close(m.dead)
	if m.after {
		if err := m.Store.Commit(ctx, b); err != nil {
			return err
		}
	}
	return gone
}

func (m *mortal) died() bool {
	select {
	case <-m.dead:
		return true
	default:
		return false
	}
}
