package app

import (
	"context"
	"sync"
)

// background runs what no one waits for, such as asking for a list of models. All of
// it ends when the app closes. It is safe for concurrent use.
type background struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	closed bool
	group  sync.WaitGroup
}

func newBackground() *background {
	b := &background{}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// run starts f, unless the app is closing.
func (b *background) run(f func(ctx context.Context)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.group.Go(func() { f(b.ctx) })
	}
}

// close ends everything and waits for it.
func (b *background) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.cancel()
	b.group.Wait()
}
