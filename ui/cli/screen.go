package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/themes"
	"hermes-tui/ui"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/term"
)

// screen opens the full screen and sends a prompt there, empty for none.
func (s *sys) screen(ctx context.Context, f *flags, rf recordFlags, prompt string) (err error) {
	if err := rf.check(); err != nil {
		return err
	}
	home, c, env, err := s.load(f)
	if err != nil {
		return err
	}
	dir, err := s.dir()
	if err != nil {
		return startError{err}
	}
	kind, _ := s.env("TERM")
	in, out := s.terminal()
	lines := f.linear || c.Display.Linear || kind == "dumb" && in && out
	if !lines && (!in || !out) {
		return usageError{errors.New("the screen needs a terminal for input and output: for scripts and pipes there is hermes-tui exec \"PROMPT\"")}
	}
	if lines && rf.file != "" {
		return usageError{errors.New("--record needs the full screen: leave out --linear")}
	}
	settings := app.SettingsOf(c)
	ao := app.Options{
		Version: Version(), Home: home, Config: c, Loading: f.loading(home, env), Warned: f.warnings, Env: env,
		Environ: s.environ, Dir: dir, Scenario: f.scenario, Confine: s.confine, Highlight: markdown.Highlight, IDs: s.ids,
	}
	so := ui.Options{
		Now: time.Now, Settings: settings, Themes: themes.Library{Dir: home.Skins()}, Prompt: prompt, Setup: prompt == "" && f.scenario == "" && !app.IsDemo(event.Model{Provider: c.Model.Provider}), Notices: f.notices(), Term: term.DetectEnv(s.environ, runtime.GOOS), Probe: ui.Driven(), Dir: dir, Home: userHome(s.env),
		OpenPage: func(address string) bool { return !set(s.env, "SSH_CONNECTION") && openBrowser(s, address) },
	}
	var badStyle error
	so.Markdown, badStyle = s.markdownStyle(settings)
	opened := func(a *app.App) { s.signals.end(a, a.Interrupt) }
	var rec *screen.Recorder
	if rf.file != "" {
		if rec, err = s.record(rf, c); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rec.Close()) }()
		so.Recorder = rec
		end := opened
		opened = func(a *app.App) {
			end(a)
			rec.SetMask(a.Mask)
		}
	}
	so.Open = opening(ao, func(ctx context.Context, a *app.App) (app.Conversation, error) {
		conv, err := f.conversation(ctx, a)
		if newer, ok := errors.AsType[*sessions.Error](err); ok && newer.Kind == sessions.KindNewer {
			if ref, none := a.Latest(ctx); none == nil { // it can be read
				conv, err = started(a.Resume(ctx, ref))
			}
		}
		return conv, err
	}, opened)
	if lines {
		return s.lines(ctx, f, prompt, so.Open)
	}
	m, problems := ui.New(so)
	if rec != nil {
		rec.OnFailure(func(err error) { m.RecordingEnded(recordingEnded(rf.file, err)) })
	}
	if badStyle != nil {
		problems = append(problems, badStyle.Error())
	}
	m.Warn(problems)
	restore := s.settings()
	quit := s.heed(ctx, func() {
		restore()
		fmt.Fprint(s.out, term.ResetSequence()+term.RestoreTitle)
	})
	err = m.Run(quit, s.in, s.file, s.environ)
	return errors.Join(err, m.Fatal(), s.leave(m.Ending(), err == nil && m.Fatal() == nil))
}

// opening gives what opens the app and the conversation that begin chooses.
func opening(o app.Options, begin func(context.Context, *app.App) (app.Conversation, error), opened func(*app.App)) func(context.Context, func(*event.State)) (*app.App, app.Conversation, error) {
	return func(ctx context.Context, glimpse func(*event.State)) (*app.App, app.Conversation, error) {
		o.Glimpse = glimpse
		a, err := app.Open(ctx, o)
		if err != nil {
			return nil, nil, startError{err}
		}
		opened(a)
		conv, err := begin(ctx, a)
		return a, conv, err
	}
}

// userHome is the home directory as the environment has it, for display.
func userHome(env func(string) (string, bool)) string {
	home, _ := env("HOME")
	return home
}

// mostWarnings is how many warnings of the settings are said at a start.
const mostWarnings = 3

// notices are the warnings of the settings as sentences, the first of them.
func (f *flags) notices() []string {
	var list []string
	for i, w := range f.warnings {
		if i == mostWarnings {
			list = append(list, fmt.Sprintf("… and %d more of the settings: hermes-tui doctor lists them", len(f.warnings)-i))
			break
		}
		list = append(list, w.String())
	}
	return list
}

// draftTime is how long the store may refuse the draft when the program ends.
const draftTime = time.Second

// leave closes what the screen used and prints the end of the conversation.
func (s *sys) leave(e ui.Ending, tell bool) error {
	if e.App == nil {
		return nil
	}
	var errs []error
	if e.Conv != nil {
		ctx, cancel := context.WithTimeout(context.Background(), draftTime)
		defer cancel()
		if err := e.Conv.SaveDraft(ctx, e.Draft); err != nil && e.Draft != "" {
			for draft := range strings.SplitSeq(e.Draft, event.StashMark) {
				if draft != "" {
					e.App.Remember(draft)
				}
			}
			errs = append(errs, fmt.Errorf("the draft is kept in the input history only, press ↑ for it: %w", err))
		}
	}
	errs = append(errs, e.App.Close())
	if tell && e.Conv != nil {
		s.farewell(e)
	}
	return errors.Join(errs...)
}

// maxTail is how many lines of the last answer are printed.
const maxTail = 30

// farewell prints the tail of the conversation and how to go on with it.
func (s *sys) farewell(e ui.Ending) {
	root := e.State.Root()
	if root == nil || root.Turns == 0 {
		return
	}
	var user, answer string
	for _, b := range root.Blocks {
		switch b.Kind {
		case event.BlockUser:
			user, answer = b.Text.String(), ""
		case event.BlockAnswer:
			answer = b.Text.String()
		}
	}
	if user != "" {
		fmt.Fprintf(s.out, "❯ %s\n\n", term.Plain(lastLines(user, 5)))
	}
	if answer != "" {
		fmt.Fprintf(s.out, "%s\n\n", term.Plain(lastLines(answer, maxTail)))
	}
	s.tellEnded(e.Ended)
	for _, j := range e.State.Jobs {
		if j.Stays {
			fmt.Fprintf(s.out, "Goes on: %s\n", term.Line(j.Command))
		}
	}
	fmt.Fprintf(s.out, "To resume: hermes-tui --resume %s\n", e.Conv.Session())
}

// tellEnded names the background jobs that end with the program.
func (s *sys) tellEnded(commands []string) {
	for _, c := range commands {
		fmt.Fprintf(s.out, "Ended in the background: %s\n", term.Line(c))
	}
}
