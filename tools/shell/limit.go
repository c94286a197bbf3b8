package shell

import (
	"context"
	"sync"
	"time"

	"hermes-tui/tools"
)

// limit is the time a command may take. It stands still while a user is asked.
// It is safe for concurrent use.
type limit struct {
	mu     sync.Mutex
	left   time.Duration
	since  time.Time
	paused int
	timer  *time.Timer // nil without a limit
}

// newLimit gives a context that ends with [errTimeout] when the time is up. The
// caller must call stop.
func newLimit(ctx context.Context, d time.Duration) (_ context.Context, l *limit, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l = &limit{left: d, since: time.Now()}
	l.timer = time.AfterFunc(d, func() { cancel(errTimeout) })
	return ctx, l, func() {
		l.pause()
		cancel(nil)
	}
}

func (l *limit) pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paused++; l.paused == 1 && l.timer != nil {
		l.timer.Stop()
		l.left = max(l.left-time.Since(l.since), time.Second)
	}
}

func (l *limit) resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.paused--; l.paused == 0 && l.timer != nil {
		l.since = time.Now()
		l.timer.Reset(l.left)
	}
}

// untimedHost is a host whose questions stop a limit for as long as they wait.
type untimedHost struct {
	tools.Host
	limit *limit
}

// Ask implements [tools.Host].
func (p untimedHost) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	p.limit.pause()
	defer p.limit.resume()
	return p.Host.Ask(ctx, q)
}
