package tools

// ActionKind says what an action does to the world.
type ActionKind string

// The kinds of actions.
const (
	ActExec  ActionKind = "exec"
	ActWrite ActionKind = "write"
)

// Action is what a call would do, complete enough to be judged and bound.
type Action struct {
	Kind ActionKind
	// Command is the shell text to judge (ActExec).
	Command string
	// Argv, Dir and Env are what really runs (ActExec).
	Argv []string
	Dir  string
	Env  []string
	// Path is the absolute file to write (ActWrite).
	Path string
}

// Permit is the gate's leave for one action. Only the approval gate makes
// permits; what it made one for is all that the holder can do with it.
type Permit interface {
	// Digest is the hex SHA-256 of the permitted action.
	Digest() string
}
