package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"hermes-tui/store/atomicfile"
)

// Problem says why there is no usable home.
type Problem string

// The problems of a home.
const (
	NoHome       Problem = "no home"      // neither HERMES_HOME nor HOME is set
	BadPath      Problem = "bad path"     // the name cannot be resolved
	BadProfile   Problem = "bad profile"  // not a profile's name
	NotDirectory Problem = "no directory" // something else bears the name
	ReadOnly     Problem = "read-only"    // the file system cannot be written
	NoPermission Problem = "permission"   // the user may not write there
	DiskFull     Problem = "disk full"    // or the quota is used up
	Unusable     Problem = "unusable"     // anything else, see HomeError.Err
)

// HomeError says why there is no usable home, in one sentence that ends with
// what to do.
type HomeError struct {
	Problem Problem
	// Path is what the problem is about: a directory, or a profile's name.
	Path string
	// Err is the cause, nil when there is nothing more to say.
	Err error
}

// Error implements error.
func (e *HomeError) Error() string {
	switch e.Problem {
	case NoHome:
		return "your home directory is not known: set HERMES_HOME to the directory where settings and sessions should be kept"
	case BadPath:
		return fmt.Sprintf("%q cannot be used as HERMES_HOME (%v): give an absolute path", e.Path, e.Err)
	case BadProfile:
		return fmt.Sprintf("%q is not a profile name: use up to 64 lower-case letters, digits, - and _, beginning with a letter or digit", e.Path)
	case NotDirectory:
		return fmt.Sprintf("%s cannot be a directory, because a file is in its place: move the file away, or set HERMES_HOME to another directory", e.Path)
	case ReadOnly:
		return fmt.Sprintf("%s is on a read-only file system: make it writable, or set HERMES_HOME to another directory", e.Path)
	case NoPermission:
		return fmt.Sprintf("you may not write in %s: correct its owner and permissions, or set HERMES_HOME to another directory", e.Path)
	case DiskFull:
		return fmt.Sprintf("there is no disk space left for %s: free some, or set HERMES_HOME to a directory on another disk", e.Path)
	}
	return fmt.Sprintf("%s cannot be used (%v): set HERMES_HOME to another directory", e.Path, e.Err)
}

// Unwrap gives the cause.
func (e *HomeError) Unwrap() error { return e.Err }

// Ensure makes the home directory (mode 0700, missing parents too) and checks
// that files can be written there. An existing directory at the default place,
// and every profile's directory, is made private again; one that a user named
// keeps its mode. Errors are [*HomeError].
func (h Home) Ensure() error {
	for _, d := range h.dirs() {
		if err := d.make(); err != nil {
			return homeError(d.path, err)
		}
	}
	if err := probe(h.Dir()); err != nil {
		return homeError(h.Dir(), err)
	}
	return nil
}

// directory is one to make, and whether it is ours to repair.
type directory struct {
	path string
	ours bool
}

func (h Home) dirs() []directory {
	dirs := []directory{{h.root, h.ours}}
	if h.profile != "" {
		dirs = append(dirs, directory{filepath.Join(h.root, profiles), true}, directory{h.Dir(), true})
	}
	return dirs
}

func (d directory) make() error {
	info, err := os.Stat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return atomicfile.MkdirPrivate(d.path)
	case err != nil:
		return err
	case !info.IsDir():
		return syscall.ENOTDIR
	case !d.ours:
		return nil
	}
	// A directory of someone else is used as it is, if it can be: whether it
	// can is what the probe finds out.
	if err := atomicfile.MkdirPrivate(d.path); !errors.Is(err, atomicfile.ErrNotOwned) {
		return err
	}
	return nil
}

// probe writes a small file and removes it. Making an empty one would succeed
// on a full disk.
func probe(dir string) error {
	name := filepath.Join(dir, ".probe-"+rand.Text())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 512))
	return errors.Join(err, f.Close(), os.Remove(name))
}

// homeError puts a name to the cause.
func homeError(path string, err error) *HomeError {
	return &HomeError{Problem: problem(err), Path: path, Err: err}
}

func problem(err error) Problem {
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return NotDirectory
	case errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, fs.ErrPermission), errors.Is(err, atomicfile.ErrNotOwned):
		return NoPermission
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return DiskFull
	}
	return Unusable
}
