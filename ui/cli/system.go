package cli

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"hermes-tui/agent/event"
)

// currentFolder returns the folder that the process is in.
func currentFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		err = fmt.Errorf("the current folder cannot be found (%w): change to one that exists", err)
	}
	return dir, err
}

// system is the system the process runs in.
func system() *sys {
	return &sys{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, environ: os.Environ(), dir: currentFolder,
		ids: event.SystemSource(),
		terminal: func() (in, out bool) {
			return term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(os.Stdout.Fd()))
		},
		redirected: func() bool {
			info, err := os.Stdin.Stat()
			return err == nil && info.Mode()&(os.ModeDevice|os.ModeDir) == 0
		},
		settings: func() func() {
			fd := int(os.Stdin.Fd())
			state, err := term.GetState(fd)
			if err != nil {
				return func() {}
			}
			return func() { _ = term.Restore(fd, state) }
		},
		size:   func() (cols, rows int, err error) { return term.GetSize(int(os.Stdout.Fd())) },
		closed: closed, exit: os.Exit, confine: true,
	}
}
