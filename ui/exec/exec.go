// Package exec runs one prompt without a screen: the answer goes to the output,
// or every event as a line of JSON. No one is there to ask, so what would be
// asked is denied; the model and the user are told what that was.
//
// Guarantees:
//
//   - The output holds nothing but the answer, or nothing but events. What
//     subagents write is no answer; each of them has a line among the notices when it
//     begins and one when it has ended.
//   - [Run] follows the turn of its own prompt. Texts that waited in a resumed
//     conversation go first, and it says so. Subagents in the background are waited
//     for after that turn, and what the model says to their reports follows the
//     answer.
//   - With a schema the output is a value that fits it, or nothing.
//   - It can be interrupted at any moment, also while the store refuses to write,
//     and returns within [patience] then, if the output takes what is written. What
//     runs is stopped at once in any case.
package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// Options say what to run.
type Options struct {
	Prompt string
	// Images are files that go with the prompt.
	Images []string
	// JSON writes every event as a line of JSON instead of the answer.
	JSON bool
	Out  io.Writer
	// Err takes notices and explanations, sanitised by Clean.
	Err io.Writer
	// Clean makes text from outside safe to print.
	Clean func(string) string
	// Draw makes of an answer in Markdown what is printed of it; nil prints it as
	// Clean gives it.
	Draw func(string) string
	// Schema is what the answer has to fit; nil takes any.
	Schema *Schema
	// MaxCost is the cost from which an answer that does not fit is not asked for
	// again; 0 is no bound. What a turn may cost is a setting.
	MaxCost event.Money
	// Denies says that nothing is allowed that needs consent, whatever permissions say.
	Denies bool
}

// ErrTurn is a turn that did not complete, or whose answer cannot be used; its text
// says why.
type ErrTurn struct {
	Outcome event.TurnOutcome
	Explain string
	Unfit   bool // the answer does not fit the schema
	Timeout bool // the context ended with [ErrTimeout]
	// Stored reports whether the conversation holds the prompt, so that it can be
	// resumed.
	Stored bool
}

// Error implements error.
func (e *ErrTurn) Error() string { return e.Explain }

// ErrTimeout is the cause of a context that ended because the run took too long.
type ErrTimeout struct{ After time.Duration }

// Error implements error.
func (e ErrTimeout) Error() string {
	return fmt.Sprintf("Timed out after %s", e.After)
}

// patience is how long an interrupted turn may take to end.
const patience = 3 * time.Second

// run is one prompt on its way.
type run struct {
	o    Options
	c    Conversation
	live context.Context // of what is submitted
	fail context.CancelCauseFunc

	// sent is closed when the prompt is stored; id names it then.
	sent chan struct{}
	id   event.InputID

	turns   map[event.TurnID]event.InputID // what the turns answer
	asked   map[event.RequestID]event.Request
	running bool   // a turn of the root agent
	over    bool   // the turn of the prompt has completed
	answer  string // the newest text of the root agent in the running turn
	blocked string // why the store refuses, empty while it does not
	blocker event.AgentID

	corrections int         // that were asked for
	before      event.Usage // of the run

	state  event.State // what the events so far fold to
	family family
}

// Conversation is what a run needs of a conversation.
type Conversation interface {
	api.Core
	api.Control
	api.Attach
}

// Run submits the prompt and follows the conversation until its turn has ended.
// The error is an [*ErrTurn] when the turn did not complete or ctx ended first.
// The goroutine that submits ends with the conversation at the latest.
func Run(ctx context.Context, c Conversation, o Options) error {
	live, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &run{
		o: o, c: c, sent: make(chan struct{}), live: live, fail: fail,
		turns: map[event.TurnID]event.InputID{}, asked: map[event.RequestID]event.Request{}, family: newFamily(),
	}
	// What runs is stopped also while the output takes nothing.
	defer context.AfterFunc(ctx, func() { c.Interrupt(c.Root(), api.Subtree) })()
	if o.MaxCost > 0 {
		r.before = c.Fold().Usage()
	}
	prompt := o.Prompt
	if o.Schema != nil {
		prompt += o.Schema.ask()
	}
	go r.submit(live, fail, prompt, o.Images)
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
func (r *run) submit(ctx context.Context, fail context.CancelCauseFunc, prompt string, files []string) {
	images, err := r.attach(ctx, files)
	if err != nil {
		fail(err)
		return
	}
	id, err := r.c.Submit(prompt, images...)
	if err != nil {
		fail(err)
		return
	}
	r.id = id
	close(r.sent)
}

// attach reads the images that go with the prompt. One that cannot be sent ends the
// run before anything is.
func (r *run) attach(ctx context.Context, files []string) ([]event.Attachment, error) {
	var list []event.Attachment
	for _, name := range files {
		a, err := r.c.AttachLocal(ctx, name)
		if err != nil {
			return nil, &ImageError{fmt.Errorf("--image %s: %w", r.o.Clean(name), err)}
		}
		list = append(list, a)
	}
	return list, nil
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

// see shows an event and takes note of it. It returns the turn after which there
// is nothing more to follow.
func (r *run) see(ctx context.Context, e event.Event) (*event.TurnFinished, error) {
	r.state.Apply(e)
	if err := errors.Join(r.subagent(e), r.show(e)); err != nil {
		return nil, err
	}
	if e, is := e.(*event.PhaseChanged); is {
		return nil, r.phase(e)
	}
	if e.Head().Agent != r.c.Root() {
		return nil, nil // its words are for the agent above it
	}
	switch e := e.(type) {
	case *event.TurnStarted:
		r.running, r.answer = true, ""
	case *event.MessageCommitted:
		switch {
		case e.Role == event.RoleAssistant && e.Text != "":
			r.answer = e.Text
		case e.Role == event.RoleUser && !e.Steer && e.Origin != event.OriginHook:
			return nil, r.begins(ctx, e)
		}
	case *event.TurnFinished:
		return r.ends(ctx, e)
	}
	return nil, nil
}

// begins takes note of what a turn answers.
func (r *run) begins(ctx context.Context, e *event.MessageCommitted) error {
	r.turns[e.Turn] = e.Input
	if e.Origin == event.OriginAgent && r.family.owed() > 0 {
		r.family.reported++
	}
	own, err := r.own(ctx, e.Turn)
	if err != nil || own || r.over || e.Origin != "" {
		return err
	}
	return r.tell("A message that waited in this session goes first: " + oneLine(e.Text))
}

// ends takes note of the end of a turn. While subagents in the background are to
// report, there is more to follow after the turn of the prompt.
func (r *run) ends(ctx context.Context, e *event.TurnFinished) (*event.TurnFinished, error) {
	r.running = false
	own, err := r.own(ctx, e.Turn)
	if err != nil || !own && !r.over {
		return nil, err
	}
	n := r.family.owed()
	if n == 0 {
		return r.accept(e)
	}
	if e.Outcome != event.TurnCompleted {
		return e, r.tell(fmt.Sprintf("Subagents in the background whose reports are missing: %d. They are ended.", n))
	}
	r.over = true
	if r.o.Schema != nil {
		return nil, nil
	}
	return nil, errors.Join(r.print(), r.tell(fmt.Sprintf("Subagents in the background whose reports are awaited: %d.", n)))
}

// print writes the answer of a turn.
func (r *run) print() error {
	if r.o.JSON || r.answer == "" {
		return nil
	}
	if r.o.Schema != nil {
		_, err := fmt.Fprintf(r.o.Out, "%s\n", inert([]byte(r.answer)))
		return err
	}
	draw := r.o.Draw
	if draw == nil {
		draw = r.o.Clean
	}
	_, err := fmt.Fprintln(r.o.Out, draw(r.answer))
	return err
}

// own reports whether a turn answers the prompt. A turn begins only after the
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

// stored reports whether the conversation holds the prompt.
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
	if n := r.state.Usage().Unpriced - r.before.Unpriced; r.o.MaxCost > 0 && n > 0 {
		err = errors.Join(err, r.tell(fmt.Sprintf("The price of %s is not known, so that --max-cost does not bound them: pricing in config.yaml sets it.", format.Count(int(n), "model call", "model calls"))))
	}
	unfit, is := errors.AsType[*ErrTurn](err)
	if is && unfit.Unfit {
		return err
	}
	if r.o.Schema == nil || e.Outcome == event.TurnCompleted {
		err = errors.Join(err, r.print())
	}
	if e.Outcome == event.TurnCompleted {
		return err
	}
	return errors.Join(err, r.timed(&ErrTurn{Outcome: e.Outcome, Explain: e.Explain, Stored: true}))
}

// timed says of a turn that was stopped because it took too long why it was.
func (r *run) timed(e *ErrTurn) *ErrTurn {
	over, is := errors.AsType[ErrTimeout](context.Cause(r.live))
	if !is || e.Outcome != event.TurnInterrupted {
		return e
	}
	if rest, own := strings.CutPrefix(e.Explain, "Interrupted"); own {
		e.Explain = over.Error() + rest
	} else {
		e.Explain = over.Error() + ". " + e.Explain
	}
	e.Timeout = true
	return e
}

// accept ends the run, or asks again for an answer that does not fit.
func (r *run) accept(e *event.TurnFinished) (*event.TurnFinished, error) {
	if r.o.Schema == nil || e.Outcome != event.TurnCompleted {
		return e, nil
	}
	value, wrong := r.o.Schema.fit(r.answer)
	if wrong == nil {
		r.answer = value
		return e, nil
	}
	why := "The answer does not fit the schema: " + oneLine(wrong.Error())
	cost := r.state.Usage().Cost - r.before.Cost
	switch {
	case r.corrections == maxCorrections:
		return e, &ErrTurn{Outcome: e.Outcome, Unfit: true, Stored: true, Explain: why + "; it was asked for " + fmt.Sprint(1+maxCorrections) + " times."}
	case r.o.MaxCost > 0 && cost >= r.o.MaxCost:
		return e, &ErrTurn{Outcome: event.TurnExhausted, Unfit: true, Stored: true, Explain: why + "; it is not asked for again, since the run has cost what it may."}
	}
	r.corrections++
	r.over, r.sent = false, make(chan struct{})
	go r.submit(r.live, r.fail, correction(wrong), nil)
	return nil, r.tell(why + "; asking again.")
}

// busy reports whether the root agent has a turn or a subagent lives.
func (r *run) busy() bool { return r.running || len(r.state.Live()) > 0 }

// interrupt stops the turn that runs, and all subagents, and waits for its end,
// unless the store refuses, since it cannot end then. A prompt whose turn has not begun stays in
// the conversation and waits there for the user.
func (r *run) interrupt(ctx context.Context) error {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	r.c.Interrupt(r.c.Root(), api.Subtree)
	for r.busy() && r.blocked == "" || r.c.Pending() {
		events, err := r.c.Next(grace)
		if err != nil {
			break
		}
		for _, e := range events {
			if _, begun := e.(*event.TurnStarted); begun { // after the first one
				r.c.Interrupt(r.c.Root(), api.Subtree)
			}
			if end, err := r.see(grace, e); end != nil || err != nil {
				return r.finish(end, err)
			}
		}
	}
	out := &ErrTurn{Outcome: event.TurnInterrupted, Stored: r.stored()}
	switch {
	case r.running:
		out.Explain = "Interrupted; what was running did not stop in time and is ended now."
	case r.over:
		out.Explain = "Interrupted; the prompt was answered, and the subagents in the background are ended."
	case out.Stored:
		out.Explain = "Interrupted before the prompt was answered; it is kept and waits in the session."
	default:
		out.Explain = "Interrupted; the prompt was not stored and nothing was sent."
	}
	return r.timed(out)
}

// ImageError is an image that cannot be sent.
type ImageError struct{ error }

// Unwrap gives the cause.
func (e *ImageError) Unwrap() error { return e.error }
