// Package files holds the tools that read and write text files of a place.
//
// What a file is read as: UTF-8 with or without byte order mark, UTF-16 with
// one, Latin-1. A line ends at its newline, so a final newline begins no further
// line, and an empty file has no lines. A carriage return before the newline is
// not shown. Everything else about a file is as it is on disk: counts of lines
// and bytes are those of the whole file, whatever part of it was asked for.
//
// What a write keeps: permission bits, encoding, byte order mark, and line
// endings where all of them are CRLF. A write that would lose characters is
// refused. Files are replaced in one step or not at all.
//
// Limits: a page has at most 2,000 lines and 100,000 characters, a line is cut
// at 2,000 characters; files over 512 MB are not read and files over 64 MB not
// replaced. UTF-16 is held in memory as a whole, up to 64 MB.
//
// A [Files] belongs to one agent and is safe for concurrent use. It remembers
// what was read, to tell the agent that a file has not changed since, to stop it
// from reading in circles, and to warn it when it replaces a file that somebody
// else has changed.
package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

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
	// Private is the program's own directory, whose credentials are never read.
	Private string
}

// Files makes the file tools of one agent.
type Files struct {
	fs      place.FS
	home    string
	dir     func() string
	root    string
	private []string
	memory  memory
}

// New makes the file tools of one agent.
func New(o Options) *Files {
	f := &Files{
		fs: o.Place.FS(), home: o.Place.Info().Home,
		dir: o.Dir, root: o.Root, private: []string{o.Private},
		memory: newMemory(),
	}
	if real, err := f.fs.Resolve(o.Private); err == nil {
		f.private = append(f.private, real)
	}
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
