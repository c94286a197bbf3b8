package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Exit codes of commands that were ended from outside.
const (
	ExitTimeout     = 124
	ExitInterrupted = 130
)

// The terminal of a command that wants one.
const (
	termRows = 30
	termCols = 120
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

// exec runs what a permit allows, in the shell that made it ready, and writes
// its output to out as it comes. It refuses a permit that is void, used, for
// another shell or place, for a job, or for something that has changed since. When
// ctx ends, the command and all it started are killed. host is asked for the
// password that sudo wants; nil: no one is. The time of asking is not limit's.
func (s *Shell) exec(ctx context.Context, p approval.Permit, host tools.Host, limit *limit, out io.Writer) (Outcome, error) {
	run, err := p.Take(s.o.Place)
	if err != nil {
		return Outcome{}, err
	}
	ready, ok := s.claim(run)
	if !ok || ready.order.mode.job() {
		return Outcome{}, approval.ErrForeignPermit
	}
	captured := newCapture(out, s.o.MaxOutput)
	spec := place.Proc{Argv: run.Argv, Dir: run.Dir, Env: run.Env, Stdout: captured}
	if ready.order.mode.tty() {
		captured.screen = &tools.Lines{}
		spec.TTY, spec.Stdin = &place.Size{Rows: termRows, Cols: termCols}, strings.NewReader("") // at its end already
	}
	if err := s.giveFunctions(ready, &spec); err != nil {
		return Outcome{}, err
	}
	var asked *asker
	mute := ""
	if ready.sudo {
		if asked, err = s.serveSudo(ctx, run.Command, host, limit); err != nil {
			mute = fmt.Sprintf("[sudo could not ask for a password here: %v]", err)
		}
		defer asked.close()
	}
	exit, err := s.wait(ctx, spec)
	if err != nil {
		return Outcome{}, fmt.Errorf("run the command: %w", err)
	}
	captured.finish()
	o := Outcome{Output: captured.text(), Lines: captured.lineCount(), Code: exit.Code}
	o.annotate(ready.note, mute+asked.end(o.Output, o.Code))
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

// wait runs a process to its end. One that was not started since the context has
// ended counts as killed.
func (s *Shell) wait(ctx context.Context, spec place.Proc) (place.Exit, error) {
	proc, err := s.o.Place.Start(ctx, spec)
	switch {
	case err == nil:
		return proc.Wait()
	case ctx.Err() != nil:
		return place.Exit{Killed: true}, nil //nolint:nilerr // its cause becomes the outcome's
	}
	return place.Exit{}, err
}

// annotate adds what the model should know, before and after the output.
func (o *Outcome) annotate(before, after string) {
	if before != "" {
		o.Output = trim(before + "\n" + o.Output)
	}
	if after != "" {
		o.Output = trim(o.Output + "\n" + after)
	}
}

// claim finds what was made ready for a run, which must be one of this shell's.
func (s *Shell) claim(run approval.Run) (issued, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := run.Argv[len(run.Argv)-1]
	ready, ok := s.issued[number]
	if !ok || s.closed || !slices.Equal(run.Argv, ready.argv) {
		return issued{}, false
	}
	delete(s.issued, number)
	return ready, true
}

// giveFunctions hands the functions and aliases of the user to a command. spec
// may be nil for one whose input is its own.
func (s *Shell) giveFunctions(ready issued, spec *place.Proc) error {
	s.mu.Lock()
	library, file := s.library, s.functionsFile()
	s.mu.Unlock()
	switch {
	case library == "":
		return nil
	case ready.order.mode == foreground:
		spec.Stdin = strings.NewReader(library)
		return nil
	}
	return s.writePrivate(file, library, 0o600)
}

// writePrivate writes a file of the private folder again.
func (s *Shell) writePrivate(file, text string, mode fs.FileMode) error {
	name, err := s.o.Place.FS().Resolve(file)
	if err == nil {
		err = s.o.Place.FS().WriteAtomic(name, []byte(text), mode)
	}
	if err != nil {
		return fmt.Errorf("prepare the shell: %w", err)
	}
	return nil
}
