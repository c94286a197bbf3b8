package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"hermes-tui/agent/app"
)

// The times that a program may take that was told to end: for doing so in its own
// way; for closing what it has open, when that took too long or there was a second
// signal; and for its last words.
const (
	orderlyTime = 5 * time.Second
	closingTime = 7 * time.Second // longer than an app takes at most
	hurryTime   = 3 * time.Second
	lastTime    = 250 * time.Millisecond
)

// signals see to it that a signal to end reaches what the program runs, also
// while the program itself waits for something that never comes, as for an output
// that no one reads.
type signals struct {
	mu   sync.Mutex
	app  *app.App
	halt func()        // stops what runs
	told bool          // to end
	done chan struct{} // closed when nothing is to be seen to any more
}

// end names the app that a signal closes at last, and what stops its turns at once.
func (g *signals) end(a *app.App, halt func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.app, g.halt = a, halt; g.told {
		halt()
	}
}

// interrupt stops what runs and gives the app.
func (g *signals) interrupt() *app.App {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.told = true; g.app != nil {
		g.halt()
	}
	return g.app
}

// stop leaves signals to the system again.
func (g *signals) stop() {
	if g.done != nil {
		close(g.done)
	}
}

// heed makes a context that ends with the first signal to end. restore puts the
// terminal back when the process has to be left; it may block.
func (s *sys) heed(ctx context.Context, restore func()) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	heard := make(chan os.Signal, 2)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // as nohup has it
			signal.Notify(heard, sig)
		}
	}
	s.signals.done = make(chan struct{})
	go func() {
		defer cancel()
		defer signal.Stop(heard)
		s.obey(ctx, cancel, heard, restore)
	}()
	return ctx
}

// obey waits for a signal and for what comes of it.
func (s *sys) obey(ctx context.Context, cancel func(), heard <-chan os.Signal, restore func()) {
	select {
	case <-heard:
	case <-ctx.Done():
	case <-s.signals.done:
		return
	}
	a := s.signals.interrupt()
	cancel()
	limit := closingTime
	select {
	case <-s.signals.done:
		return
	case <-heard:
		limit = hurryTime
	case <-time.After(orderlyTime):
	}
	if a != nil && s.signals.within(limit, func() { _ = a.Close() }) || s.signals.ended(lastTime) {
		return
	}
	s.signals.within(lastTime, func() {
		restore()
		s.complain("interrupted, and left before everything was shown. To resume: hermes-tui --continue")
	})
	s.exit(exitInterrupted)
}

// within runs something for so long at most. It reports whether the program has
// ended by itself meanwhile.
func (g *signals) within(limit time.Duration, do func()) bool {
	over := make(chan struct{})
	go func() {
		defer close(over)
		do()
	}()
	select {
	case <-g.done:
		return true
	case <-over:
	case <-time.After(limit):
	}
	return false
}

// ended waits for the program to end by itself.
func (g *signals) ended(limit time.Duration) bool {
	select {
	case <-g.done:
		return true
	case <-time.After(limit):
		return false
	}
}

// unread reports whether an error is that of writing for a reader that is gone.
func unread(err error) bool {
	path, ok := errors.AsType[*fs.PathError](err)
	return ok && errors.Is(path, syscall.EPIPE)
}
