package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/themes"
	"hermes-tui/ui/exec"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/term"
)

// execFlags are the options of exec alone.
type execFlags struct {
	json, events  bool
	images, files []string
	schema        string
}

// trusting adds --trust.
func (f *flags) trusting(set *pflag.FlagSet) {
	set.BoolVar(&f.trust, "trust", false, "trust the folder in this run: its instructions, rules, skills and hooks count")
}

func newExec(sys *sys, f *flags) *cobra.Command {
	e := &execFlags{}
	cmd := &cobra.Command{
		Use:   "exec [prompt]",
		Short: "Run one prompt without a screen and print the answer",
		Long: "exec runs one prompt and prints the answer. Without a prompt it is read from a file (--file) or the standard\n" +
			"input. Beside one, up to 256 KB of text of each file, and of what is piped in, follow it under their names.\n" +
			"What has not begun to come after 3 seconds (30 from a command of the same pipeline) is left out, unless - stands\n" +
			"behind the prompt.\n" +
			"On a terminal its Markdown is drawn; files and pipes get it as the model wrote it.\n" +
			"No one is there to ask: what needs consent is denied, and a line on the standard error says so.\n\n" +
			"With --output-schema the answer is JSON that fits the schema: one that does not fit is asked for again, at most\n" +
			"twice, and nothing else is printed.\n\n" +
			"It ends with 0 when the prompt was answered, 1 when it was not, 2 for a command line or settings that are wrong,\n" +
			"3 when it could not start, 4 when the answer does not fit --output-schema, 5 at the limits --max-turns and\n" +
			"--max-cost, 124 at --timeout, 130 when it was interrupted and 141 when no one reads what it prints.",
		Example: "  hermes-tui exec \"List the packages of this project\"\n  git diff | hermes-tui exec \"Review this\"\n" +
			"  make test 2>&1 | hermes-tui exec \"Why does it fail?\" -\n  hermes-tui exec --file notes.md --output-schema tasks.json \"What is to do?\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			if e.events {
				return sys.printJSON(event.Schema())
			}
			if err := f.limits.check(cmd.Flags()); err != nil {
				return err
			}
			o, err := sys.execOptions(e, args)
			if err != nil {
				return err
			}
			return sys.headless(cmd.Context(), f, o)
		},
	}
	set := cmd.Flags()
	set.BoolVar(&e.json, "json", false, "print every event as one line of JSON")
	set.BoolVar(&e.events, "json-schema", false, "print the JSON Schema of the events of --json, and run nothing")
	set.StringArrayVar(&e.images, "image", nil, "send an image `FILE` with the prompt: PNG, JPEG, GIF or WebP (repeat for several)")
	set.StringArrayVarP(&e.files, "file", "f", nil, "read the prompt from a text `FILE`, or send it with the prompt (repeat for several)")
	set.StringVar(&e.schema, "output-schema", "", "have the answer fit the JSON Schema in a `FILE`")
	f.trusting(set)
	f.limits.add(set)
	f.choosing(set)
	f.working(set)
	f.resuming(set)
	return cmd
}

// execOptions are the options of a run.
func (s *sys) execOptions(e *execFlags, args []string) (o exec.Options, err error) {
	if e.files, err = s.absolute("--file", e.files); err != nil {
		return o, err
	}
	if e.images, err = s.absolute("--image", e.images); err != nil {
		return o, err
	}
	o = exec.Options{Images: e.images, JSON: e.json, Out: s.out, Err: s.err, Clean: term.Plain}
	if e.schema != "" {
		if o.Schema, err = s.outputSchema(e.schema); err != nil {
			return o, err
		}
	}
	o.Prompt, err = s.prompt(args, e.files)
	return o, err
}

// outputSchema reads the schema of the answer.
func (s *sys) outputSchema(name string) (*exec.Schema, error) {
	names, err := s.absolute("--output-schema", []string{name})
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		return nil, usageError{fmt.Errorf("--output-schema: %w", err)}
	}
	schema, err := exec.NewSchema(text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--output-schema %s: %w", name, err)}
	}
	return schema, nil
}

// absolute names files as seen from anywhere.
func (s *sys) absolute(what string, files []string) ([]string, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, startError{err}
	}
	list := make([]string, len(files))
	for i, f := range files {
		if f == "" {
			return nil, usageError{errors.New(what + " needs the name of a file")}
		}
		if list[i] = f; !filepath.IsAbs(f) {
			list[i] = filepath.Join(dir, f)
		}
	}
	return list, nil
}

// headless runs one prompt.
func (s *sys) headless(ctx context.Context, f *flags, o exec.Options) error {
	if s.closed() {
		return startError{errors.New("the standard output is closed: to throw the answer away, use >/dev/null")}
	}
	heedPipes()
	ctx = s.heed(ctx, func() {})
	if limit := f.limits.time; limit > 0 {
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, limit, exec.ErrTimeout{After: limit})
		defer stop()
	}
	o.MaxCost, o.Denies = event.Money(f.limits.cost*float64(event.Dollar)), f.limits.approve == approveDeny
	err := s.unattended(ctx, f, o)
	if timeout, over := errors.AsType[exec.ErrTimeout](context.Cause(ctx)); over && err != nil && !is[*exec.ErrTurn](err) {
		return timeout
	}
	if _, turn := errors.AsType[*exec.ErrTurn](err); err != nil && !turn && ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// unattended opens the app, runs the prompt and closes the app again.
func (s *sys) unattended(ctx context.Context, f *flags, o exec.Options) error {
	a, err := s.open(ctx, f)
	if err != nil {
		return err
	}
	for _, text := range f.notices() {
		s.complain(text)
	}
	c, err := f.conversation(ctx, a)
	if err == nil {
		o.Draw = s.drawing(a.Settings(), themes.Library{Dir: a.Skins()}, answer)
		err = exec.Run(ctx, c, o)
	}
	closed := a.Close()
	turn, ok := errors.AsType[*exec.ErrTurn](err)
	if !ok {
		return errors.Join(err, closed)
	}
	if closed != nil {
		s.complain(closed.Error())
	}
	if turn.Stored {
		turn.Explain += fmt.Sprintf(" To resume: hermes-tui --resume %s", c.Session())
	}
	return err
}

// open loads the settings and opens the app.
func (s *sys) open(ctx context.Context, f *flags) (*app.App, error) {
	home, c, env, err := s.load(f)
	if err != nil {
		return nil, err
	}
	dir, err := s.dir()
	if err != nil {
		return nil, startError{err}
	}
	a, err := app.Open(ctx, app.Options{
		Version: Version(), Home: home, Config: c, Loading: f.loading(home, env), Warned: f.warnings, Env: env, Environ: s.environ, Dir: dir, Scenario: f.scenario,
		Unattended: true, Trust: f.trust, NoPermissions: f.limits.approve == approveDeny, Confine: s.confine, Highlight: markdown.Highlight, IDs: s.ids,
	})
	if err != nil {
		return nil, startError{err}
	}
	s.signals.end(a, func() {}) // the run stops its turn itself
	return a, nil
}

// conversation starts or resumes what the flags say.
func (f *flags) conversation(ctx context.Context, a *app.App) (app.Conversation, error) {
	ref := f.resume
	if f.latest {
		var err error
		if ref, err = a.Latest(ctx); err != nil {
			return nil, startError{err}
		}
	}
	if ref == "" {
		return started(a.Start(ctx))
	}
	c, err := a.Resume(ctx, ref)
	if is[*sessions.NotFoundError](err) {
		return nil, usageError{fmt.Errorf("there is no session %q: give its id or title, /resume in hermes-tui lists them", ref)}
	}
	return started(c, err)
}

// started marks an error as one of starting.
func started(c app.Conversation, err error) (app.Conversation, error) {
	if err != nil {
		return nil, startError{err}
	}
	return c, nil
}
