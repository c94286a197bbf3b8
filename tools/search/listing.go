package search

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-tui/tools/place"
)

// maxListed bounds the names that are taken from a place at once.
const maxListed = 500_000

// listing is the file system of a place whose folders were listed in one go. In a
// place that is remote each question costs time, and a tree has many folders.
type listing struct {
	place.FS
	folders map[string][]fs.DirEntry
	// unreadable counts folders that could not be listed.
	unreadable int
}

// ReadDir lists a folder from memory.
func (l *listing) ReadDir(name string) ([]fs.DirEntry, error) { return l.folders[name], nil }

// list gives the file system in which to walk below a folder: of a remote place a
// listing, and the place's own where that is not possible.
func (s *Search) list(ctx context.Context, dir string, hidden bool) (place.FS, int) {
	if !s.remote {
		return s.fs, 0
	}
	s.lookup.Do(s.lookUp)
	if s.find == "" {
		return s.fs, 0
	}
	const form = `%y\t%s\t%T@\t%p\0`
	skip := []string{"-name", ".git"}
	for _, tree := range []string{"/proc", "/sys", "/dev"} {
		skip = append(skip, "-o", "-path", tree)
	}
	argv := slices.Concat([]string{s.find, dir, "-mindepth", "1", "("}, skip, []string{")", "-prune", "-o"})
	if !hidden { // what is in hidden folders is not listed
		argv = append(argv, "-type", "d", "-name", ".*", "-printf", form, "-prune", "-o")
	}
	argv = append(argv, "-printf", form)
	out := &listed{folders: map[string][]fs.DirEntry{}}
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	out.full = stop
	var complaints lineCount
	p, err := s.place.Start(stopped, place.Proc{
		Argv: argv, Dir: "/", Env: []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}, Stdout: out, Stderr: &complaints,
	})
	if err != nil {
		return s.fs, 0
	}
	// Complaints without any output are about the question itself.
	if exit, err := p.Wait(); err != nil || exit.Killed || out.broken || exit.Code != 0 && out.count == 0 {
		return s.fs, 0
	}
	for _, entries := range out.folders {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	}
	return &listing{FS: s.fs, folders: out.folders, unreadable: int(complaints)}, int(complaints)
}

// listed takes the output of find as it comes.
type listed struct {
	folders map[string][]fs.DirEntry
	full    func() // is called when there are too many names
	rest    []byte
	count   int
	broken  bool
}

// maxRecord bounds what is kept of an unfinished record, in bytes.
const maxRecord = 64 << 10

// errListing ends a listing that is not what was asked for.
var errListing = errors.New("the listing cannot be used")

// Write implements [io.Writer].
func (l *listed) Write(b []byte) (int, error) {
	if l.broken {
		return 0, errListing
	}
	n := len(b)
	for {
		record, rest, ok := bytes.Cut(b, []byte{0})
		if !ok {
			l.rest = append(l.rest, b...)
			break
		}
		if !l.add(string(append(l.rest, record...))) {
			break
		}
		l.rest, b = l.rest[:0], rest
	}
	if len(l.rest) > maxRecord || l.count > maxListed {
		l.broken = true
	}
	if l.broken {
		l.full()
		return 0, errListing
	}
	return n, nil
}

// add takes one record: type, size, time and path.
func (l *listed) add(record string) bool {
	parts := strings.SplitN(record, "\t", 4)
	if len(parts) != 4 || !filepath.IsAbs(parts[3]) {
		l.broken = true
		return false
	}
	e := entry{name: filepath.Base(parts[3])}
	switch parts[0] {
	case "f":
	case "d":
		e.mode = fs.ModeDir
	case "l":
		e.mode = fs.ModeSymlink
	default:
		e.mode = fs.ModeIrregular
	}
	var err1, err2 error
	e.size, err1 = strconv.ParseInt(parts[1], 10, 64)
	e.changed, err2 = moment(parts[2])
	if err1 != nil || err2 != nil {
		l.broken = true
		return false
	}
	dir := filepath.Dir(parts[3])
	l.folders[dir] = append(l.folders[dir], e)
	l.count++
	return true
}

// moment reads seconds since 1970 with a fraction, to the nanosecond.
func moment(text string) (time.Time, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	nanos, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	return time.Unix(seconds, nanos), err
}

// entry is a file of a listing.
type entry struct {
	name    string
	mode    fs.FileMode
	size    int64
	changed time.Time
}

// Name, IsDir, Type and Info are those of [fs.DirEntry].
func (e entry) Name() string { return e.name }

// IsDir reports whether it is a folder.
func (e entry) IsDir() bool { return e.mode.IsDir() }

// Type is its kind.
func (e entry) Type() fs.FileMode { return e.mode.Type() }

// Info describes it.
func (e entry) Info() (fs.FileInfo, error) { return e, nil }

// Size is its length in bytes.
func (e entry) Size() int64 { return e.size }

// Mode is its kind; rights are not known.
func (e entry) Mode() fs.FileMode { return e.mode }

// ModTime is when it was changed.
func (e entry) ModTime() time.Time { return e.changed }

// Sys is nil.
func (e entry) Sys() any { return nil }

// lineCount counts lines.
type lineCount int

// Write implements [io.Writer].
func (c *lineCount) Write(b []byte) (int, error) {
	*c += lineCount(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}
