package agent

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// Store is where a conversation is kept; *sessions.DB is one.
type Store interface {
	// Commit stores the whole batch or nothing, and storing the same batch again
	// changes nothing.
	Commit(ctx context.Context, b sessions.Batch) error
	// Context is what the model gets of a session.
	Context(ctx context.Context, session string) ([]sessions.Message, error)
	// Shortened reports whether a session has a compression that can be taken back.
	Shortened(ctx context.Context, session string) (bool, error)
	// LockCompression takes the lock under which a session is compressed, and reports
	// false while another program has it.
	LockCompression(ctx context.Context, session, holder string) (bool, error)
	UnlockCompression(ctx context.Context, session, holder string) error
	// Chosen is what a user has dropped of a session, see [sessions.DB.Chosen].
	Chosen(ctx context.Context, session string) (dropped, replaced []sessions.Message, err error)
	// FindEvent is the newest event of a type whose body holds a text.
	FindEvent(ctx context.Context, conv, kind, part string) (sessions.Event, error)
	// TitleFree says whether a session can have a title, see [sessions.DB.TitleFree].
	TitleFree(ctx context.Context, title, session string) error
	// Image is one that is kept until its message holds it; a
	// [*sessions.NotFoundError] says that it is not.
	Image(ctx context.Context, id string) (sessions.Part, error)
}

// ErrClosed says that a conversation was shut down.
var ErrClosed = errors.New("the session is closed")

// ErrFolderGone says that the workspace is no longer where it was.
var ErrFolderGone = errors.New("the folder of this session is gone")

// batch is what must become durable together.
type batch struct {
	agent event.AgentID
	turn  event.TurnID
	// session is the agent's own when that is not the conversation's.
	session event.SessionID
	// create makes that session.
	create  *sessions.NewSession
	events  []event.Event
	rows    []sessions.Message
	effects []sessions.Effect
	// birth marks an input of the user: the first one stores the conversation
	// itself, if it is new, and where it stands.
	birth bool

	done chan error
	over <-chan struct{} // closed when nothing is stored any more
}

// wait blocks until the batch is stored. It returns [ErrClosed] when the
// conversation shut down before that.
func (b *batch) wait() error {
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

// partial is an answer in flight, whose text is checkpointed.
type partial interface {
	// checkpoint is the text so far; false when nothing changed since the last
	// call.
	checkpoint() (sessions.SavePartial, bool)
}

// committer is the one goroutine of a conversation that writes. It assigns
// sequence numbers, stores, and only then publishes; so what is on the screen
// as final is on the disk. While the store refuses, it holds everything back
// and tries again: nothing runs unrecorded.
type committer struct {
	store   Store
	box     *Mailbox
	ids     event.Source
	conv    event.ConvID
	session event.SessionID
	// create describes the conversation for its first commit.
	create func() *sessions.NewSession
	// opening are the events that say where the conversation stands. They are
	// stored before the first input; nil once that is done.
	opening func() []event.Event

	queue chan *batch
	poke  chan struct{} // partials appeared or went
	done  chan struct{} // closed when run has returned
	// quit ends when waiting for the store is no longer worth it.
	quit context.Context
	// storing says that a batch is on its way into the store.
	storing atomic.Bool

	mu       sync.Mutex
	partials map[event.AgentID]partial

	// The rest belongs to the goroutine of run.
	seq  uint64
	born bool
	// lost is why something could not be stored when the conversation closed.
	lost error
	// patience is how long the store may refuse a batch, 0 for as long as it likes.
	patience time.Duration
	log      *slog.Logger // nil for none
}

// Checkpoints of streamed text are at most this far apart.
const checkpointEvery = 250 * time.Millisecond

// The pauses between attempts to write to a store that refuses.
const (
	refusedPauseMin = 500 * time.Millisecond
	refusedPauseMax = 5 * time.Second
)

// enqueue hands a batch over. It must be waited for, see [batch.wait].
func (c *committer) enqueue(b *batch) *batch {
	b.done, b.over = make(chan error, 1), c.done
	select {
	case c.queue <- b:
	case <-c.done:
	}
	return b
}

// commit stores a batch and publishes its events.
func (c *committer) commit(b *batch) error { return c.enqueue(b).wait() }

// watch checkpoints an answer in flight until [committer.unwatch].
func (c *committer) watch(agent event.AgentID, p partial) {
	c.mu.Lock()
	c.partials[agent] = p
	c.mu.Unlock()
	c.wake()
}

func (c *committer) unwatch(agent event.AgentID) {
	c.mu.Lock()
	delete(c.partials, agent)
	c.mu.Unlock()
	c.wake()
}

// logEvents notes what was stored, by names.
func (c *committer) logEvents(events []event.Event) {
	if c.log == nil || !c.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	for _, e := range events {
		h := e.Head()
		c.log.Debug("event", "type", h.Type, "seq", h.Seq, "session", h.Session, "agent", h.Agent, "turn", h.Turn)
	}
}

func (c *committer) wake() { raise(c.poke) }

// run stores batches until stop is closed and the queue is empty.
func (c *committer) run(stop <-chan struct{}) {
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
func (c *committer) drain() {
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
func (c *committer) checkpoint() {
	c.mu.Lock()
	var effects []sessions.Effect
	for _, p := range c.partials {
		if e, changed := p.checkpoint(); changed {
			effects = append(effects, e)
		}
	}
	c.mu.Unlock()
	if len(effects) == 0 || !c.born {
		return
	}
	_ = c.store.Commit(c.quit, sessions.Batch{
		Conv: string(c.conv), Session: string(c.session), Effects: effects,
	})
}

// storeBatch stores one batch, trying until it succeeds or quit is closed.
func (c *committer) storeBatch(b *batch) error {
	now := c.ids.Now()
	if !c.born && !b.birth {
		for _, e := range b.events {
			c.stamp(e, b, now)
		}
		c.box.Put(b.events...)
		return nil
	}
	var first []event.Event
	row := sessions.Batch{Conv: string(c.conv), Session: string(c.sessionOf(b)), Create: b.create, Messages: b.rows, Effects: b.effects}
	if !c.born {
		row.Create = c.create()
	}
	if b.birth && c.opening != nil {
		first = c.opening()
	}
	if b.birth { // another program may have ended the session
		row.Effects = append(row.Effects[:len(row.Effects):len(row.Effects)], sessions.ReopenSession{})
	}
	events := append(first, b.events...)
	for _, e := range events {
		c.stamp(e, b, now)
	}
	seq, err := number(&row, events, c.seq)
	if err != nil {
		return err
	}
	if err := c.storeUntilDone(row, b); err != nil {
		return err
	}
	c.seq, c.born = seq, true
	c.logEvents(events)
	if b.birth {
		c.opening = nil
	}
	c.box.Put(events...)
	return nil
}

// number gives the durable ones of stamped events the sequence numbers after
// seq and adds them to a row. It returns the newest number.
func number(row *sessions.Batch, events []event.Event, seq uint64) (uint64, error) {
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
func (c *committer) sessionOf(b *batch) event.SessionID {
	if b.session != "" {
		return b.session
	}
	return c.session
}

// stamp fills the metadata that the committer knows.
func (c *committer) stamp(e event.Event, b *batch, now time.Time) {
	h := e.Head()
	h.Conv, h.Session, h.At = c.conv, c.sessionOf(b), now
	if h.Agent == "" {
		h.Agent = b.agent
	}
	if h.Turn == "" {
		h.Turn = b.turn
	}
	event.Stamp(e)
}

// storeUntilDone writes a row until the store takes it. Once the store has used up the
// patience, every later row is tried once.
func (c *committer) storeUntilDone(row sessions.Batch, b *batch) error {
	c.storing.Store(true)
	defer c.storing.Store(false)
	pause := refusedPauseMin
	var over <-chan time.Time
	if c.patience > 0 {
		over = time.After(c.patience)
	}
	var why error // the store's own reason, which giving up must not hide
	for {
		err := c.store.Commit(c.quit, row)
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
		c.status(b, event.PhaseBlocked, sentence(why)+" Nothing runs until the session can be saved.")
		select {
		case <-time.After(pause):
			pause = min(2*pause, refusedPauseMax)
		case <-over:
			c.patience = time.Nanosecond
			return why
		case <-c.quit.Done():
			if c.lost == nil {
				c.lost = why
			}
			return ErrClosed
		}
	}
}

// status publishes a live change of phase.
func (c *committer) status(b *batch, p event.Phase, detail string) {
	e := &event.PhaseChanged{Phase: p, Detail: detail}
	c.stamp(e, b, c.ids.Now())
	c.box.Put(e)
}

// refused reports whether an error is the store's and may pass, rather than a
// fault of the batch.
func refused(err error) bool {
	e, ok := errors.AsType[*sessions.Error](err)
	return ok && e.Kind != sessions.KindInvalid && e.Kind != sessions.KindNewer || errors.Is(err, context.Canceled)
}
