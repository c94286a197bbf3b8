package hooks

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// RunnerOptions say what a [Runner] needs.
type RunnerOptions struct {
	Shelf *Shelf
	// List gives the hooks that there are now.
	List func() []Hook
	// Dir is where they run, on this machine.
	Dir string
	// Session and Mode name the session and its approval mode.
	Session func() string
	Mode    func() string
	// Say tells the user something. It must not block.
	Say func(text string)
}

// Runner runs the hooks of a conversation.
type Runner struct {
	o      RunnerOptions
	listen atomic.Uint32 // a bit for each event with hooks
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	hooks [events][]listener
	said  map[string]bool // by hook and what was said of it
	queue []Input         // for those whom no one waits for
	busy  bool            // someone works on it
	ended bool            // nothing new begins
	began bool            // a turn has begun
	work  sync.WaitGroup
}

// listener is a hook with its matcher.
type listener struct {
	Hook
	matches compiled
}

// NewRunner makes a runner. It must be closed.
func NewRunner(o RunnerOptions) *Runner {
	r := &Runner{o: o, said: map[string]bool{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.load()
	return r
}

// Listens reports whether there is a hook for an event.
func (r *Runner) Listens(e Event) bool { return r.listen.Load()&(1<<e) != 0 }

// Reload takes over the hooks that there are now, since a turn begins.
func (r *Runner) Reload() {
	r.load()
	r.mu.Lock()
	r.began = true
	r.mu.Unlock()
}

// Began reports whether a turn has begun.
func (r *Runner) Began() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.began
}

// Held are the hooks that do not run as they are, without those that were switched off. They
// are not spoken of again until that changes.
func (r *Runner) Held() (list []Seen) {
	for _, h := range r.o.List() {
		seen := r.o.Shelf.Look(h, r.o.Dir)
		if seen.State == Approved || seen.State == Off {
			continue
		}
		list = append(list, seen)
		r.mu.Lock()
		r.said[h.ID()+" "+string(seen.State)] = true
		r.mu.Unlock()
	}
	return list
}

func (r *Runner) load() {
	var all [events][]listener
	var mask uint32
	for _, h := range r.o.List() {
		matches, err := h.compile()
		if err != nil { // it is spoken of, and one that is to refuse does, whatever it matches
			matches = func(...string) bool { return true }
		}
		all[h.Event] = append(all[h.Event], listener{h, matches})
		mask |= 1 << h.Event
	}
	r.mu.Lock()
	r.hooks = all
	r.mu.Unlock()
	r.listen.Store(mask)
}

// of are the hooks that an event is for.
func (r *Runner) of(in Input) (list []Hook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.hooks[in.Event] {
		if l.isFor(in) && l.matches(in.names()...) {
			list = append(list, l.Hook)
		}
	}
	return list
}

// Run runs the hooks of an event, one after the other, and gives what they say together.
// The first that refuses is the last that runs. What one changes the next one gets. The
// error is the cause of ctx.
func (r *Runner) Run(ctx context.Context, in Input) (all Answer, err error) {
	in = r.fill(in)
	for _, h := range r.of(in) {
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		seen := r.o.Shelf.Look(h, r.o.Dir)
		switch {
		case seen.State != Approved:
			r.sayOnce(h, string(seen.State), fmt.Sprintf("The %s hook %q does not run: %s. See /hooks.", h.When(), short(h.Command, 80), seen.Why))
			if h.closes() && seen.State != Off {
				all.Refused = closed(h, "it may not run, since "+seen.Why)
				return all, nil
			}
			continue
		case h.Background:
			r.aside(func() { r.o.Shelf.run(r.ctx, seen, in, r.o.Dir) })
			continue
		}
		a, note, failed := r.o.Shelf.run(ctx, seen, in, r.o.Dir)
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		if note != "" {
			r.o.Say(note)
		}
		if failed != "" {
			r.sayOnce(h, "failed", fmt.Sprintf("The %s hook %q failed: %s.", h.When(), short(h.Command, 80), failed))
			if h.closes() {
				all.Refused = closed(h, failed)
				return all, nil
			}
			continue
		}
		r.forget(h, "failed")
		if in = all.add(in, a); all.Refused != "" {
			return all, nil
		}
	}
	return all, nil
}

// closes reports whether a hook refuses when it does not say otherwise.
func (h Hook) closes() bool { return h.FailClosed && (h.Event.can(refuses) || h.Event.can(replaces)) }

func closed(h Hook, why string) string {
	return fmt.Sprintf("Refused, since a hook that has to agree (fail_closed) did not: %s: %s.", short(h.Command, 80), why)
}

// add takes over what a hook says, and gives what the next one is told.
func (a *Answer) add(in Input, more Answer) Input {
	a.Refused = more.Refused
	a.Context = append(a.Context, more.Context...)
	a.Ask, a.GoOn = first(a.Ask, more.Ask), first(a.GoOn, more.GoOn)
	if more.Args != nil {
		a.Args, in.Args = more.Args, more.Args
	}
	if more.Text != nil && in.Event.can(replaces) {
		a.Text = more.Text
		in.More = maps.Clone(in.More)
		for _, name := range []string{"result", "output", "response_text"} {
			if _, there := in.More[name]; there {
				in.More[name] = *more.Text
			}
		}
	}
	return in
}

func (r *Runner) fill(in Input) Input {
	in.Session, in.Mode = r.o.Session(), r.o.Mode()
	return in
}

// sayOnce tells the user of a hook what was not said of it yet.
func (r *Runner) sayOnce(h Hook, what, text string) {
	key := h.ID() + " " + what
	r.mu.Lock()
	known := r.said[key]
	r.said[key] = true
	r.mu.Unlock()
	if !known {
		r.o.Say(text)
	}
}

// forget lets something be said again.
func (r *Runner) forget(h Hook, what string) {
	r.mu.Lock()
	delete(r.said, h.ID()+" "+what)
	r.mu.Unlock()
}

// aside does something that no one waits for.
func (r *Runner) aside(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.work.Go(do)
	}
}

// maxQueue is how many events may wait for hooks that no one waits for.
const maxQueue = 1000

// Tell runs the hooks of an event, without waiting for them. They run in the order in which
// they were told.
func (r *Runner) Tell(in Input) {
	if !r.Listens(in.Event) {
		return
	}
	in = r.fill(in)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) >= maxQueue || r.ended {
		return
	}
	r.queue = append(r.queue, in)
	if !r.busy {
		r.busy = true
		r.work.Go(r.tell)
	}
}

// tell works on the queue until it is empty.
func (r *Runner) tell() {
	for {
		r.mu.Lock()
		if len(r.queue) == 0 || r.ctx.Err() != nil {
			r.busy, r.queue = false, nil
			r.mu.Unlock()
			return
		}
		in := r.queue[0]
		r.queue = r.queue[1:]
		r.mu.Unlock()
		_, _ = r.Run(r.ctx, in) // which ends with the runner only
	}
}

// Close waits for what was told, until ctx ends, and then ends what runs.
func (r *Runner) Close(ctx context.Context) {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		r.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	r.cancel()
	<-done
}
