package agent

import (
	"context"
	"sync"
)

// Locals keeps looks back off the models of this machine and its network while agents need
// them: what runs there side by side holds each other up. One is for all conversations of a
// program, whatever the server: most share one processor. The zero value is ready, and its
// methods are safe for concurrent use.
type Locals struct {
	mu    sync.Mutex
	busy  int                // calls of agents under way
	looks map[*look]struct{} // under way
}

// look is a look back with a local model.
type look struct {
	stop  context.CancelCauseFunc
	ended chan struct{}
}

// call is told that a call of an agent begins. It ends looks back and waits for that; done
// is to be called at the end of the call.
func (l *Locals) call() (done func()) {
	l.mu.Lock()
	l.busy++
	var all []*look
	for k := range l.looks {
		all = append(all, k)
	}
	l.mu.Unlock()
	for _, k := range all {
		k.stop(errNeeded)
	}
	for _, k := range all {
		<-k.ended
	}
	return func() {
		l.mu.Lock()
		l.busy--
		l.mu.Unlock()
	}
}

// look lets a look back begin, false while there are calls of agents. stop is called when
// one begins, and done is to be called at the end, once or again.
func (l *Locals) look(stop context.CancelCauseFunc) (done func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy > 0 {
		return nil, false
	}
	k := &look{stop, make(chan struct{})}
	if l.looks == nil {
		l.looks = map[*look]struct{}{}
	}
	l.looks[k] = struct{}{}
	return sync.OnceFunc(func() {
		l.mu.Lock()
		delete(l.looks, k)
		l.mu.Unlock()
		close(k.ended)
	}), true
}
