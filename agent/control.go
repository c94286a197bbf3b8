package agent

import (
	"context"
	"errors"
	"fmt"
)

// Reason says why something was stopped. It travels as the cause of a cancelled
// context, and the synthetic results of what was stopped repeat it.
type Reason string

// The reasons to stop.
const (
	StoppedByUser     Reason = "interrupted by the person"
	StoppedByBudget   Reason = "the budget ran out"
	StoppedByTimeout  Reason = "it took too long"
	StoppedByShutdown Reason = "the program is shutting down"
)

// Stopped is the cause of a context that was cancelled on purpose.
type Stopped struct{ Reason Reason }

// Error implements error.
func (s *Stopped) Error() string { return string(s.Reason) }

// stopReason extracts the reason from a context or an error chain.
func stopReason(ctx context.Context, err error) (Reason, bool) {
	for _, e := range []error{err, context.Cause(ctx)} {
		if s, ok := errors.AsType[*Stopped](e); ok {
			return s.Reason, true
		}
	}
	return "", false
}

// panicError is a panic that was caught below the user interface. It ends one
// turn, never the program.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("internal error: %v", p.value) }
