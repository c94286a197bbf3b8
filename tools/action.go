package tools

// ActionKind says what an action does to the world.
type ActionKind string

// The kinds of actions.
const (
	// ActExec runs a command.
	ActExec ActionKind = "exec"
	// ActWrite writes, makes, moves or deletes files.
	ActWrite ActionKind = "write"
	// ActCode runs a script that the model wrote.
	ActCode ActionKind = "code"
)

// Action is what a call would do, complete enough to be judged and bound.
type Action struct {
	Kind ActionKind
	// Command is the shell text to judge (ActExec) or the whole script (ActCode).
	Command string
	// Argv, Dir and Env are what really runs (ActExec, ActCode).
	Argv []string
	Dir  string
	Env  []string
	// Background says that it goes on when the call has ended (ActExec).
	Background bool
	// Paths are the absolute files to write, each at least once (ActWrite).
	Paths []string
}

// Permit is the gate's leave for one action. Only the approval gate makes
// permits; what it made one for is all that the holder can do with it.
type Permit interface {
	// Digest is the hex SHA-256 of the permitted action.
	Digest() string
}
