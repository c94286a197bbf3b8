package cli

import (
	"os"

	"golang.org/x/term"

	"hermes-tui/agent/event"
)

// system is the system the process runs in.
func system() *sys {
	return &sys{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, environ: os.Environ(), dir: os.Getwd,
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
