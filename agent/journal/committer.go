package journal

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// Store is where batches go; *sessions.DB is one.
type Store interface {
	// Commit stores the whole batch or nothing, and storing the same batch again
	// changes nothing.
	Commit(ctx context.Context, b sessions.Batch) error
}

// ErrClosed means that the conversation was shut down.
var ErrClosed = errors.New("the session is closed")

// Batch holds the events, messages and effects that become durable together.
type Batch struct {
	Agent event.AgentID
	Turn  event.TurnID
	// Session is that of the agent, empty for that of the conversation.
	Session event.SessionID
	// Create makes Session, nil where it exists.
	Create  *sessions.NewSession
	Events  []event.Event
	Rows    []sessions.Message
	Effects []sessions.Effect
	// Birth marks an input of the user: the first one also stores the conversation and its
	// opening events.
	Birth bool

	done chan error
	over <-chan struct{} // closed when nothing is stored any more
}

// Wait blocks until the batch is stored. It returns [ErrClosed] when the
// conversation shut down before that.
func (b *Batch) Wait() error {
	select {
	case err := <-b.done:
		return err
	case <-b.over:
	}
	select {
	case err := <-b.done: // it was the last but one thing to happen
		return err
	default:
		return ErrClosed // it came into the queue too late
	}
}

// Partial is an answer in flight, whose text is checkpointed.
type Partial interface {
	// Checkpoint returns the text so far; false when nothing changed since the last
	// call.
	Checkpoint() (sessions.SavePartial, bool)
}

// Options are what a [Committer] is made of.
type Options struct {
	Store   Store
	Box     *Mailbox
	IDs     event.Source
	Conv    event.ConvID
	Session event.SessionID
	// Create describes the conversation for its first commit.
	Create func() *sessions.NewSession
	// Opening returns the events that say where the conversation stands. They are
	// stored before the first input.
	Opening func() []event.Event
	// Seq is the newest number of what is stored, Born reports whether anything is.
	Seq  uint64
	Born bool
	// Quit ends when waiting for the store is no longer worth it.
	Quit context.Context
	// Patience is how long the store may refuse a batch, 0 for as long as it likes.
	Patience time.Duration
	Log      *slog.Logger // nil for none
}

// Committer is the one writer of a conversation. It assigns sequence numbers, stores, and only
// then publishes, so that everything shown as final is on the disk. While the store refuses, it
// holds everything back and tries again: nothing runs unrecorded.
type Committer struct {
	o Options // Seq, Born, Opening and Patience belong to the goroutine of run

	queue   chan *Batch
	poke    chan struct{} // partials appeared or went
	done    chan struct{} // closed when run has returned
	storing atomic.Bool   // a batch is on its way into the store

	mu       sync.Mutex
	partials map[event.AgentID]Partial

	lost error // why something could not be stored when Quit ended
}

// New returns a committer, which works while [Committer.Run] does.
func New(o Options) *Committer {
	return &Committer{
		o: o, queue: make(chan *Batch, 64), poke: make(chan struct{}, 1), done: make(chan struct{}),
		partials: map[event.AgentID]Partial{},
	}
}

// Storing reports whether a batch is on its way into the store.
func (c *Committer) Storing() bool { return c.storing.Load() }

// Lost returns why something could not be stored, once run has returned; nil for nothing.
func (c *Committer) Lost() error { return c.lost }

// Checkpoints of streamed text are at most this far apart.
const checkpointEvery = 250 * time.Millisecond

// The pauses between attempts to write to a store that refuses.
const (
	refusedPauseMin = 500 * time.Millisecond
	refusedPauseMax = 5 * time.Second
)

// Enqueue hands a batch over. It must be waited for, see [Batch.Wait].
func (c *Committer) Enqueue(b *Batch) *Batch {
	b.done, b.over = make(chan error, 1), c.done
	select {
	case c.queue <- b:
	case <-c.done:
	}
	return b
}

// Commit stores a batch and publishes its events.
func (c *Committer) Commit(b *Batch) error { return c.Enqueue(b).Wait() }

// Watch checkpoints an answer in flight until [Committer.Unwatch].
func (c *Committer) Watch(agent event.AgentID, p Partial) {
	c.mu.Lock()
	c.partials[agent] = p
	c.mu.Unlock()
	c.wake()
}

// Unwatch ends [Committer.Watch].
func (c *Committer) Unwatch(agent event.AgentID) {
	c.mu.Lock()
	delete(c.partials, agent)
	c.mu.Unlock()
	c.wake()
}

// logEvents notes what was stored, by names.
func (c *Committer) logEvents(events []event.Event) {
	if c.o.Log == nil || !c.o.Log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	for _, e := range events {
		h := e.Head()
		c.o.Log.Debug("event", "type", h.Type, "seq", h.Seq, "session", h.Session, "agent", h.Agent, "turn", h.Turn)
	}
}

func (c *Committer) wake() { raise(c.poke) }

// Run stores batches until stop is closed and the queue is empty.
func (c *Committer) Run(stop <-chan struct{}) {
	defer close(c.done)
	tick := time.NewTicker(checkpointEvery)
	tick.Stop()
	ticking := false
	for {
		c.mu.Lock()
		want := len(c.partials) > 0
		c.mu.Unlock()
		if want != ticking { // an idle conversation wakes no one
			if ticking = want; want {
				tick.Reset(checkpointEvery)
			} else {
				tick.Stop()
			}
		}
		select {
		case b := <-c.queue:
			b.done <- c.storeBatch(b)
		case <-c.poke:
		case <-tick.C:
			c.checkpoint()
		case <-stop:
			c.drain()
			return
		}
	}
}

// drain stores what is still queued.
func (c *Committer) drain() {
	for {
		select {
		case b := <-c.queue:
			b.done <- c.storeBatch(b)
		default:
			return
		}
	}
}

// checkpoint stores the text of answers in flight. It is a safety net: when it
// fails, the commit of the message itself will say so.
func (c *Committer) checkpoint() {
	c.mu.Lock()
	var effects []sessions.Effect
	for _, p := range c.partials {
		if e, changed := p.Checkpoint(); changed {
			effects = append(effects, e)
		}
	}
	c.mu.Unlock()
	if len(effects) == 0 || !c.o.Born {
		return
	}
	_ = c.o.Store.Commit(c.o.Quit, sessions.Batch{
		Conv: string(c.o.Conv), Session: string(c.o.Session), Effects: effects,
	})
}

// storeBatch stores one batch, trying until it succeeds or quit is closed.
func (c *Committer) storeBatch(b *Batch) error {
	now := c.o.IDs.Now()
	if !c.o.Born && !b.Birth {
		for _, e := range b.Events {
			c.Stamp(e, b, now)
		}
		c.o.Box.Put(b.Events...)
		return nil
	}
	var first []event.Event
	row := sessions.Batch{Conv: string(c.o.Conv), Session: string(c.sessionOf(b)), Create: b.Create, Messages: b.Rows, Effects: b.Effects}
	if !c.o.Born {
		row.Create = c.o.Create()
	}
	if b.Birth && c.o.Opening != nil {
		first = c.o.Opening()
	}
	if b.Birth { // another program may have ended the session
		row.Effects = append(row.Effects[:len(row.Effects):len(row.Effects)], sessions.ReopenSession{})
	}
	events := append(first, b.Events...)
	for _, e := range events {
		c.Stamp(e, b, now)
	}
	seq, err := Number(&row, events, c.o.Seq)
	if err != nil {
		return err
	}
	if err := c.storeUntilDone(row, b); err != nil {
		return err
	}
	c.o.Seq, c.o.Born = seq, true
	c.logEvents(events)
	if b.Birth {
		c.o.Opening = nil
	}
	c.o.Box.Put(events...)
	return nil
}

// Number gives the durable ones of stamped events the sequence numbers after
// seq and adds them to a row. It returns the newest number.
func Number(row *sessions.Batch, events []event.Event, seq uint64) (uint64, error) {
	for _, e := range events {
		if !event.Durable(e) {
			continue
		}
		seq++
		h := e.Head()
		h.Seq = seq
		body, err := event.Marshal(e)
		if err != nil {
			return 0, err
		}
		row.Events = append(row.Events, sessions.Event{
			Seq: seq, Agent: string(h.Agent), Turn: string(h.Turn), Type: string(h.Type), At: h.At, Body: body,
		})
	}
	return seq, nil
}

// sessionOf is the session that a batch belongs to.
func (c *Committer) sessionOf(b *Batch) event.SessionID {
	if b.Session != "" {
		return b.Session
	}
	return c.o.Session
}

// Stamp fills the metadata that the committer knows.
func (c *Committer) Stamp(e event.Event, b *Batch, now time.Time) {
	h := e.Head()
	h.Conv, h.Session, h.At = c.o.Conv, c.sessionOf(b), now
	if h.Agent == "" {
		h.Agent = b.Agent
	}
	if h.Turn == "" {
		h.Turn = b.Turn
	}
	event.Stamp(e)
}

// storeUntilDone writes a row until the store takes it. Once the store has used up the
// patience, every later row is tried once.
func (c *Committer) storeUntilDone(row sessions.Batch, b *Batch) error {
	c.storing.Store(true)
	defer c.storing.Store(false)
	pause := refusedPauseMin
	var over <-chan time.Time
	if c.o.Patience > 0 {
		over = time.After(c.o.Patience)
	}
	var why error // the store's own reason, which giving up must not hide
	for {
		err := c.o.Store.Commit(c.o.Quit, row)
		if err == nil {
			if pause != refusedPauseMin {
				c.status(b, event.PhasePreparing, "")
			}
			return nil
		}
		if !refused(err) {
			return err
		}
		if why == nil || !errors.Is(err, context.Canceled) {
			why = err
		}
		c.status(b, event.PhaseBlocked, tools.Sentence(why)+" Nothing runs until the session can be saved.")
		select {
		case <-time.After(pause):
			pause = min(2*pause, refusedPauseMax)
		case <-over:
			c.o.Patience = time.Nanosecond
			return why
		case <-c.o.Quit.Done():
			if c.lost == nil {
				c.lost = why
			}
			return ErrClosed
		}
	}
}

// status publishes a live change of phase.
func (c *Committer) status(b *Batch, p event.Phase, detail string) {
	e := &event.PhaseChanged{Phase: p, Detail: detail}
	c.Stamp(e, b, c.o.IDs.Now())
	c.o.Box.Put(e)
}

// refused reports whether an error is the store's and may pass, rather than a
// fault of the batch.
func refused(err error) bool {
	e, ok := errors.AsType[*sessions.Error](err)
	return ok && e.Kind != sessions.KindInvalid && e.Kind != sessions.KindNewer || errors.Is(err, context.Canceled)
}
