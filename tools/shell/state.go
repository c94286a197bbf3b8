package shell

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"hermes-tui/tools/place"
)

// state is what a shell leaves when it ends.
type state struct {
	dir string
	env []string
}

// maxState bounds a state file, and the functions of the user, in bytes.
const maxState = 4 << 20

// takeState reads and removes the state of a command. It is not ok when the command did not
// come to write all of it.
func (s *Shell) takeState(confined bool) (state, bool) {
	file := s.stateFile()
	if confined {
		file = s.sharedState()
	}
	data, ok := s.takePrivate(file)
	if !ok {
		return state{}, false
	}
	fields := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	if n := len(fields); n < 2 || fields[n-1] != endOfState {
		return state{}, false
	}
	return state{dir: fields[0], env: fields[1 : len(fields)-1]}, true
}

// takePrivate reads a file of the private folder, or of the shared one, and removes it: the
// variables of a command may be secrets, which stay on no disk.
func (s *Shell) takePrivate(file string) ([]byte, bool) {
	defer func() { _ = s.o.Place.FS().Remove(file) }() // there may be none
	if st, err := s.o.Place.FS().Lstat(file); err != nil || !st.Mode().IsRegular() {
		return nil, false // a confined command may have put a link there
	}
	f, err := s.o.Place.FS().Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxState+1))
	return data, err == nil && len(data) <= maxState
}

// startup is what start-up files leave.
type startup struct {
	env     []string
	library string // functions and aliases, as shell code
}

// captureStartup runs the start-up files in a shell of their own.
func (s *Shell) captureStartup(ctx context.Context, env []string) (startup, bool) {
	info := s.o.Place.Info()
	files := s.o.InitFiles
	if len(files) == 0 {
		files = s.ownStartup()
	}
	library, left := filepath.Join(s.scratch, "library"), s.stateFile()
	p, err := s.o.Place.Start(ctx, place.Proc{
		Argv: append(shellArgv(info.Shell), startupScript(info.Shell, files, library, left), filepath.Base(info.Shell)),
		Dir:  s.nearest(info.Home),
		Env:  env,
	})
	if err != nil {
		return startup{}, false
	}
	if exit, err := p.Wait(); err != nil || exit.Killed {
		return startup{}, false
	}
	st, ok := s.takeState(false)
	if !ok {
		return startup{}, false
	}
	code, _ := s.takePrivate(library) // there may be none
	return startup{env: st.env, library: string(code)}, true
}

// ownStartup are the files that a login shell reads, and then the one for
// interactive shells, in which most users keep their settings.
func (s *Shell) ownStartup() []string {
	info := s.o.Place.Info()
	files := []string{"/etc/profile"}
	own := []string{".profile"}
	if isBash(info.Shell) {
		own = []string{".bash_profile", ".bash_login", ".profile"}
	}
	for _, name := range own {
		file := filepath.Join(info.Home, name)
		if _, err := s.o.Place.FS().Stat(file); err == nil {
			files = append(files, file)
			break
		}
	}
	if isBash(info.Shell) {
		files = append(files, filepath.Join(info.Home, ".bashrc"))
	}
	return files
}
