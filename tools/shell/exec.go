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
	// Ran says how it ran.
	Ran tools.Ran
	// Hosts says which it was let connect to.
	Hosts []string
	// Online says by which program it uses the network otherwise, see [tools.View].
	Online string
	// Before is what confined runs wrote before this one, each with what stands between
	// them, for the screen.
	Before string

	exit place.Exit
	dir  string // where it ended, as far as that is known
}

// exec runs what a permit allows, in the shell that made it ready, and writes
// its output to out as it comes. It refuses a permit that is void, used, for
// another shell or place, for a job, or for something that has changed since. When
// ctx ends, the command and all it started are killed. host is asked for the
// password that sudo wants and about what a confined command is refused; nil: no one
// is. The time of asking is not limit's.
//
// A confined command that was refused something may be run once more with all
// rights, when the user says so: the outcome is the second one's then.
func (s *Shell) exec(ctx context.Context, p approval.Permit, host tools.Host, limit *limit, out io.Writer) (Outcome, error) {
	if host != nil {
		host = untimedHost{host, limit}
	}
	run, err := p.Take(s.o.Place)
	if err != nil {
		return Outcome{}, err
	}
	ready, ok := s.claim(run)
	if !ok || ready.order.mode.job() {
		return Outcome{}, approval.ErrForeignPermit
	}
	return s.permitted(ctx, p, ready, run, host, out)
}

// permitted runs what a permit gave, and once more what the user lets run again.
func (s *Shell) permitted(ctx context.Context, p approval.Permit, ready issued, run approval.Run, host tools.Host, out io.Writer) (Outcome, error) {
	if err := ready.refuse(run); err != nil {
		return Outcome{}, err
	}
	held := p.Confined(run, host, s.scratch)
	o, err := s.once(ctx, ready, run, held, host, out)
	if o.Ran, o.Online = run.How(), run.Online; err != nil {
		return o, err
	}
	if s.distrusts() {
		o.annotate("", approval.SkippedByGit(s.o.Place.FS(), s.o.Dir, run.Command))
	}
	o.Hosts = held.Hosts()
	next, note, err := held.Again(ctx, approval.Ended{Exit: o.exit, Failed: o.failed(run.Command), Output: o.Output, Dir: o.dir})
	if err != nil || next.Digest() == "" {
		o.annotate("", note)
		return o, nil //nolint:nilerr // it has run, and why it was ended is the outcome's
	}
	if run, err = next.Take(s.o.Place); err != nil {
		o.annotate("", fmt.Sprintf("[It was not run again: %v]", err))
		return o, nil // the model is told
	}
	if out != nil {
		_, _ = io.WriteString(out, run.Again())
	}
	second, err := s.permitted(ctx, next, ready, run, host, out)
	if err != nil {
		o.annotate("", fmt.Sprintf("[It could not be run again: %v]", err))
		return o, nil // the model is told
	}
	if len(second.Hosts) == 0 {
		second.Hosts = o.Hosts
	}
	second.Before = fmt.Sprintf("%s\n[exit %d, confined]\n%s", o.Output, o.Code, run.Again()+second.Before)
	second.annotate(note, "")
	return second, nil
}

// failed reports whether a command has not done what it was to do.
func (o Outcome) failed(command string) bool {
	return o.Code != 0 && !hintFor(command, o.Code, o.Output).fine
}

// once runs a command, once.
func (s *Shell) once(
	ctx context.Context, ready issued, run approval.Run, held *approval.Confined, host tools.Host, out io.Writer,
) (o Outcome, err error) {
	captured := newCapture(out, s.o.MaxOutput)
	spec := place.Proc{Argv: run.Argv, Dir: run.Dir, Env: s.environment(ready, run), Stdout: captured, Confine: held.Process(), Leashed: held == nil}
	if ready.order.mode.tty() {
		captured.screen = &tools.Lines{}
		spec.TTY, spec.Stdin = &place.Size{Rows: termRows, Cols: termCols}, strings.NewReader("") // at its end already
	}
	if err := s.giveFunctions(ready, run, &spec); err != nil {
		return Outcome{}, err
	}
	var asked *asker
	mute := ""
	if ready.sudo && held == nil { // who is confined gains no rights
		if asked, err = s.serveSudo(ctx, run.Command, host); err != nil {
			mute = fmt.Sprintf("[sudo could not ask for a password here: %v]", err)
		}
		defer asked.close()
	}
	exit, err := s.wait(ctx, spec)
	if err != nil {
		return Outcome{}, fmt.Errorf("run the command: %w", err)
	}
	captured.finish()
	o = Outcome{Output: captured.text(), Lines: captured.lineCount(), Code: exit.Code, exit: exit, dir: run.Dir}
	left := ""
	if !s.o.Typed {
		left = s.left(ctx, run, o)
		if (o.Code != 0 || exit.Killed) && wantsTerminal().MatchString(o.Output) {
			left = strings.TrimSpace(left + "\n" + typeIt)
		}
	}
	o.annotate(ready.note, strings.TrimSpace(mute+asked.end(o.Output, o.Code)+"\n"+left))
	if !exit.Killed {
		if dir := s.after(ready, slices.Concat(spec.Env, exit.Added), held != nil); dir != "" {
			o.dir = dir
		}
		return o, nil
	}
	_, _ = s.takeState(held != nil) // it counts for nothing
	o.Cause, o.Code = context.Cause(ctx), ExitInterrupted
	if errors.Is(o.Cause, errTimeout) {
		o.Code = ExitTimeout
	}
	return o, nil
}

// left says what the model should know of what a command has left running, which becomes a job.
func (s *Shell) left(ctx context.Context, run approval.Run, o Outcome) string {
	_, note := guidance(run.Command, s.o.Jobs != nil, false)
	left := o.exit.Left
	if left.Count == 0 || s.o.Jobs == nil {
		return note
	}
	id, err := s.o.Jobs.Keep(ctx, run.Command, run.Dir, run.Confined, left)
	if err != nil {
		return note // it has ended meanwhile, or there are too many
	}
	return fmt.Sprintf(leftRunning, tools.Plural(left.Count, "process that it started still runs", "processes that it started still run"), id)
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
func (s *Shell) giveFunctions(ready issued, run approval.Run, spec *place.Proc) error {
	s.mu.Lock()
	library, file := s.library, s.functionsFile()
	s.mu.Unlock()
	switch {
	case library == "":
		return nil
	case ready.order.mode == foreground:
		spec.Stdin = strings.NewReader(library)
		return nil
	case run.Confined && s.shared() != "":
		return s.write(s.sharedFunctions(), library, 0o600)
	}
	return s.writePrivate(file, library, 0o600)
}

// writePrivate writes a file of the private folder again.
func (s *Shell) writePrivate(file, text string, mode fs.FileMode) error {
	name, err := s.o.Place.FS().Resolve(file)
	if err != nil {
		return fmt.Errorf("prepare the shell: %w", err)
	}
	return s.write(name, text, mode)
}

// write replaces a file to which no link leads.
func (s *Shell) write(name, text string, mode fs.FileMode) error {
	if err := s.o.Place.FS().WriteAtomic(name, []byte(text), mode); err != nil {
		return fmt.Errorf("prepare the shell: %w", err)
	}
	return nil
}
