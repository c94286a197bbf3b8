package tools

import "context"

// Host is all that a tool may ask of its surroundings. The agent implements it.
type Host interface {
	// Ask puts a question to the person and blocks until it is answered. It
	// returns the context's cause when the call is cancelled meanwhile, and an
	// answer with Choice [ChoiceNone] when nobody is there to ask.
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Question is what a person is asked. Exactly one field is set.
type Question struct {
	Approval *Approval
	Clarify  *Clarify
}

// Approval asks whether an action may run.
type Approval struct {
	Verb     string // "run", "write"
	Text     string // whole and canonical, what hides is spelled out
	SHA256   string // hex digest of what will run
	Reason   string
	Category string
	Words    []string // what caused the question
	Dir      string
	Rule     string // what "session" and "always" allow; empty: not offered
}

// Clarify asks for information.
type Clarify struct {
	Question string
	Choices  []string // empty: free text only
}

// Choice is how a person decided.
type Choice string

// The choices.
const (
	ChoiceOnce    Choice = "once"
	ChoiceSession Choice = "session"
	ChoiceAlways  Choice = "always"
	ChoiceDeny    Choice = "deny"
	ChoiceText    Choice = "text"
	ChoiceNone    Choice = "none" // nobody answered
)

// Answer is the person's answer. Text is a clarify answer or the reason of a
// denial.
type Answer struct {
	Choice Choice
	Text   string
}
