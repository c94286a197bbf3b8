package credentials

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Problem says what is wrong with a file of credentials.
type Problem string

// The problems.
const (
	ProblemRead    Problem = "read"    // it cannot be read
	ProblemCorrupt Problem = "corrupt" // it is not what it should be
	ProblemNewer   Problem = "newer"   // a later version of its format
	ProblemLegacy  Problem = "legacy"  // the form it had before version 1
	ProblemWrite   Problem = "write"   // it cannot be locked or written
)

// FileError says that a file of credentials cannot be used, and why. The file was
// left as it is.
type FileError struct {
	File    string
	Problem Problem
	// Detail completes the sentence; it shows nothing of what the file holds.
	Detail string
	// Err is the cause, if there is another error behind.
	Err error
}

// Error is one sentence with the next step.
func (e *FileError) Error() string {
	switch e.Problem {
	case ProblemCorrupt:
		return fmt.Sprintf("%s is damaged (%s): it was left as it is; repair it, or move it away and add the keys again", e.File, e.Detail)
	case ProblemNewer:
		return fmt.Sprintf("%s has %s, which a later program wrote: it was left as it is; update this program, or use another HERMES_HOME", e.File, e.Detail)
	case ProblemLegacy:
		return fmt.Sprintf("%s has the form of an early version: it was left as it is; let the program that wrote it convert it, or move it away", e.File)
	case ProblemWrite:
		return fmt.Sprintf("%s cannot be written (%s): remove the cause and try again", e.File, e.Detail)
	}
	return fmt.Sprintf("%s cannot be read (%s): correct its permissions, or move it away", e.File, e.Detail)
}

// Unwrap gives the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Errors that say why an operation is not possible.
var (
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("the store of credentials is closed")
	// ErrNotRenewable says that a credential has no refresh token of ours, or
	// that nothing is known of how to renew it.
	ErrNotRenewable = errors.New("the credential cannot be renewed")
	// ErrBorrowed says that the secret of a borrowed credential can only be
	// changed where it comes from.
	ErrBorrowed = errors.New("the credential is borrowed: change it where it comes from")
)

// TargetError says that a target names no credential, or several.
type TargetError struct {
	Provider, Target string
	Ambiguous        bool
}

// Error is one sentence with the next step.
func (e *TargetError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("%s has several credentials named %q: give the id or the number in the list", e.Provider, e.Target)
	}
	return fmt.Sprintf("%s has no credential %q: give an id, a label or a number of its list", e.Provider, e.Target)
}

// RenewError says that a login could not be renewed.
type RenewError struct {
	Provider, Label string
	// Dead: the service will never renew it.
	Dead bool
	Err  error
}

// Error is one sentence; for a dead login with the next step.
func (e *RenewError) Error() string {
	if e.Dead {
		return fmt.Sprintf("the login %q of %s has ended: log in again", e.Label, e.Provider)
	}
	return fmt.Sprintf("the login %q of %s could not be renewed: %v", e.Label, e.Provider, e.Err)
}

// Unwrap gives the cause.
func (e *RenewError) Unwrap() error { return e.Err }

// UnavailableError says that a pool has nothing to use. The counts are of
// different secrets.
type UnavailableError struct {
	Provider string
	// Cooling are back at some time, the first of them at Next.
	Cooling int
	Next    time.Time // in the location of the clock
	// Dead were refused for good, Expired are logins that nothing renews.
	Dead    int
	Expired int
	// Absent are the sources of borrowed credentials that are not set any more.
	Absent []string
	// Failed is why a login could not be renewed just now, nil if none was tried.
	Failed error

	now time.Time
}

// Error is one sentence, such as "all 2 keys of openrouter are cooling down; the
// first is back at 14:32".
func (e *UnavailableError) Error() string {
	if e.Failed != nil {
		return e.Failed.Error()
	}
	n := e.Cooling + e.Dead + e.Expired
	switch n {
	case 0:
		return e.none()
	case e.Cooling:
		return fmt.Sprintf("%s cooling down; %s back at %s", e.all(n, "is", "are"), first(n), e.back())
	case e.Dead:
		return fmt.Sprintf("%s refused for good: replace %s", e.all(n, "was", "were"), them(n))
	case e.Expired:
		return fmt.Sprintf("%s expired: log in again", e.all(n, "has", "have"))
	}
	var parts []string
	if e.Cooling > 0 {
		parts = append(parts, fmt.Sprintf("%d cooling down, %s back at %s", e.Cooling, first(e.Cooling), e.back()))
	}
	if e.Dead > 0 {
		parts = append(parts, fmt.Sprintf("%d refused for good", e.Dead))
	}
	if e.Expired > 0 {
		parts = append(parts, fmt.Sprintf("%d expired", e.Expired))
	}
	return fmt.Sprintf("none of the %d keys of %s can be used: %s", n, e.Provider, strings.Join(parts, "; "))
}

// Unwrap gives the failed renewal.
func (e *UnavailableError) Unwrap() error { return e.Failed }

func (e *UnavailableError) none() string {
	if len(e.Absent) == 0 {
		return "there is no key for " + e.Provider + ": add one"
	}
	var names []string
	for _, s := range e.Absent {
		names = append(names, strings.TrimPrefix(s, sourceEnv))
	}
	return fmt.Sprintf("the key of %s came from %s, where there is none now: set it there again", e.Provider, strings.Join(names, " and "))
}

func (e *UnavailableError) all(n int, one, many string) string {
	if n == 1 {
		return "the only key of " + e.Provider + " " + one
	}
	return fmt.Sprintf("all %d keys of %s %s", n, e.Provider, many)
}

func first(n int) string {
	if n == 1 {
		return "it is"
	}
	return "the first is"
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// back is the time of Next as short as it is clear.
func (e *UnavailableError) back() string {
	const soon = 2 * time.Minute
	switch wait := e.Next.Sub(e.now); {
	case wait < soon:
		return e.Next.Format("15:04:05")
	case e.Next.YearDay() == e.now.YearDay() && e.Next.Year() == e.now.Year():
		return e.Next.Format("15:04")
	}
	return e.Next.Format("15:04 on 2 Jan")
}
