package tools

import "slices"

// ActionKind says what an action does to the world.
type ActionKind string

// The kinds of actions.
const (
	// ActExec runs a command.
	ActExec ActionKind = "exec"
	// ActWrite writes, makes, moves or deletes files.
	ActWrite ActionKind = "write"
	// ActRead shows the model files that hold keys or passwords. It is asked about;
	// tools that read other files have no action.
	ActRead ActionKind = "read"
	// ActCode runs a script that the model wrote.
	ActCode ActionKind = "code"
	// ActReach connects to a host, from something that runs already.
	ActReach ActionKind = "reach"
	// ActCall calls a tool of another program, which does it with its own rights.
	ActCall ActionKind = "call"
	// ActFetch fetches pages of the web.
	ActFetch ActionKind = "fetch"
)

// Action is what a call would do, complete enough to be judged and bound.
type Action struct {
	Kind ActionKind
	// Command is the shell text to judge (ActExec), the whole script (ActCode) the
	// arguments (ActCall) or what is searched for (ActFetch).
	Command string
	// Argv is what really runs (ActExec, ActCode).
	Argv []string
	// Dir is where it runs.
	Dir string
	// Env is the environment it runs in.
	Env []string
	// Plain is the environment where that is another one for a run with all rights of
	// the user, where processes can be confined (ActExec).
	Plain []string
	// Background says that it goes on when the call has ended (ActExec).
	Background bool
	// Outside says that the agent asks for it to run with all rights of the user where
	// it would run confined (ActExec).
	Outside bool
	// Typed says that Command is input to a program that was let run before (ActExec).
	Typed bool
	// Paths are the absolute files to write or read, each at least once (ActWrite,
	// ActRead).
	Paths []string
	// Server and Item name what is called (ActCall).
	Server, Item string
	// URLs are what is fetched, Known those of them that the user or a result has named
	// letter by letter (ActFetch).
	URLs, Known []string
}

// OnFiles reports whether the action is one on its Paths alone.
func (a Action) OnFiles() bool { return a.Kind == ActWrite || a.Kind == ActRead }

// Permit is the gate's leave for one action. Only the approval gate makes
// permits; what it made one for is all that the holder can do with it.
type Permit interface {
	// Digest is the hex SHA-256 of the permitted action.
	Digest() string
}

// Covers reports whether a permit is one for files, and for the one at a path.
func Covers(p Permit, path string) bool {
	files, ok := p.(interface{ Paths() []string })
	return ok && slices.Contains(files.Paths(), path)
}
