package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
)

// TestAnyOrder lets a model answer with anything, well or badly, while a user
// submits, steers, takes back and interrupts, and while the program is closed or
// dies at any moment and goes on. Whatever the order, every request is valid for
// the strictest servers, so is what is stored, the screen shows what the journal
// says, nothing that was submitted is lost or comes twice, and no command runs
// twice. The number of a subtest is its seed.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	runs := uint64(300)
	if testing.Short() {
		runs = 30
	}
	seeds := make(chan uint64)
	var playing sync.WaitGroup
	for range 8 { // they wait for each other's clocks more than they compute
		playing.Go(func() {
			for seed := range seeds {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { newWorld(t, seed).play() })
			}
		})
	}
	for seed := range runs {
		seeds <- seed
	}
	close(seeds)
	playing.Wait()
}

// world is a conversation with a model and a user that do anything.
type world struct {
	*rig
	rng   *rand.Rand
	store *mortal
	opts  []option
	said  []*saying
	safe  bool // the program does not die any more
	tight bool // the model's context is small, and compressed
	// luck decides for the goroutines of the conversation.
	luck struct {
		sync.Mutex
		*rand.Rand
	}
}

// saying is a text of the user.
type saying struct {
	text string
	id   event.InputID
	// sure: it was accepted. back: it was taken back, or no one knows.
	sure, back bool
}

// actions is how much the user does.
const actions = 25

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 11))}
	w.luck.Rand = rand.New(rand.NewPCG(seed, 12))
	w.tight = w.rng.IntN(4) == 0
	w.rig = &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	w.serve(anything(w.rng, 4*actions))
	w.openStore()
	write(t, w.work, "a.txt", "alpha\nbeta\n")
	w.opts = []option{withMode(event.ModeOff), withBudget(2 + w.rng.IntN(8)), withStore(func(s agent.Store) agent.Store {
		w.store = &mortal{Store: s, left: -1, dead: make(chan struct{})}
		if !w.safe && w.rng.IntN(2) == 0 {
			w.store.left, w.store.after = w.rng.IntN(60), w.rng.IntN(2) == 0
		}
		return w.store
	}), func(c *agent.Config) {
		c.Policy = recovery.Policy{Retries: 1 + w.rng.IntN(3), Resends: w.rng.IntN(3)}
		c.Runtime.Stale = 50 * time.Millisecond
		if w.safe { // the last request has to arrive, however busy the machine is
			c.Runtime.Stale = time.Second
		}
		c.After = w.after
		if w.tight {
			c.Compression, c.Runtime.Model.ContextMax = usualCompression(), 3000
		}
		if w.rng.IntN(3) == 0 {
			c.Fallbacks = []agent.Fallback{{Name: "spare", Open: func(context.Context) (agent.Runtime, error) {
				return agent.Runtime{Client: c.Runtime.Client, Model: event.Model{Provider: "other", Name: "spare"}, Stale: c.Runtime.Stale}, nil
			}}}
		}
	}}
	w.start(nil, w.opts...)
	return w
}

// after ends most waits at once; the others last until they are cut short.
func (w *world) after(time.Duration) <-chan time.Time {
	end := make(chan time.Time, 1)
	w.luck.Lock()
	defer w.luck.Unlock()
	if w.luck.IntN(10) > 0 {
		end <- time.Time{}
	}
	return end
}

// play lets everything happen and checks what is left.
func (w *world) play() {
	for range actions {
		w.act()
		if w.store.died() {
			w.crash()
		}
	}
	w.settle()
	w.safe = true
	w.reopen()
	w.say(plainly(w.conv))
	w.settle()
	w.check()
}

// act does one thing that a user can do.
func (w *world) act() {
	switch w.rng.IntN(12) {
	case 0, 1, 2:
		w.say(plainly(w.conv))
	case 3:
		w.say(w.steer)
	case 4:
		w.takeBack()
	case 5:
		w.conv.Interrupt(w.conv.Root(), api.Self)
	case 6:
		w.conv.Flush()
	case 7:
		w.conv.Hurry(w.conv.Root())
	case 8:
		if w.rng.IntN(3) == 0 {
			w.reopen()
		}
	default:
		w.watch(time.Duration(1+w.rng.IntN(5)) * time.Millisecond)
	}
}

// during runs what waits for the store, which may die meanwhile.
func (w *world) during(do func()) {
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-w.store.dead:
		w.crash()
		<-done
	}
}

// say hands over a text that no other has.
func (w *world) say(how func(string) (event.InputID, error)) {
	s := &saying{text: fmt.Sprintf("<saying %d>", len(w.said))}
	w.said = append(w.said, s)
	w.during(func() {
		var err error
		if s.id, err = how(s.text); err == nil {
			s.sure = true
		} else if !errors.Is(err, journal.ErrClosed) {
			w.t.Errorf("submit: %v", err)
		}
	})
}

// takeBack takes a text out of the queue.
func (w *world) takeBack() {
	if len(w.said) == 0 {
		return
	}
	s, store := w.said[w.rng.IntN(len(w.said))], w.store
	w.during(func() {
		text, ok := w.conv.Unqueue(s.id)
		if ok && text != s.text {
			w.t.Errorf("took back %q, want %q", text, s.text)
		}
		s.back = s.back || ok
	})
	if !s.back && store.died() {
		s.sure = false // it may have been taken out
	}
}

// watch looks at what happens for a while, and answers questions or not.
func (w *world) watch(d time.Duration) {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	events, err := w.conv.Next(ctx)
	if err != nil {
		return
	}
	defer func() { w.conv.Handled(w.state) }()
	for _, e := range events {
		w.state.Apply(e)
		if f, ok := e.(*event.TurnFinished); ok && (f.Reason == "error" || f.Reason == "panic" || f.Outcome == event.TurnFailed && checkSentence(f.Explain) != nil) {
			w.t.Errorf("a turn ended %+v", f)
		}
	}
	w.log = append(w.log, events...)
	for _, q := range w.state.Requests {
		if w.rng.IntN(2) == 0 {
			err := w.conv.Answer(q.ID, event.Answer{Choice: event.ChoiceText, Text: "yes"})
			if err != nil && !errors.Is(err, api.ErrStale) {
				w.t.Errorf("answer: %v", err)
			}
		}
	}
}

// settle sends what waits and lets all turns end.
func (w *world) settle() {
	deadline := time.Now().Add(patience)
	for {
		w.watch(5 * time.Millisecond)
		switch {
		case w.store.died():
			w.crash()
		case time.Now().After(deadline):
			w.t.Fatalf("it does not end:\n%s", w.dump())
		case w.state.Busy():
			w.conv.Hurry(w.conv.Root())
			for _, q := range w.state.Requests {
				_ = w.conv.Answer(q.ID, event.Answer{Choice: event.ChoiceNone})
			}
		case len(w.state.Queue) > 0:
			w.conv.Flush()
		case !w.conv.Pending():
			return
		}
	}
}

// reopen closes the program and opens it again.
func (w *world) reopen() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	dead := w.store.dead // w.store is the next one soon
	go func() {
		select {
		case <-dead:
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := w.conv.Close(ctx); err != nil || w.store.died() {
		w.revived()
		return
	}
	live := w.conv.State()
	past := w.revived()
	if past == nil {
		return
	}
	if d := differ(normalState(live), normalState(past)); d != "" {
		w.t.Errorf("the screen and the journal differ: %s", d)
	}
}

// crash ends the conversation of a program that died.
func (w *world) crash() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.conv.Close(ctx) // it cannot end well
	w.revived()
}

// revived goes on with what is stored, if anything is, and gives the state of it.
func (w *world) revived() *event.State {
	w.t.Helper()
	if _, err := w.db.Session(w.t.Context(), string(w.conv.Session())); err != nil {
		w.start(nil, w.opts...)
		return nil
	}
	past := w.revive()
	if again := w.revive(); normalState(again.State) != normalState(past.State) || again.Seq != past.Seq {
		w.t.Errorf("revived differently the second time: %s", differ(normalState(past.State), normalState(again.State)))
	}
	if past.State.Busy() || len(past.State.Requests) > 0 {
		w.t.Error("revived in the middle of a turn")
	}
	w.checkHistory()
	state := past.State.Clone()
	w.start(past, w.opts...)
	return state
}

// TestAfterClose changes a conversation that is closed.
func TestAfterClose(t *testing.T) {
	r := newRig(t, say())
	r.submit("go")
	if err := r.conv.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"submit": func() error { _, err := r.conv.Submit("x"); return err },
		"mode":   func() error { return r.conv.SetMode(event.ModePlan) },
		"title":  func() error { return r.conv.SetTitle("x") },
	} {
		for range 20 {
			done := make(chan error, 1)
			go func() { done <- change() }()
			select {
			case err := <-done:
				if !errors.Is(err, journal.ErrClosed) {
					t.Fatalf("%s says %v", name, err)
				}
			case <-time.After(patience):
				t.Fatalf("%s waits for ever", name)
			}
		}
	}
}

// steer hands a text to the root's turn.
func (w *world) steer(text string) (event.InputID, error) { return w.conv.Steer(w.conv.Root(), text) }
