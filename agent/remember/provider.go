package remember

import (
	"context"
	"time"
)

// Session is the conversation that a call is about.
type Session struct {
	ID string `json:"session,omitempty"`
	// Project is the root of the folder it works in.
	Project string `json:"project,omitempty"`
}

// Turn is what was said in a turn.
type Turn struct {
	User   string `json:"user,omitempty"`
	Answer string `json:"answer,omitempty"`
}

// Write is a change of the notes that the program keeps itself.
type Write struct {
	Target string `json:"target,omitempty"` // memory or user
	Diff   string `json:"diff,omitempty"`   // in the unified form
}

// CloseTime bounds [Provider.Close].
const CloseTime = 5 * time.Second

// Provider remembers. What the user is to hear of is a [*Problem], each once; its other
// errors say that nothing came. All methods are safe for concurrent use.
type Provider interface {
	// Name is what the user knows its part of the prompt by, in one word.
	Name() string
	// Block is what stands in the system prompt, empty for nothing.
	Block(ctx context.Context, s Session) (string, error)
	// Prefetch gives what fits a message, in at most so many characters. It ends with ctx.
	Prefetch(ctx context.Context, s Session, message string, chars int) (string, error)
	// Sync tells of a turn that is over. It returns at once; failed hears later, on
	// another goroutine, of what went wrong.
	Sync(s Session, t Turn, failed func(error))
	// Wrote tells of a write, as Sync does.
	Wrote(s Session, w Write, failed func(error))
	// End tells that a conversation ends, for now.
	End(s Session)
	// Close waits for what was told and ends the provider, by force if it must, within
	// [CloseTime] and soon after the end of ctx.
	Close(ctx context.Context)
}
