// Package exec runs one prompt without a screen: the answer goes to the output,
// or every event as a line of JSON. Nobody is there to ask, so what would be
// asked is denied and the answer says so.
package exec

import (
	"context"
	"errors"
	"fmt"
	"io"

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
}

// Error implements error.
func (e *ErrTurn) Error() string { return e.Explain }

// Run submits the prompt and follows the conversation until its turn has ended.
// The error is an [*ErrTurn] when the turn did not complete.
func Run(ctx context.Context, c app.Conversation, o Options) error {
	if _, err := c.Submit(o.Prompt); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { c.Interrupt(c.Root()) })
	defer stop()
	answer := ""
	for {
		events, err := c.Next(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := o.show(e); err != nil {
				return err
			}
			switch e := e.(type) {
			case *event.MessageCommitted:
				if e.Role == event.RoleAssistant && e.Text != "" {
					answer = e.Text
				}
			case *event.TurnFinished:
				return o.finish(e, answer)
			}
		}
	}
}

// show writes an event as it comes.
func (o Options) show(e event.Event) error {
	if o.JSON {
		line, err := event.Marshal(e)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(o.Out, "%s\n", line)
		return err
	}
	switch e := e.(type) {
	case *event.NoticeRaised:
		_, err := fmt.Fprintln(o.Err, o.Clean(e.Text))
		return err
	case *event.RequestResolved:
		if e.By == event.ByPolicy {
			_, err := fmt.Fprintln(o.Err, "A question to the person was answered with no: nobody is there to ask.")
			return err
		}
	}
	return nil
}

// finish writes the answer and turns the outcome into an error.
func (o Options) finish(e *event.TurnFinished, answer string) error {
	var err error
	if !o.JSON && answer != "" {
		_, err = fmt.Fprintln(o.Out, o.Clean(answer))
	}
	if e.Outcome == event.TurnCompleted {
		return err
	}
	return errors.Join(err, &ErrTurn{Outcome: e.Outcome, Explain: e.Explain})
}
