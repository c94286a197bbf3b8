package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/providers/catalog"
)

// tmuxNamed is what the flag --tmux holds without a name: the folder names the session.
const tmuxNamed = "."

// tmux runs the program in a session of tmux that goes on when the terminal is closed,
// or shows the one of that name, where a prompt opens a window of its own. args are the
// command line without the flag.
func (s *sys) tmux(ctx context.Context, name, prompt string, args []string) error {
	path, err := exec.LookPath("tmux")
	if err != nil {
		return startError{errors.New("--tmux needs tmux, and there is none on the PATH: install it, or leave the flag out")}
	}
	dir, err := s.dir()
	if err != nil {
		return startError{err}
	}
	if name == tmuxNamed {
		name = "hermes-" + filepath.Base(dir)
	}
	name = strings.Map(func(r rune) rune { // signs with a meaning in the names of targets
		if strings.ContainsRune(".:=$@%#* \t", r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
	self, err := os.Executable()
	if err != nil {
		return startError{err}
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = s.environ
		return cmd
	}
	run := func(args ...string) error {
		cmd := command(args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.file, s.err
		return cmd.Run()
	}
	begin := append([]string{"new-session", "-d", "-s", name, "-c", dir}, tmuxCommand(self, args)...)
	if out, err := command("show-options", "-gv", "update-environment").Output(); err == nil {
		// A server that runs has the environment of whoever started it.
		begin = append(s.tmuxEnvironment(strings.Fields(string(out))), begin...)
	}
	there := command("has-session", "-t", "="+name).Run() == nil
	show := "attach-session"
	if set(s.env, "TMUX") { // no session inside another one
		show = "switch-client"
	}
	switch {
	case !there:
		err = run(begin...)
	case prompt != "":
		err = run(append([]string{"new-window", "-t", "=" + name + ":", "-c", dir}, tmuxCommand(self, args)...)...)
	}
	if err == nil {
		err = run(show, "-t", "="+name)
	}
	if err != nil {
		return startError{fmt.Errorf("tmux could not show the session %q: %w", name, err)}
	}
	return nil
}

// tmuxCommand is this program's command line in tmux. One word alone would be read by a
// shell.
func tmuxCommand(self string, args []string) []string {
	if len(args) == 0 {
		return []string{"'" + strings.ReplaceAll(self, "'", `'\''`) + "'"}
	}
	return append([]string{self}, args...)
}

// tmuxEnvironment lets the variables that this program reads go with a new session: tmux
// copies those that it has a list of, by name, so that no command line holds a value.
func (s *sys) tmuxEnvironment(known []string) []string {
	names := []string{"HERMES_HOME"}
	for _, p := range catalog.Providers() {
		names = append(names, p.KeyEnv...)
		names = append(names, p.BaseEnv)
	}
	slices.Sort(names)
	var args []string
	for _, name := range slices.Compact(names) {
		if name != "" && set(s.env, name) && !slices.Contains(known, name) {
			args = append(args, "set-option", "-ga", "update-environment", name, ";")
		}
	}
	return args
}

// withoutTmux leaves the flag out of a command line.
func withoutTmux(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--tmux" || strings.HasPrefix(a, "--tmux=") })
}
