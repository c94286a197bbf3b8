// Package cli is the command line of the program and the place where everything
// is put together.
//
// Exit codes: 0 for success, 1 for a turn that did not complete or a check that found
// something, 2 for a command line or configuration that is wrong, 3 for a program that
// could not start, 4 for an answer that does not fit its schema, 5 for a limit on model
// calls or money that was reached, 124 for one on time, 130 for an interrupt, 141 when no
// one reads the output any more.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/script"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/place"
	"hermes-tui/tools/web"
	"hermes-tui/ui/exec"
	"hermes-tui/ui/term"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitStart       = 3
	exitUnfit       = 4
	exitLimit       = 5
	exitTimeout     = 124
	exitInterrupted = 130
	exitUnread      = 141
)

// Main runs the program and returns its exit code.
func Main() int {
	if handled, code := place.SandboxMain(os.Args); handled {
		return code
	}
	if handled, code := web.ReaderMain(os.Args); handled {
		return code
	}
	if handled, code := runBelowInit(); handled {
		return code
	}
	heedSizeLimit()
	return run(context.Background(), os.Args[1:], system())
}

// run executes a command line.
func run(ctx context.Context, args []string, sys *sys) int {
	sys.args = args
	out := &output{Writer: sys.out}
	sys.file, sys.out = sys.out, out
	_, shown := sys.terminal() // one that is gone by the end misses nothing
	root := newRoot(sys)
	root.SetArgs(args)
	root.SetIn(sys.in)
	root.SetOut(sys.out)
	root.SetErr(sys.err)
	defer sys.signals.stop()
	err := root.ExecuteContext(ctx)
	if failed := out.failed.Load(); err == nil && failed != nil && !shown {
		err = *failed
	}
	return sys.report(err)
}

// output notes the first write that failed: what was not printed did not succeed.
type output struct {
	io.Writer
	failed atomic.Pointer[error]
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// usageError is a command line that is wrong.
type usageError struct{ error }

// startError is a program that could not start.
type startError struct{ error }

// Unwrap gives the cause.
func (e startError) Unwrap() error { return e.error }

// errInterrupted is an interrupt before the conversation was there.
var errInterrupted = errors.New("interrupted before anything was sent")

// report prints what went wrong, in one sentence, and gives the exit code.
func (s *sys) report(err error) int {
	if err == nil {
		return exitOK
	}
	if turn, ok := errors.AsType[*exec.ErrTurn](err); ok {
		s.complain(turn.Explain)
		return turnCode(turn)
	}
	if unread(err) {
		return exitUnread
	}
	s.complain(err.Error())
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case is[exec.ErrTimeout](err):
		return exitTimeout
	case misused(err):
		return exitUsage
	}
	if _, ok := errors.AsType[startError](err); ok {
		return exitStart
	}
	return exitFailed
}

// turnCode is the exit code for a turn that did not complete.
func turnCode(turn *exec.ErrTurn) int {
	switch {
	case turn.Unfit:
		return exitUnfit
	case turn.Timeout:
		return exitTimeout
	case turn.Outcome == event.TurnInterrupted:
		return exitInterrupted
	case turn.Outcome == event.TurnExhausted:
		return exitLimit
	}
	return exitFailed
}

// misused reports whether the command line or the settings are wrong, rather than
// the machine.
func misused(err error) bool {
	if home, ok := errors.AsType[*store.HomeError](err); ok {
		return home.Problem == store.BadProfile
	}
	return is[usageError](err) || is[*config.Error](err) || is[*script.LoadError](err) ||
		is[*sessions.AmbiguousError](err) || errors.Is(err, app.ErrNone) ||
		is[*models.NoModelError](err) || is[*catalog.UnknownProviderError](err) || is[*catalog.MissingKeyError](err) ||
		is[*exec.ImageError](err) || is[*catalog.UnsendableError](err) || is[*catalog.MissingURLError](err) || is[*catalog.InvalidURLError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func (s *sys) complain(text string) {
	fmt.Fprintf(s.err, "hermes-tui: %s\n", term.Plain(text))
}

// sys is what the program needs of the system around it.
type sys struct {
	args     []string
	in       io.Reader
	out, err io.Writer
	file     io.Writer // what out writes to, for those that need the terminal
	env      func(string) (string, bool)
	environ  []string
	dir      func() (string, error)
	ids      event.Source
	// terminal reports whether in and out are terminals.
	terminal func() (in, out bool)
	// redirected reports whether in is a file, a pipe or a socket.
	redirected func() bool
	// settings notes the settings of the terminal and gives what puts them back.
	settings func() (restore func())
	// size is that of the terminal in cells.
	size func() (cols, rows int, err error)
	// closed reports whether there is no standard output at all.
	closed  func() bool
	exit    func(code int)
	signals signals
	confine bool // this program's file calls [place.SandboxMain]
}

func newRoot(sys *sys) *cobra.Command {
	f, rf, tmux := &flags{}, recordFlags{}, ""
	root := &cobra.Command{
		Use:   "hermes-tui [prompt]",
		Short: "A terminal agent: type what you want, and a model with tools does it in front of you",
		Long: "hermes-tui opens a full-screen session with a model that can read, write and run things here.\n" +
			"A prompt in quotes is sent at once.\n" +
			"Without any configuration it uses a provider key from the environment, else a model server on this\n" +
			"machine (Ollama, LM Studio, llama.cpp, vLLM), else an offline demonstration.",
		Example: "  hermes-tui\n  hermes-tui \"Explain this repository\"\n  hermes-tui --continue\n  hermes-tui --provider custom --base-url http://127.0.0.1:8080/v1 --model NAME\n" +
			"  hermes-tui exec \"What does this project do?\"",
		Args:          onePrompt,
		Version:       build(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if tmux != "" {
				return sys.tmux(cmd.Context(), tmux, strings.Join(args, ""), withoutTmux(sys.args))
			}
			return sys.screen(cmd.Context(), f, rf, strings.Join(args, ""))
		},
	}
	root.Flags().StringVar(&tmux, "tmux", "", "run in a session of tmux that goes on when the terminal is closed, or show it; with `NAME` the session of that name, else of the folder")
	root.Flags().BoolVar(&f.linear, "linear", false, "show plain lines in place of the full screen, for screen readers and pipes")
	root.Flags().Lookup("tmux").NoOptDefVal = tmuxNamed
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%s (see %s --help)", flagProblem(cmd, err), cmd.CommandPath())}
	})
	root.SetHelpFunc(sys.printUsage)
	f.everywhere(root.PersistentFlags())
	f.choosing(root.Flags())
	f.working(root.Flags())
	f.resuming(root.Flags())
	rf.add(root.Flags())
	root.AddCommand(newExec(sys, f), newContext(sys, f), newSessions(sys, f), newConfig(sys, f), newMCP(sys, f), newFeature(sys, f, "hooks"), newFeature(sys, f, "learnings"), newPlugins(sys, f), newSkills(sys, f), newDoctor(sys, f), newLogs(sys, f), newVersion(sys), newModels(sys, f), newDump(sys, f), newTools(sys, f), newMemory(sys, f), newProfile(sys, f), newBench(sys, f), newMan(sys), newCompletion(sys))
	root.SetHelpCommand(newHelp(sys, f))
	addLogins(root, sys, f, loginParts{settings: models.LoginSettingsOf, open: openBrowser})
	addCompletion(root, sys, f)
	return root
}
