// Package exec runs one prompt without a screen: the answer goes to the output,
// or every event as a line of JSON. Nobody is there to ask, so what would be
// asked is denied; the model and the person are told what that was.
//
// Guarantees:
//
//   - The output holds nothing but the answer, or nothing but events.
//   - [Run] follows the turn of its own prompt. Texts that waited in a resumed
//     conversation go first, and it says so.
//   - It can be interrupted at any moment, also while the store refuses to write,
//     and returns within [patience] then.
package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
)

// Options say what to run.
type Options struct {
	Prompt string
	// JSON writes every event as a line of JSON instead of the answer.
	JSON bool
	Out  io.Writer
	// Err takes notices and explanations, sanitised by Clean.
	Err io.Writer
	// Clean makes text from outside safe to print.
	Clean func(string) string
}

// ErrTurn is a turn that did not complete; its text says why.
type ErrTurn struct {
	Outcome event.TurnOutcome
	Explain string
	// Stored tells whether the conversation holds the prompt, so that it can be
	// resumed.
	Stored bool
}

// Error implements error.
func (e *ErrTurn) Error() string { return e.Explain }

// patience is how long an interrupted turn may take to end.
const patience = 3 * time.Second

// run is one prompt on its way.
type run struct {
	o Options
	c app.Conversation

	// sent is closed when the prompt is stored; id names it then.
	sent chan struct{}
	id   event.InputID

	turns   map[event.TurnID]event.InputID // what the turns answer
	asked   map[event.RequestID]event.Request
	running bool
	answer  string // the newest text of the running turn
	blocked string // why the store refuses, empty while it does not
}

// Run submits the prompt and follows the conversation until its turn has ended.
// The error is an [*ErrTurn] when the turn did not complete or ctx ended first.
// The goroutine that submits ends with the conversation at the latest.
func Run(ctx context.Context, c app.Conversation, o Options) error {
	live, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &run{
		o: o, c: c, sent: make(chan struct{}),
		turns: map[event.TurnID]event.InputID{}, asked: map[event.RequestID]event.Request{},
	}
	go r.submit(fail)
	err := r.follow(live)
	if ctx.Err() == nil || err == nil {
		return err
	}
	if _, ended := errors.AsType[*ErrTurn](err); ended {
		return err
	}
	return r.interrupt(ctx)
}

// submit hands the prompt over; it blocks for as long as the store refuses.
func (r *run) submit(fail context.CancelCauseFunc) {
	id, err := r.c.Submit(r.o.Prompt)
	if err != nil {
		fail(err)
		return
	}
	r.id = id
	close(r.sent)
}

// follow shows what happens until the turn of the prompt has ended.
func (r *run) follow(ctx context.Context) error {
	for {
		events, err := r.c.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			ended, err := r.see(ctx, e)
			if ended != nil || err != nil {
				return r.finish(ended, err)
			}
		}
	}
}

// see shows an event and takes note of it. It returns the end of the prompt's
// turn.
func (r *run) see(ctx context.Context, e event.Event) (*event.TurnFinished, error) {
	if err := r.show(e); err != nil {
		return nil, err
	}
	switch e := e.(type) {
	case *event.StatusChanged:
		return nil, r.phase(e)
	case *event.TurnStarted:
		r.running, r.answer = true, ""
	case *event.MessageCommitted:
		switch {
		case e.Role == event.RoleAssistant && e.Text != "":
			r.answer = e.Text
		case e.Role == event.RoleUser && !e.Steer:
			r.turns[e.Turn] = e.Input
			own, err := r.own(ctx, e.Turn)
			if err != nil || own {
				return nil, err
			}
			return nil, r.tell("A message that waited in this conversation goes first: " + oneLine(e.Text))
		}
	case *event.TurnFinished:
		r.running = false
		own, err := r.own(ctx, e.Turn)
		if err == nil && own {
			return e, nil
		}
		return nil, err
	}
	return nil, nil
}

// own tells whether a turn answers the prompt. A turn begins only after the
// prompt is stored, so it is known very soon.
func (r *run) own(ctx context.Context, id event.TurnID) (bool, error) {
	if !r.stored() {
		select {
		case <-r.sent:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	return r.turns[id] == r.id, nil
}

// stored tells whether the conversation holds the prompt.
func (r *run) stored() bool {
	select {
	case <-r.sent:
		return true
	default:
		return false
	}
}

// finish writes the answer and turns the outcome into an error.
func (r *run) finish(e *event.TurnFinished, err error) error {
	if e == nil {
		return err
	}
	if !r.o.JSON && r.answer != "" {
		_, werr := fmt.Fprintln(r.o.Out, r.o.Clean(r.answer))
		err = errors.Join(err, werr)
	}
	if e.Outcome == event.TurnCompleted {
		return err
	}
	return errors.Join(err, &ErrTurn{Outcome: e.Outcome, Explain: e.Explain, Stored: true})
}

// interrupt stops the turn that runs and waits for its end, unless the store
// refuses, since it cannot end then. A prompt whose turn has not begun stays in
// the conversation and waits there for the person.
func (r *run) interrupt(ctx context.Context) error {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	r.c.Interrupt(r.c.Root(), app.Self)
	for r.running && r.blocked == "" || r.c.Pending() {
		events, err := r.c.Next(grace)
		if err != nil {
			break
		}
		r.c.Interrupt(r.c.Root(), app.Self) // the turn may have begun after the first one
		for _, e := range events {
			if end, err := r.see(grace, e); end != nil || err != nil {
				return r.finish(end, err)
			}
		}
	}
	out := &ErrTurn{Outcome: event.TurnInterrupted, Stored: r.stored()}
	switch {
	case r.running:
		out.Explain = "Interrupted; what was running did not stop in time and is ended now."
	case out.Stored:
		out.Explain = "Interrupted before the prompt was answered; it is kept and waits in the conversation."
	default:
		out.Explain = "Interrupted; the prompt was not stored and nothing was sent."
	}
	return out
}
