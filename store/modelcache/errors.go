package modelcache

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"hermes-tui/store/atomicfile"
)

// Problem says why something cannot be remembered.
type Problem string

// The problems.
const (
	ProblemInvalid Problem = "invalid" // it is not fit to be kept
	ProblemLocked  Problem = "locked"  // another instance holds the lock
	ProblemNewer   Problem = "newer"   // a later version of the program wrote the file
	ProblemFull    Problem = "full"    // the disk is full, or the file is
	ProblemWrite   Problem = "write"   // the file cannot be read or written
)

// Error says that something was not remembered. The file is as it was.
type Error struct {
	// Path is the file.
	Path    string
	Problem Problem
	// Err is the cause, if there is another error behind.
	Err error
}

// Error is one sentence with the next step.
func (e *Error) Error() string {
	switch e.Problem {
	case ProblemInvalid:
		return fmt.Sprintf("%s: not remembered, because %v", e.Path, e.Err)
	case ProblemLocked:
		return fmt.Sprintf("%s is being written by another instance: it is tried again the next time (%v)", e.Path, e.Err)
	case ProblemNewer:
		return fmt.Sprintf("%s was written by a later version: update this program, or remove the file", e.Path)
	case ProblemFull:
		return fmt.Sprintf("%s has no room: free space on the disk, or remove the file if it has grown too large (%v)", e.Path, e.Err)
	}
	return fmt.Sprintf("%s cannot be used: check that you may write there (%v)", e.Path, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// errTooLarge is a file that would grow beyond its bound.
var errTooLarge = errors.New("the file would be too large")

// failed makes the error of a file operation.
func failed(path string, err error) *Error {
	p := ProblemWrite
	var held *atomicfile.HeldError
	switch {
	case errors.As(err, &held):
		p = ProblemLocked
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG), isTooLarge(err):
		p = ProblemFull
	}
	return &Error{Path: path, Problem: p, Err: err}
}

// invalid makes the error of something that is not fit to be kept.
func invalid(path, format string, args ...any) *Error {
	return &Error{Path: path, Problem: ProblemInvalid, Err: fmt.Errorf(format, args...)}
}

// isTooLarge reports whether a file is beyond its bound, or would be.
func isTooLarge(err error) bool {
	_, large := errors.AsType[*atomicfile.LargeError](err)
	return large || errors.Is(err, errTooLarge)
}

// isMissing tells a file that is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
