package api

import (
	"context"
	"errors"
	"fmt"

	"hermes-tui/agent/event"
)

// Core is the least that a front end needs: the ids, what is submitted, the questions that are
// answered, and the events that come of it.
type Core interface {
	// ID returns the id of the conversation, Session that of the session it writes to, by
	// which the user resumes it, Root that of the root agent.
	ID() event.ConvID
	Session() event.SessionID
	Root() event.AgentID
	// Working reports whether something is under way that Close would end.
	Working() bool
	// Submit hands over what the user wrote, with images that were attached, and returns when
	// it is stored. A model that sees no images refuses them with a [*BlindError], unless they
	// are described. SubmitPasted is the same for a text of which some was pasted, with marks
	// in place of that in typed: only what was typed names something with an @.
	Submit(text string, images ...event.Attachment) (event.InputID, error)
	SubmitPasted(text, typed string, images ...event.Attachment) (event.InputID, error)
	// Answer resolves a request. It fails with [ErrStale] where that was resolved already.
	Answer(id event.RequestID, a event.Answer) error
	Inbox
	// Close ends the conversation and everything it runs.
	Close(ctx context.Context) error
}

// Inbox is the end of a mailbox from which a front end takes events.
type Inbox interface {
	// Next waits for events and returns everything pending, merged. State returns the
	// fold so far; a caller that goes on with Next misses nothing.
	Next(ctx context.Context) ([]event.Event, error)
	State() *event.State
	// Fold returns the fold as well and takes nothing: for all but the reader, on any goroutine.
	Fold() *event.State
	// Urgent receives when one of them is to be seen at once: the first pieces of a
	// block, or the end of something. A reader that spaces out calls of Next makes one then.
	Urgent() <-chan struct{}
	// Pending reports whether events wait for Next, or Handled was not called after it
	// returned some.
	Pending() bool
	// Handled takes what the reader has folded the events to, nil if it folds nothing:
	// blocks that are alike are held once then.
	Handled(folded *event.State)
}

// BlindError refuses images for a model that is known not to see any.
type BlindError struct{ Model string }

// Error implements error.
func (e *BlindError) Error() string {
	return fmt.Sprintf("the model %s cannot see images: choose a model that can with /model, which shows which see, or take the image out and send the text alone", e.Model)
}

// The ways an answer can be refused.
var (
	// ErrStale is an answer to a request that was resolved already.
	ErrStale = errors.New("that question was answered or withdrawn already")
	// ErrChoice is an answer that the request does not offer.
	ErrChoice = errors.New("that answer is not offered for this question")
)

// ToolOffer is a tool as the user sees it.
type ToolOffer struct {
	Name    string `json:"name"`
	Toolset string `json:"toolset"`
	// State is on, off, searched (the model has to look for it first) or missing.
	State string `json:"state"`
	// Why says why it is missing.
	Why string `json:"why,omitempty"`
	// Tokens is about what telling the model of it takes in every request.
	Tokens int `json:"tokens"`
}
