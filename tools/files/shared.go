package files

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"hermes-tui/tools"
)

// Registry is what the agents of a conversation know of each other's changes: who
// wrote a file last, and who is just writing it. It is safe for concurrent use.
// Locks are held while a change is made only, so their number is bounded by the
// calls in flight; of the writers the oldest are forgotten.
type Registry struct {
	mu      sync.Mutex
	members int
	writers *tools.Bounded[string, writer]
	locks   map[string]*pathLock
}

// writer is who changed a file last, and what was left there.
type writer struct {
	member int
	name   string
	sum    sum // the zero value when the file was deleted
}

// pathLock is taken by sending into it.
type pathLock struct {
	held  chan struct{}
	users int
}

// NewRegistry makes a registry that remembers the last writers of that many
// files; 0 is 4,096.
func NewRegistry(limit int) *Registry {
	if limit <= 0 {
		limit = remembered
	}
	return &Registry{writers: tools.NewBounded[string, writer](limit), locks: map[string]*pathLock{}}
}

// join gives a new member's number, from 1.
func (r *Registry) join() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members++
	return r.members
}

// wrote notes who has changed a file.
func (r *Registry) wrote(path string, w writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writers.Put(path, w)
}

// last gives who changed a file last.
func (r *Registry) last(path string) (writer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writers.Get(path)
}

// lock waits until no one else holds any of the paths, and holds them. Paths are
// taken in order, so that two that want the same ones cannot wait for each other.
func (r *Registry) lock(ctx context.Context, paths []string) (unlock func(), err error) {
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	var taken []string
	unlock = func() {
		for _, p := range taken {
			r.release(p, true)
		}
	}
	for _, p := range paths {
		l := r.enter(p)
		select {
		case l.held <- struct{}{}:
			taken = append(taken, p)
		case <-ctx.Done():
			r.release(p, false)
			unlock()
			return nil, fmt.Errorf("wait for another change of %q: %w", p, context.Cause(ctx))
		}
	}
	return unlock, nil
}

func (r *Registry) enter(path string) *pathLock {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.locks[path]
	if !ok {
		l = &pathLock{held: make(chan struct{}, 1)}
		r.locks[path] = l
	}
	l.users++
	return l
}

func (r *Registry) release(path string, held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.locks[path]
	if held {
		<-l.held
	}
	if l.users--; l.users == 0 {
		delete(r.locks, path)
	}
}
