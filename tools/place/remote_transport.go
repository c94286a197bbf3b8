package place

import "context"

// transport is the way to a place: the client program of this machine and what
// it needs to be running.
type transport interface {
	// name is Info.Name.
	name() string
	// ready makes sure that the place can be reached, starting what is needed. It
	// is called before each connection and is cheap when all is well.
	ready(ctx context.Context) error
	// argv is the command line of a client that runs a program in the place. The
	// words hold no single quotes and no newlines.
	argv(spec clientSpec) []string
	// explain says in the words of a user why a client failed, from what it
	// wrote; nil when that says nothing.
	explain(said string) *UnavailableError
	// describe fills in what only the transport knows: Name, Target, Isolated,
	// Network.
	describe(info *Info)
	// dir is where work begins, empty for the home directory.
	dir() string
	// notes are for the user.
	notes() []string
	// close ends what ready and the constructor have started.
	close() error
}

// clientSpec says what a client runs.
type clientSpec struct {
	words []string
	// input: standard input is passed on; it is always when there is a terminal.
	input bool
	// terminal: the program gets a terminal, as the client has one.
	terminal bool
}

// UnavailableError says why a place cannot be used and what the user can do.
type UnavailableError struct {
	Place string // "docker", "ssh", "singularity"
	What  string // what is the matter
	Next  string // what to do about it
	// Said is what the program itself wrote, if anything, on one line.
	Said string
	Err  error
}

func (e *UnavailableError) Error() string {
	text := e.Place + ": " + e.What
	if e.Said != "" {
		text += " (" + e.Said + ")"
	}
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

// Unwrap gives the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// knownFailure is a text of a client program, in lower case, and what it means.
type knownFailure struct{ text, what, next string }
