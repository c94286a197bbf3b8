package snapshots

import (
	"errors"
	"fmt"

	"hermes-tui/store/atomicfile"
)

// ErrStoreFull says that there is no space left for what has to be kept. Nothing
// may run then: free some space and try again, or go on without snapshots.
var ErrStoreFull = errors.New("there is no space left to keep what files held")

// ErrClosed says that the Keeper was closed.
var ErrClosed = errors.New("the record of file changes is closed")

// FullError is the [ErrStoreFull] of a directory.
type FullError struct {
	Dir string
	Err error // the system's
}

// Error is one sentence with the next step.
func (e *FullError) Error() string {
	return fmt.Sprintf("there is no space left in %s to keep what files held, so nothing that changes files can be undone: free some disk space and try again, or go on without snapshots", e.Dir)
}

// Unwrap gives the kind and the cause.
func (e *FullError) Unwrap() []error { return []error{ErrStoreFull, e.Err} }

// HeldError says that the changes of a conversation are being recorded already.
type HeldError struct {
	Conv   string
	Holder atomicfile.Holder // the zero Holder when it is not known
}

// Error is one sentence with the next step.
func (e *HeldError) Error() string {
	by := "another process"
	if e.Holder != (atomicfile.Holder{}) {
		by = e.Holder.String()
	}
	return fmt.Sprintf("the file changes of session %s are recorded by %s: close it there, then open it here", e.Conv, by)
}

// UnfinishedError says that a rewind was cut off, so that some files have been
// restored and others not. Nothing else may change files before it is settled.
type UnfinishedError struct{ ID string }

// Error is one sentence with the next step.
func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("the rewind %s was cut off: finish it or undo it before anything else changes files", e.ID)
}

// BusyError says that calls are running which change files.
type BusyError struct{ Calls []string }

// Error is one sentence with the next step.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%d calls that change files are still running: stop the agents, then try again", len(e.Calls))
}

// storeError names what was being done; a full disk becomes a [*FullError].
func storeError(dir, doing string, err error) error {
	var full *FullError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &full):
		return full
	case noSpace(err):
		return &FullError{Dir: dir, Err: fmt.Errorf("%s: %w", doing, err)}
	}
	return fmt.Errorf("%s: %w", doing, err)
}
