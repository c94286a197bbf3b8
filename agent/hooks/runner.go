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
	woken []Text          // of hooks in the background, for the model
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
	for _, h := range r.o.List() {
		if h.FailClosed && !h.closes() {
			r.sayOnce(h, "idle", fmt.Sprintf("fail_closed has no effect for the %s hook %q: nothing can be refused at that event.", h.When(), short(h.Command, 80)))
		}
	}
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
		if h.Rewake { // what they say goes to the model with one of these
			mask |= 1<<PostToolCall | 1<<UserPromptSubmit
		}
	}
	r.mu.Lock()
	r.hooks = all
	r.mu.Unlock()
	r.listen.Store(mask)
}

// due is a hook with an event that it is for, and whether that is one file of a patch.
type due struct {
	Hook
	part *Input
}

// of are the hooks that an event is for. One for Claude Code hears of each file of a patch
// by itself.
func (r *Runner) of(in Input) (list []due) {
	files := in.files()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.hooks[in.Event] {
		fits := func(in Input) bool {
			return l.isFor(in) && l.matches(in.names()...) && l.holds(in, r.o.Dir, r.o.Shelf.o.Home)
		}
		switch {
		case l.Claude && len(files) > 0:
			for i := range files {
				if fits(files[i]) {
					list = append(list, due{l.Hook, &files[i]})
				}
			}
		case fits(in):
			list = append(list, due{Hook: l.Hook})
		}
	}
	return list
}

// Run runs the hooks of an event, one after the other, and gives what they say together.
// The first that refuses is the last that runs. What one changes the next one gets. The
// error is the cause of ctx.
func (r *Runner) Run(ctx context.Context, in Input) (all Answer, err error) {
	in = r.fill(in)
	if in.Event.can(adds) {
		all.Context = r.late()
	}
	for _, d := range r.of(in) {
		h, in := d.Hook, &in
		if d.part != nil {
			more := in.More
			in, d.part.More = d.part, more
		}
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
			told := *in
			r.aside(func() { r.wake(h, seen, told) })
			continue
		}
		a, note, failed := r.o.Shelf.run(ctx, seen, *in, r.o.Dir)
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
		if a.Args != nil && d.part != nil {
			a.Args = nil
			r.sayOnce(h, "part", fmt.Sprintf("The %s hook %q changed one file of a patch, which cannot be done here.", h.When(), short(h.Command, 80)))
		}
		if *in = all.add(*in, a); all.Refused != "" {
			return all, nil
		}
	}
	return all, nil
}

// wake runs a hook that no one waits for. What it refuses by then is told to the user, and
// to the model with the next event that can add something, if it is to be.
func (r *Runner) wake(h Hook, seen Seen, in Input) {
	a, _, _ := r.o.Shelf.run(r.ctx, seen, in, r.o.Dir)
	text := first(a.Refused, a.GoOn)
	if len(a.Context) > 0 && text == "" {
		text = a.Context[0].Text
	}
	if !h.Rewake || text == "" || r.ctx.Err() != nil {
		return
	}
	r.o.Say(fmt.Sprintf("The %s hook %q, which ran in the background, says: %s", h.When(), short(h.Command, 80), short(text, 300)))
	r.mu.Lock()
	r.woken = append(r.woken, Text{short(h.Command, 80), text})
	r.mu.Unlock()
}

// late is what hooks in the background have said for the model since.
func (r *Runner) late() (list []Text) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, r.woken = r.woken, nil
	return list
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
