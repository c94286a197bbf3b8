// Package place is where an agent works: the file system it sees and the
// processes it starts. Every tool of a conversation acts through one [Place].
//
// A Place is safe for concurrent use. Paths are absolute paths of the place.
package place

import (
	"context"
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
	// Scratch makes a new directory below Info().Temp that nobody else can
	// enter (0700, unguessable name). remove deletes it with all it holds and
	// may be called more than once.
	Scratch() (dir string, remove func() error, err error)
}

// Info describes a place.
type Info struct {
	Name  string // "local"
	OS    string // as runtime.GOOS
	Arch  string // as runtime.GOARCH
	Host  string
	User  string
	Home  string
	Temp  string
	Shell string // absolute path of a POSIX shell, bash where there is one
	// Isolated says that nothing done here reaches the person's machine.
	Isolated bool
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
}

// Process is a started process.
type Process interface {
	PID() int
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
}

// File is an open file.
type File interface {
	fs.File
	io.ReaderAt
}
