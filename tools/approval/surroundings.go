package approval

import (
	"bytes"
	"io"
	"os"
	"path"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// setting describes the surroundings of an action to the judge.
func (g *Gate) setting(a tools.Action) shellrisk.Setting {
	env := map[string]string{}
	for _, kv := range a.Env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	look := newSurroundings(g.o.Place)
	if home := env["HOME"]; home != "" && look.real(home) == look.real(g.o.Home) {
		env["HOME"] = g.o.Home // the same place by another name
	}
	program := 0
	if g.o.Place.Info().Name == "local" {
		program = os.Getpid()
	}
	set := shellrisk.Setting{
		Program: program, Cwd: a.Dir, Home: g.o.Home, HermesHome: g.o.HermesHome,
		Workspace: g.o.Workspace, Scratch: g.o.Scratch, FoldsCase: g.o.Place.Info().FoldsCase,
		Getenv: func(name string) (string, bool) {
			v, ok := env[name]
			return v, ok
		},
		List: look.list, Read: look.text, Repo: look.repo, Resolve: look.resolve, Linked: look.linked, Quiet: look.quiet,
		Distrusted: !g.o.Trusted(), NoProof: g.o.Place.Info().Name != "local" && g.o.Trusted(),
	}
	set.Shadowed = func(name string) bool { return g.shadowed(name, a, set) }
	return set
}

// surroundings reads the place for the judge. It belongs to one judgement.
type surroundings struct {
	fs    place.FS
	lists map[string][]string
	reals map[string]resolved
}

func newSurroundings(at place.Place) surroundings {
	return surroundings{fs: place.Outer(at), lists: map[string][]string{}, reals: map[string]resolved{}}
}

// resolved is where a path leads.
type resolved struct {
	real string
	ok   bool
}

func (s surroundings) resolve(file string) (string, bool) {
	r, known := s.reals[file]
	if !known {
		real, err := s.fs.Resolve(file)
		r = resolved{real, err == nil}
		s.reals[file] = r
	}
	return r.real, r.ok
}

// real is the resolved path, or the path itself when it cannot be resolved.
func (s surroundings) real(file string) string {
	if real, ok := s.resolve(file); ok {
		return real
	}
	return file
}

func (s surroundings) linked(file string) bool {
	st, err := s.fs.Lstat(file)
	return err == nil && st.Mode().IsRegular() && linkCount(st) > 1
}

// list gives the names in a directory, nothing when it cannot be read.
func (s surroundings) list(dir string) []string {
	if names, ok := s.lists[dir]; ok {
		return names
	}
	entries, err := s.fs.ReadDir(dir)
	if err != nil {
		entries = nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	s.lists[dir] = names
	return names
}

// maxRead is how large a file of the project may be that is read, in bytes.
const maxRead = 1 << 20

// text gives a file of the project, if it is a regular one that is not too large.
func (s surroundings) text(file string) (string, bool) {
	if st, err := s.fs.Stat(file); err != nil || !st.Mode().IsRegular() {
		return "", false
	}
	data, ok := s.read(file, maxRead)
	return string(data), ok
}

// repo finds the repository whose configuration git would obey in dir: the next
// one upwards. A worktree or submodule counts as the repository that keeps it.
func (s surroundings) repo(dir string) string {
	real, err := s.fs.Resolve(dir)
	if err != nil {
		return ""
	}
	for at := real; ; at = path.Dir(at) {
		git := path.Join(at, ".git")
		if st, err := s.fs.Stat(git); err == nil {
			if st.IsDir() {
				return at
			}
			return s.keeper(at, git)
		}
		if s.bare(at) {
			return at
		}
		if at == path.Dir(at) {
			return ""
		}
	}
}

// bare reports whether a directory is a repository without files of its own.
func (s surroundings) bare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := s.fs.Stat(path.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// keeper follows a .git file to the repository it points into.
func (s surroundings) keeper(at, git string) string {
	f, err := s.fs.Open(git)
	if err != nil {
		return at
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return at
	}
	target, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("gitdir: "))
	if !ok {
		return at
	}
	dir := string(target)
	if !path.IsAbs(dir) {
		dir = path.Join(at, dir)
	}
	if real, err := s.fs.Resolve(dir); err == nil {
		dir = real
	}
	if root, _, ok := strings.Cut(dir, "/.git/"); ok {
		return root
	}
	return dir
}
