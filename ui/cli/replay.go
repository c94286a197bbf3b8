package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/flight"
	"hermes-tui/themes"
	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui"
	"hermes-tui/ui/format"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/term"
)

func newReplay(s *sys) *cobra.Command {
	var speed float64
	var step, check bool
	cmd := &cobra.Command{
		Use: "replay FILE", Short: "Play a recording that --record has made", Args: words(1, 1),
		Long: "replay plays a recording on the screen: the program with the recorded keys, answers and results in place of the\n" +
			"terminal, the services and the tools, in an empty home that is deleted afterwards. Space pauses and goes on, . goes on\n" +
			"by one step, + and - change the speed, q ends.\n" +
			"With --check it plays as fast as it can without a terminal and compares what the screen shows whenever it is at\n" +
			"rest. It ends with 1 and shows the rows that differ at the first difference.",
		Example: "  hermes-tui --record session.flight\n  hermes-tui replay session.flight\n  hermes-tui replay --speed 4 session.flight\n  hermes-tui replay --check session.flight",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case speed <= 0:
				return usageError{fmt.Errorf("--speed %v: give a number above 0, such as 0.5 or 4", speed)}
			case check && (step || cmd.Flags().Changed("speed")):
				return usageError{errors.New("--check plays as fast as it can: leave out --speed and --step")}
			}
			tape, err := flight.Read(args[0])
			if err != nil {
				return usageError{err}
			}
			if check {
				return s.checkRecording(cmd.Context(), tape)
			}
			return s.watchRecording(cmd.Context(), tape, flight.NewSpeed(speed, step))
		},
	}
	cmd.Flags().Float64Var(&speed, "speed", 1, "play it `N` times as fast as it was")
	cmd.Flags().BoolVar(&step, "step", false, "wait for a key before each step")
	cmd.Flags().BoolVar(&check, "check", false, "compare what the screen shows with the recording")
	return cmd
}

// checkRecording plays a recording without a terminal and compares.
func (s *sys) checkRecording(ctx context.Context, tape *flight.Tape) error {
	p := flight.NewPlayer(tape, nil)
	err := s.play(ctx, tape, p, true, nil)
	if err != nil {
		return err
	}
	if tape.Marks() == 0 {
		return errors.New("the recording has no marks, so there is nothing to compare")
	}
	fmt.Fprintf(s.out, "%d marks, all the same.\n", tape.Marks())
	return nil
}

// watchRecording plays a recording on the terminal.
func (s *sys) watchRecording(ctx context.Context, tape *flight.Tape, speed *flight.Speed) error {
	if in, out := s.terminal(); !in || !out {
		return usageError{errors.New("replay needs a terminal for input and output: --check compares without one")}
	}
	t, err := screen.Open(s.in, s.file, s.environ, time.Now)
	if err != nil {
		return err
	}
	cols, rows := tape.Size()
	if w, h := t.Size(); w < cols || h < rows {
		t.Close()
		return usageError{fmt.Errorf("the recording has a screen of %d×%d and this one has %d×%d: make the window larger", cols, rows, w, h)}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &watched{t: t, speed: speed, length: tape.Length(), last: screen.Frame{Rows: slices.Repeat([]string{strings.Repeat(" ", cols)}, rows), Width: cols, Hidden: true}}
	if err := t.Start(func(msg any) {
		control(msg, speed, cancel, t)
		w.draw(nil)
	}); err != nil {
		t.Close()
		return err
	}
	defer t.Close()
	go func() { // the time goes on where nothing is drawn
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.draw(nil)
			case <-ctx.Done():
				return
			}
		}
	}()
	p := flight.NewPlayer(tape, speed)
	err = s.play(ctx, tape, p, false, func(f screen.Frame) { w.draw(&f) })
	if err == nil { // the end stays on the screen until a key ends it
		<-ctx.Done()
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// watched draws a recording that is played, and how far it is. It is safe for concurrent use.
type watched struct {
	t      *screen.Terminal
	speed  *flight.Speed
	length time.Duration

	mu   sync.Mutex
	last screen.Frame
}

// draw draws a frame, or the last one again if it is nil. The row below the recorded screen,
// where there is one, says which keys there are.
func (w *watched) draw(f *screen.Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f != nil {
		w.last = *f
	}
	at, factor, paused := w.speed.State()
	state := fmt.Sprintf("×%g", factor)
	switch {
	case w.speed.Over():
		state = "the end"
	case paused:
		state = "paused"
	}
	shown := w.last
	shown.Title, shown.Mouse = fmt.Sprintf("replay %s of %s · %s", format.Duration(at), format.Duration(w.length), state), false
	if _, rows := w.t.Size(); len(shown.Rows) < rows {
		keys := " " + shown.Title + " · space pauses · . one step · + - speed · q ends"
		shown.Rows = append(slices.Clone(shown.Rows), "\x1b[7m"+ansi.Truncate(keys+strings.Repeat(" ", shown.Width), shown.Width, "")+"\x1b[m")
	}
	w.t.Draw(shown)
}

// control obeys the keys of who looks on.
func control(msg any, speed *flight.Speed, end func(), t *screen.Terminal) {
	switch msg := msg.(type) {
	case interface{ Keystroke() string }:
		switch msg.Keystroke() {
		case "q", "esc", "ctrl+c", "ctrl+d":
			end()
		case "space":
			speed.Pause()
		case ".", "right":
			speed.Step()
		case "+", "=":
			speed.Times(2)
		case "-":
			speed.Times(0.5)
		case "ctrl+l":
			t.Redraw()
		}
	case screen.Lost, screen.Panicked:
		end()
	}
}

// play plays a recording in an empty home.
func (s *sys) play(ctx context.Context, tape *flight.Tape, p *flight.Player, check bool, show func(screen.Frame)) (err error) {
	made, err := os.MkdirTemp("", "replay-")
	if err != nil {
		return startError{err}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	base, err := filepath.EvalSymlinks(made)
	if err != nil {
		return startError{err}
	}
	// Names of files are as long as they were, where that can be.
	if pad := len(tape.Head.Home) - len(filepath.Join(base, "home")) - 1; pad > 0 && pad < 200 {
		base = filepath.Join(base, strings.Repeat("x", pad))
	}
	head := tape.Head
	at, err := furnish(base, head)
	if err != nil {
		return startError{err}
	}
	// The process has nothing of the user's environment any more: no program, no key.
	os.Clearenv()
	for _, kv := range at.environ {
		name, value, _ := strings.Cut(kv, "=")
		if err := os.Setenv(name, value); err != nil {
			return startError{err}
		}
	}
	time.Local = time.FixedZone(head.Zone, head.Offset)
	env := lookup(at.environ)
	home, err := store.Find(store.Where{Env: env, WorkDir: at.dir})
	if err != nil {
		return startError{err}
	}
	load := config.Options{File: home.Config(), Env: env, Flags: playedSet(head.Set), Check: app.CheckSettings(at.user, home)}
	c, warned, err := config.Load(load)
	if err != nil {
		return err
	}
	move := strings.NewReplacer(head.Dir, at.dir, head.Home, at.user)
	p.Adapt = strings.NewReplacer(head.Dir, "DIR", at.dir, "DIR", head.Home, "HOME", at.user, "HOME").Replace
	ids := seeded(head.Seed, func() time.Time { return p.Now().Local() })
	o := app.Options{
		Version: Version(), Home: home, Config: c, Loading: load, Warned: warned, Env: env, Environ: at.environ, Dir: at.dir, Confine: s.confine, IDs: ids,
		Wrap: p.Wrap, Around: playTool(p, move), Offline: true,
	}
	options := ui.Options{
		Now: ids.Now, Pace: time.Now, Settings: app.SettingsOf(c), Themes: themes.Library{Dir: home.Skins()}, Prompt: head.Prompt, Setup: head.Prompt == "" && !app.IsDemo(event.Model{Provider: c.Model.Provider}),
		Term: term.DetectEnv(at.environ, runtime.GOOS), Dir: at.dir, Home: at.user,
	}
	return s.perform(ctx, p, options, o, check, show)
}

// perform runs the screen for a player.
func (s *sys) perform(ctx context.Context, p *flight.Player, so ui.Options, ao app.Options, check bool, show func(screen.Frame)) error {
	so.Open = opening(ao, func(ctx context.Context, a *app.App) (app.Conversation, error) { return a.Start(ctx) }, func(*app.App) {})
	m, problems := ui.New(so)
	m.Warn(problems)
	stage := m.Stage(ao.Environ, p.After, show)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // the recording may end the program before its own end
		select {
		case <-stage.Ended():
			cancel()
		case <-ctx.Done():
		}
	}()
	err := p.Play(ctx, stage, check)
	select {
	case <-stage.Ended():
		if errors.Is(err, context.Canceled) {
			err = nil
		}
	default:
	}
	p.End()
	if err == nil && show != nil {
		select {
		case <-ctx.Done():
		case <-stage.Ended():
		}
	}
	err = errors.Join(err, stage.Close(), m.Fatal())
	if e := m.Ending(); e.App != nil {
		err = errors.Join(err, e.App.Close())
	}
	return err
}

// furnished is where a recording is played.
type furnished struct {
	user, dir string
	environ   []string
}

// furnish makes a home and a folder for a recording, as far from each other as they were.
func furnish(base string, h flight.Head) (furnished, error) {
	at := furnished{user: filepath.Join(base, "home")}
	at.dir = filepath.Join(base, "work", filepath.Base(filepath.Clean("/"+h.Dir)))
	if rel, err := filepath.Rel(h.Home, h.Dir); err == nil && filepath.IsLocal(rel) {
		at.dir = filepath.Join(at.user, rel)
	}
	home := filepath.Join(at.user, ".hermes")
	for _, dir := range []string{at.dir, home, filepath.Join(base, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return at, err
		}
	}
	at.environ = playedEnviron(h.Environ, func(v string) string { return v })
	at.environ = append(at.environ, "HOME="+at.user, "HERMES_HOME="+home, "PATH=", "SHELL=/bin/sh", "TMPDIR="+filepath.Join(base, "tmp"), "AWS_EC2_METADATA_DISABLED=true")
	settings, err := playable([]byte(h.Settings), func(v string) string { return v })
	if err != nil {
		return at, err
	}
	return at, os.WriteFile(filepath.Join(home, "config.yaml"), []byte(settings), 0o600)
}

// lookup finds a variable in an environment.
func lookup(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// playedSet are the settings of the command line that a recording may have.
func playedSet(set map[string]string) map[string]string {
	out := map[string]string{}
	for _, key := range []string{"model.provider", "model.default", "model.base_url", "toolsets", "approvals.mode"} {
		if v, ok := set[key]; ok {
			out[key] = v
		}
	}
	return out
}

// playTool gives what the calls of a tool did in the recording in place of running it. move
// brings names of files to where the recording is played.
func playTool(p *flight.Player, move *strings.Replacer) func(tools.Tool) tools.Tool {
	return func(t tools.Tool) tools.Tool {
		if performed(t) {
			return t
		}
		action, files := t.Action, t.Files
		t.Run = func(ctx context.Context, c tools.Call, _ tools.Host, out tools.Sink) (res tools.Result, err error) {
			ok, err := p.Call(ctx, t.Name, c.Args, out, &res)
			if !ok {
				return tools.Failure(tools.View{Kind: tools.KindGeneric}, "this call is not in the recording, so it was not made"), nil
			}
			return res, err
		}
		if action != nil {
			t.Action = func(args json.RawMessage) (a tools.Action, err error) {
				ok, err := p.Asked(t.Name, "action "+string(args), &a)
				if !ok {
					return action(args)
				}
				a.Paths = slices.Clone(a.Paths)
				for i := range a.Paths {
					a.Paths[i] = move.Replace(a.Paths[i])
				}
				a.Dir = move.Replace(a.Dir)
				return a, err
			}
		}
		if files != nil {
			t.Files = func(args json.RawMessage) (list []hunks.File, err error) {
				ok, err := p.Asked(t.Name, "files "+string(args), &list)
				if !ok {
					return files(args)
				}
				for i := range list {
					list[i].Path, list[i].Name, list[i].To = move.Replace(list[i].Path), move.Replace(list[i].Name), move.Replace(list[i].To)
				}
				return list, err
			}
		}
		return t
	}
}
