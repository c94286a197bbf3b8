// Package files holds the tools that read and write text files of a place.
//
// What a file is read as: UTF-8 with or without byte order mark, UTF-16 with
// one, Latin-1. A line ends at its newline, so a final newline begins no further
// line, and an empty file has no lines. A carriage return before the newline is
// not shown. Everything else about a file is as it is on disk: counts of lines
// and bytes are those of the whole file, whatever part of it was asked for.
//
// Documents (.docx, .xlsx, .ipynb) are read as the text that is in them; their
// pages, limits and repetitions are those of any file. They are unpacked piece by
// piece and never as a whole, what they say of their own size is not believed, and
// nothing in them is expanded or looked up. They cannot be edited as text.
//
// What a write keeps: permission bits, encoding, byte order mark, and line
// endings where all of them are CRLF. A write that would lose characters, or
// would read back as others, is refused. Files are replaced in one step or not at
// all.
//
// [Files.Text] and [Files.Change] are what an editor works with: every byte that
// it did not edit stays, or the edit is refused; a set of changes is carried out
// as a whole or taken back. A file that is no longer what the editor read is not
// touched. Between the last look at a file and its replacement there is an instant
// in which a program that takes no part in the locks can still lose a change.
//
// A path is resolved once. What is read or written is what it was resolved to and
// judged as: a link that appears on the way is refused, at any moment.
//
// Limits: a page has at most 2,000 lines and 100,000 characters, a line is cut
// at 2,000 characters; files over 512 MB are not read and files over 64 MB not
// replaced. UTF-16 is held in memory as a whole, up to 64 MB. Documents have at
// most 50 MB, and 8 MB of text are taken out of them.
//
// What was written is checked for syntax: JSON, YAML, Go and shell scripts in this
// program; Python, TOML, JavaScript and Rust by python3, node and rustfmt, which
// parse their standard input and run nothing of it.
//
// A [Files] belongs to one agent and is safe for concurrent use. It remembers
// what was read, to tell the agent that a file has not changed since, to stop it
// from reading in circles, and to warn it when it changes a file that someone
// else has changed. A [Registry] is shared by the agents of a conversation: it
// keeps them from changing one file at once and tells them of each other.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// Toolset is the toolset of the tools of this package.
const Toolset = "file"

// Options configure [New].
type Options struct {
	Place place.Place
	// Dir is the directory that relative paths stand below, absolute; it may
	// change between calls. Nil is Root.
	Dir func() string
	// Root is the workspace. A write outside of it is pointed out.
	Root string
	// Private is the program's own directory. Its files with keys are among those
	// that are read only with a permit, see [tools.Secrets].
	Private string
	// Agent names the agent in what others are told about its changes.
	Agent string
	// Shared is common to the agents that work in one place; nil is a registry of
	// this agent alone.
	Shared *Registry
	// Env is the environment of the place: programs that check the syntax of what
	// was written are looked up in its PATH, and it says where others keep their keys.
	// Nil is none of those programs.
	Env []string
	// Lock is a file that the instances of the program on a machine lock while one
	// of them changes files, so that no change of another is lost; empty is none.
	// Its directory must exist.
	Lock string
	// Limits bound what is read at a time.
	Limits Limits
	// PDF makes text of a PDF; nil reads none.
	PDF func(ctx context.Context, body []byte) (string, error)
	// Watch tells which files may have changed; nil looks at all.
	Watch Watcher
	// Jobs reports whether background jobs of the agent run; nil is never.
	Jobs func() bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Files makes the file tools of one agent.
type Files struct {
	fs      place.FS
	home    string
	dir     func() string
	root    string
	secrets *tools.Secrets
	memory  memory
	pdf     func(ctx context.Context, body []byte) (string, error)
	agent   string
	shared  *Registry
	member  int
	folds   bool
	place   place.Place
	lockAt  string
	now     func() time.Time
	limits  Limits
	folders []string // of PATH
	watch   Watcher
	jobs    func() bool
	near    bool // the place is on this machine
}

// New makes the file tools of one agent.
func New(o Options) *Files {
	f := &Files{
		fs: o.Place.FS(), home: o.Place.Info().Home,
		dir: o.Dir, root: o.Root, secrets: place.Secrets(o.Place, o.Private, o.Env),
		memory: newMemory(), pdf: o.PDF,
		agent: o.Agent, shared: o.Shared, folds: o.Place.Info().FoldsCase,
		place: o.Place, folders: pathFolders(o.Env),
		lockAt: o.Lock, now: o.Now, limits: o.Limits.withDefaults(), watch: o.Watch, jobs: o.Jobs, near: o.Place.Info().Target == "",
	}
	if f.jobs == nil {
		f.jobs = func() bool { return false }
	}
	if f.now == nil {
		f.now = time.Now
	}
	if f.shared == nil {
		f.shared = NewRegistry(0)
	}
	f.member = f.shared.join()
	if f.dir == nil {
		f.dir = func() string { return o.Root }
	}
	return f
}

// Tools are read_file and write_file.
func (f *Files) Tools() []tools.Tool { return []tools.Tool{f.readTool(), f.writeTool()} }

// Forget is called when what was read is no longer before the model, as after a
// compression: the next read of anything gives its content.
func (f *Files) Forget() { f.memory.forget() }

// Read gives those of some files, named by absolute paths, whose content the agent
// has seen or written.
func (f *Files) Read(paths []string) []string {
	var list []string
	for _, path := range paths {
		real, err := f.fs.Resolve(path)
		if err != nil {
			real = path // it is gone, which matters to who has read it
		}
		if _, ok := f.memory.seen(real); ok {
			list = append(list, path)
		}
	}
	return list
}

// ResetRepeats is called when a tool has run that neither reads nor searches: a
// read after it is no repetition.
func (f *Files) ResetRepeats() { f.memory.resetRepeats() }

// target is a path argument after resolution.
type target struct {
	name string // absolute and clean, as it was meant
	real string // behind all links
}

// resolve turns a path argument into a target.
func (f *Files) resolve(arg string) (target, error) {
	name, err := tools.AbsPath(arg, f.dir(), f.home)
	if err != nil {
		return target{}, err
	}
	real, err := f.fs.Resolve(name)
	if err != nil {
		return target{}, fmt.Errorf("%q cannot be resolved: %s", name, reason(err))
	}
	return target{name: name, real: real}, nil
}

// reason gives the cause of a file system error in words.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "the name is too long"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file"
	case errors.Is(err, syscall.ENOSPC):
		return "no space is left on the disk"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only"
	case errors.Is(err, place.ErrLink):
		return "a link has appeared on the way to it"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// subject gives the path of a call for a screen, from any arguments.
func subject(args json.RawMessage) string {
	var a struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(args, &a) != nil {
		return ""
	}
	return a.Path
}
