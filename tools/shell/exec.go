package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Exit codes of commands that were ended from outside.
const (
	ExitTimeout     = 124
	ExitInterrupted = 130
)

// errTimeout is the cause of a command's end when its time is up.
var errTimeout = errors.New("the command took too long")

// Outcome is what came of a command.
type Outcome struct {
	// Output is for the model: without control sequences, bounded, trimmed.
	Output string
	// Lines counts the lines of the whole output.
	Lines int
	// Code is the exit code, [ExitTimeout] or [ExitInterrupted].
	Code int
	// Cause says why the command was ended from outside, nil otherwise.
	Cause error
}

// Exec runs what a permit allows, in the shell that made it ready, and writes
// its output to out as it comes. It refuses a permit that is void, used, for
// another shell or place, or for something that has changed since. When ctx
// ends, the command and all it started are killed.
func (s *Shell) Exec(ctx context.Context, p approval.Permit, out io.Writer) (Outcome, error) {
	run, err := p.Take(s.o.Place)
	if err != nil {
		return Outcome{}, err
	}
	ready, ok := s.claim(run)
	if !ok {
		return Outcome{}, approval.ErrForeignPermit
	}
	captured := newCapture(out, s.o.MaxOutput)
	spec := place.Proc{Argv: run.Argv, Dir: run.Dir, Env: run.Env, Stdout: captured}
	if library := s.functions(); library != "" {
		spec.Stdin = strings.NewReader(library)
	}
	proc, err := s.o.Place.Start(ctx, spec)
	if err != nil {
		if ctx.Err() != nil {
			return Outcome{Code: ExitInterrupted, Cause: context.Cause(ctx)}, nil //nolint:nilerr // the cause is in the outcome
		}
		return Outcome{}, fmt.Errorf("run the command: %w", err)
	}
	exit, err := proc.Wait()
	if err != nil {
		return Outcome{}, fmt.Errorf("run the command: %w", err)
	}
	o := Outcome{Output: captured.text(), Lines: captured.lineCount(), Code: exit.Code}
	if ready.note != "" {
		o.Output = trim(ready.note + "\n" + o.Output)
	}
	if !exit.Killed {
		s.after(ready)
		return o, nil
	}
	o.Cause, o.Code = context.Cause(ctx), ExitInterrupted
	if errors.Is(o.Cause, errTimeout) {
		o.Code = ExitTimeout
	}
	return o, nil
}

// claim finds what was made ready for a run, which must be one of this shell's.
func (s *Shell) claim(run approval.Run) (issued, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := run.Argv[len(run.Argv)-1]
	ready, ok := s.issued[number]
	// The number alone does not say whose it is, the file for the state does.
	if !ok || s.closed || !slices.ContainsFunc(run.Argv, func(a string) bool {
		return strings.HasPrefix(a, ": >|"+quote(s.stateFile())+";")
	}) {
		return issued{}, false
	}
	delete(s.issued, number)
	return ready, true
}

func (s *Shell) functions() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.library
}
