package delegate

import "errors"

// What controls return. They are sentences for the user.
var (
	ErrUnknown = errors.New("there is no such agent")
	ErrEnded   = errors.New("that agent has ended already")
	ErrRoot    = errors.New("the main agent cannot be ended; interrupt its turn instead")
)

// Refused says that a subagent was asked for and not started.
type Refused struct {
	// Why is a sentence part that says what to do next where there is something.
	Why string
}

// Error implements error.
func (r *Refused) Error() string { return "the subagent was not started: " + r.Why }
