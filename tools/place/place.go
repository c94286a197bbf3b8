package place

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"
)

// KillGrace is how long a process has between TERM and KILL.
const KillGrace = 300 * time.Millisecond

// DrainGrace is how long output is awaited after a process has ended, when
// something it left behind keeps the pipe open.
const DrainGrace = 200 * time.Millisecond

// Place is a machine, or something that looks like one.
type Place interface {
	// Info describes the place. It is constant.
	Info() Info
	// Start runs a process in a session and process group of its own. When ctx
	// ends, the whole group and its known descendants get TERM, then KILL after
	// [KillGrace]. The caller must Wait.
	Start(ctx context.Context, p Proc) (Process, error)
	// FS is the file system of the place.
	FS() FS
	// Scratch makes a new directory below Info().Temp that no one else can
	// enter (0700, unguessable name). remove deletes it with all it holds and
	// may be called more than once.
	Scratch() (dir string, remove func() error, err error)
	// Adopt finds a process again that an earlier run of this program started
	// with a Log and that is still running: ref is its Ref. Its Wait returns when
	// it has ended, with an exit code of -1, since no one knows it; when ctx ends it
	// is killed like any other. It fails with [ErrGone] when it no longer runs.
	Adopt(ctx context.Context, ref string) (Process, error)
	// Close ends what the place itself keeps running: connections, a container it
	// has made.
	Close() error
}

// ErrGone is the cause when a process of an earlier run has ended.
var ErrGone = errors.New("the process has ended")

// ErrNotConfining is the cause when a process is to be confined in a place that
// confines none.
var ErrNotConfining = errors.New("processes cannot be confined here")

// Info describes a place.
type Info struct {
	Name  string // "local", "sandbox", "docker", "ssh", "singularity"
	OS    string // as runtime.GOOS
	Arch  string // as runtime.GOARCH
	Host  string
	User  string
	Home  string
	Temp  string
	Shell string // absolute path of a POSIX shell, bash where there is one
	// Target says which one of its kind it is, for the user: a container, a host;
	// empty for this machine.
	Target string
	// Confined says that the system itself keeps processes from writing outside
	// Roots, and, unless Network is set, from the network.
	Confined bool
	Roots    []string
	// Network says that processes can reach the network.
	Network bool
	// Isolated says that nothing done here reaches the user's machine.
	Isolated bool
	// Confines says that processes can be confined one by one, see [Proc.Confine].
	Confines bool
	// FoldsCase says that file names differing in case are the same file.
	FoldsCase bool
}

// Proc is a process to start.
type Proc struct {
	Argv []string // Argv[0] is an absolute path
	Dir  string   // an absolute path
	// Env is the whole environment ("NAME=value"); nothing is inherited. A
	// place may add a variable of its own, by which it finds descendants.
	Env []string
	// Stdin is nil for no input. A Read that is pending when the process ends
	// is not waited for.
	Stdin io.Reader
	// Stdout takes output and, unless Stderr is set, errors, in the order in
	// which they were written. A nil writer drops it. Writes must not block for
	// long; what a writer refuses is dropped, and the process is not disturbed.
	// Neither writer is used after Wait has returned.
	Stdout io.Writer
	Stderr io.Writer
	// TTY, when set, gives the process a terminal of this size of its own: Stdin is
	// typed into it, Stdout takes what it shows, Stderr must be nil.
	TTY *Size
	// Log, when set, is an absolute path in the place of a new file (0600) that
	// takes output and errors instead of Stdout and Stderr, which must be nil. Such
	// a process outlives this program: it can be found again by Adopt.
	Log string
	// Whole has what it leaves behind in its group end with it, where the system knows
	// groups.
	Whole bool
	// Swept has all that it has started end with it, also what has left its group and
	// its session, as far as that keeps the environment that it was started with.
	Swept bool
	// Leashed has the process and its group end when this program does, however that
	// comes. It is for places on this machine, on systems that know groups.
	Leashed bool
	// Confine, when set, has the system confine the process and all that it starts.
	// Where Info().Confines is not set such a process is not started.
	Confine *Confine
}

// Confine is how one process is confined: to what the place lets confined
// processes read and write, and to the network through Reach.
type Confine struct {
	// Reach decides about a host that the process wants to connect to, by the name
	// that the process uses; an error refuses, and its text is told to the process.
	// It may take as long as a question to the user, and is called concurrently.
	// Nil: no network at all.
	Reach func(ctx context.Context, host string, port int) error
	// Refused is set by the place, and notes what the process is refused otherwise. It
	// is called before the process is reported as ended.
	Refused func(Refusal)
}

// RefusalKind says what a confined process was not let do.
type RefusalKind string

// The kinds of refusals.
const (
	RefusedNetwork RefusalKind = "network" // What is host:port, or empty
	RefusedWrite   RefusalKind = "write"   // What is a path
	RefusedRead    RefusalKind = "read"    // What is a path
	RefusedOther   RefusalKind = "other"   // What says it in words: "signal another process"
)

// Refusal is something that a confined process was not let do.
type Refusal struct {
	Kind RefusalKind
	What string
	// Said means that only the output of the process says so, which can say anything.
	Said bool
}

// Size is the size of a terminal.
type Size struct{ Rows, Cols int }

// Process is a started process.
type Process interface {
	PID() int
	// Ref finds the process again in a later run of this program, see
	// [Place.Adopt].
	Ref() string
	// Wait blocks until the process has ended and its output was delivered. It
	// returns an error only when the outcome is not known. It may be called
	// more than once.
	//
	// When the context ended the process, its group and known descendants are
	// gone as well. When it ended by itself, what it left running in the
	// background goes on; such output is read for [DrainGrace] at most, then
	// the pipe is closed.
	Wait() (Exit, error)
}

// Exit says how a process ended.
type Exit struct {
	// Code is the exit code, or 128 plus the signal's number.
	Code int
	// Killed says that the process was ended because its context was.
	Killed bool
	// Refused is what the system is known to have refused to a confined process and
	// to what it started, each thing once, at most 32. What only the output of a program
	// says is not in it.
	Refused []Refusal
	// Added is what the place has added to the environment of a confined process.
	Added []string
	// Left is what the process has left running, as far as the place finds it.
	Left Left
}

// Left is what a process that has ended by itself has left running.
type Left struct {
	Ref   string // by which one of them, and with it all, is found, see [Place.Adopt]; empty for none
	PID   int    // of that one
	Count int
}

// FS is a file system. Names are absolute; links are followed unless said
// otherwise. Errors are *fs.PathError with the usual causes.
type FS interface {
	// Open opens a regular file or directory for reading. It never blocks: a
	// pipe, socket or device is refused.
	Open(name string) (File, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Resolve gives the real path behind links. Elements that do not exist are
	// kept as they are.
	Resolve(name string) (string, error)
	// WriteAtomic replaces a file in one step, or leaves it as it was. name
	// must be resolved; its directory must exist. A link at name, or in its
	// directory, that appeared since is refused.
	WriteAtomic(name string, data []byte, mode fs.FileMode) error
	// MkdirAll makes a directory and its missing parents and returns those it
	// made, outermost first. name must be resolved: a link on the way is
	// refused.
	MkdirAll(name string, mode fs.FileMode) ([]string, error)
	// Remove deletes a file, a link (not what it leads to) or an empty directory.
	// The directory of name must be resolved.
	Remove(name string) error
	// Rename moves a file, a link or a directory; the directories of both names
	// must be resolved, and nothing may stand at the new name: fs.ErrExist.
	Rename(from, to string) error
	// Readlink gives what a link holds, Symlink makes one; the directory of name
	// must be resolved, and nothing may stand there: fs.ErrExist.
	Readlink(name string) (string, error)
	Symlink(target, name string) error
}

// File is an open file.
type File interface {
	fs.File
	io.ReaderAt
}
