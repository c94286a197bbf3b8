package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/store/sessions"
	"hermes-tui/ui/exec"
	"hermes-tui/ui/term"
)

func newExec(sys *sys, f *flags) *cobra.Command {
	var json bool
	var images []string
	cmd := &cobra.Command{
		Use:   "exec [prompt]",
		Short: "Run one prompt without a screen and print the answer",
		Long: "exec runs one prompt and prints the answer. Without a prompt it is read from the standard input. Beside\n" +
			"one, up to 256 KB of text that is piped in or redirected from a file follow it. What has not begun to come\n" +
			"after 3 seconds is left out, unless - stands behind the prompt.\n" +
			"On a terminal its Markdown is drawn; files and pipes get it as the model wrote it.\n" +
			"No one is there to ask: what needs consent is denied, and a line on the standard error says so.",
		Example: "  hermes-tui exec \"List the packages of this project\"\n  git diff | hermes-tui exec \"Review this\"\n" +
			"  make test 2>&1 | hermes-tui exec \"Why does it fail?\" -",
		RunE: func(cmd *cobra.Command, args []string) error {
			prompt, err := sys.prompt(args)
			if err != nil {
				return err
			}
			if images, err = sys.absolute(images); err != nil {
				return err
			}
			return sys.headless(cmd.Context(), f, exec.Options{Prompt: prompt, Images: images, JSON: json, Out: sys.out, Err: sys.err, Clean: term.Plain})
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "print every event as one line of JSON")
	cmd.Flags().StringArrayVar(&images, "image", nil, "send an image with the prompt: PNG, JPEG, GIF or WebP (repeat for several)")
	return cmd
}

// absolute names files as seen from anywhere.
func (s *sys) absolute(files []string) ([]string, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, startError{err}
	}
	list := make([]string, len(files))
	for i, f := range files {
		if f == "" {
			return nil, usageError{errors.New("--image needs the name of a file")}
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
	err := s.unattended(ctx, f, o)
	if _, turn := errors.AsType[*exec.ErrTurn](err); err != nil && !turn && ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// unattended opens the app, runs the prompt and closes the app again.
func (s *sys) unattended(ctx context.Context, f *flags, o exec.Options) error {
	a, err := s.open(ctx, f, true)
	if err != nil {
		return err
	}
	for _, w := range f.warnings {
		s.complain(w.String())
	}
	c, err := f.conversation(ctx, a)
	if err == nil {
		o.Draw = s.drawing(a.Settings())
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
		turn.Explain += fmt.Sprintf(" Go on with: hermes-tui --resume %s", c.Session())
	}
	return err
}

// open loads the settings and opens the app.
func (s *sys) open(ctx context.Context, f *flags, unattended bool) (*app.App, error) {
	home, c, env, err := s.load(f)
	if err != nil {
		return nil, err
	}
	dir, err := s.dir()
	if err != nil {
		return nil, startError{err}
	}
	a, err := app.Open(ctx, app.Options{
		Version: Version(), Home: home, Config: c, Env: env, Environ: s.environ, Dir: dir, Scenario: f.scenario,
		Unattended: unattended, Confine: s.confine, IDs: s.ids,
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
