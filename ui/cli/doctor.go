package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/place"
	"hermes-tui/ui/doctor"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

func newDoctor(s *sys, f *flags) *cobra.Command {
	var fix, offline, asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check your setup", Args: noArgs,
		Example: "  hermes-tui doctor\n  hermes-tui doctor --fix\n  hermes-tui doctor --offline --json",
		Long: "doctor looks at the home, its files and their permissions, the database of sessions, the settings, the endpoints\n" +
			"of models with their keys, proxies and certificates, the terminal and tmux, the clipboard, what this system can\n" +
			"confine, the programs that the agent uses, and the MCP servers. It says what each finding means and what to do.\n" +
			"It ends with 1 when something does not work.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.inspect(cmd.Context(), f, fix, offline, func(_ *app.App, list []doctor.Finding) error { return s.printFindings(list, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "take from others what they can read of the home, and make a new database of a damaged one, which is kept beside it")
	cmd.Flags().BoolVar(&offline, "offline", false, "ask no other machine")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// inspect makes all checks and hands on what they have found, masked, with the program that
// they opened; that is nil where it could not be opened.
func (s *sys) inspect(ctx context.Context, f *flags, fix, offline bool, then func(*app.App, []doctor.Finding) error) (err error) {
	home, err := s.find(f)
	if err != nil {
		return err
	}
	dir, err := s.dir()
	if err != nil {
		return startError{err}
	}
	m := &doctor.Machine{
		Env: s.env, Term: term.DetectEnv(s.environ, runtime.GOOS), Dir: dir, Offline: offline, Find: s.program,
		Run: func(ctx context.Context, argv ...string) (string, error) {
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.Env, cmd.WaitDelay = s.outside(), time.Second
			out, err := cmd.CombinedOutput()
			return string(out), err
		},
	}
	if in, out := s.terminal(); in && out {
		m.In, _ = s.in.(*os.File)
		m.Out, _ = s.file.(*os.File)
	}
	// Before anything is opened, and made by that:
	folder := lookAtHome(home)
	faults, differs, bad := sessions.Faults(ctx, home.StateDB())
	mended := ""
	if fix && len(faults) > 0 {
		var done sessions.Salvaged
		if done, bad = sessions.Salvage(ctx, home.StateDB(), sessions.Options{Clock: s.ids.Clock}); bad == nil {
			mended = done.Report()
		}
	}
	if m.App, m.Broken = s.open(ctx, f); m.App != nil {
		defer func() { err = errors.Join(err, m.App.Close()) }()
	}
	if e, ok := errors.AsType[*sessions.Error](m.Broken); ok && (len(faults) == 0 || e.Kind == sessions.KindNotDatabase) {
		bad = e
	}
	checks := append([]doctor.Check{
		{Name: "home", Look: func(context.Context, *doctor.Machine) []doctor.Finding {
			return append(folder, lookAtModes(home, fix)...)
		}},
		{Name: "settings", Look: func(_ context.Context, m *doctor.Machine) []doctor.Finding {
			return lookAtSettings(home, m, f.warnings)
		}},
		{Name: "sessions", Look: func(context.Context, *doctor.Machine) []doctor.Finding {
			return lookAtDatabase(home, faults, differs, bad, mended)
		}},
		{Name: "sandbox", Look: s.lookAtSandbox},
	}, doctor.Checks()...)
	list := doctor.Run(ctx, m, checks)
	if m.App != nil {
		for i := range list {
			list[i].Says = m.App.Mask(list[i].Says)
		}
	}
	return then(m.App, list)
}

// lookAtHome looks whether the folder is there and can be written into.
func lookAtHome(home store.Home) []doctor.Finding {
	switch _, err := os.Stat(home.Dir()); {
	case errors.Is(err, fs.ErrNotExist):
		return []doctor.Finding{{About: "folder", State: doctor.Note, Says: home.Dir() + " is made when the program is first used"}}
	case err != nil:
		return []doctor.Finding{{About: "folder", State: doctor.Bad, Says: err.Error(), Fix: "make it readable for you, or set HERMES_HOME to another folder"}}
	}
	if !place.MayWrite(home.Dir()) {
		return []doctor.Finding{{About: "folder", State: doctor.Bad, Says: "you may not write into " + home.Dir(), Fix: "make it yours (chown), or set HERMES_HOME to another folder"}}
	}
	return []doctor.Finding{{About: "folder", State: doctor.Good, Says: home.Dir()}}
}

// lookAtModes finds what others can read, and with fix takes that from them.
func lookAtModes(home store.Home, fix bool) (list []doctor.Finding) {
	private, dir := false, home.Dir() // no one gets to what lies in a private folder
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		info, err := os.Stat(real)
		private, dir = err == nil && info.Mode().Perm()&0o077 == 0, real
	}
	for _, name := range []string{home.Dir(), home.Config(), home.Env(), home.Auth(), home.StateDB(), home.History(), home.GrantsKey()} {
		info, err := os.Stat(name)
		if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(name); private && err == nil && filepath.Dir(real) == dir {
			continue
		}
		f := doctor.Finding{
			About: filepath.Base(name), State: doctor.Weak, Says: fmt.Sprintf("others can read it (%04o)", info.Mode().Perm()),
			Fix: "run hermes-tui doctor --fix, or chmod go= " + name,
		}
		if fix {
			f.Fix = "make it yours (chown), or set HERMES_HOME to a folder on a file system with permissions"
			_ = os.Chmod(name, info.Mode().Perm()&^0o077) // looked at next
			if now, err := os.Stat(name); err == nil && now.Mode().Perm()&0o077 == 0 {
				f.Fixed = "now only you can"
			}
		}
		list = append(list, f)
	}
	return list
}

// lookAtSettings says what is wrong with the settings and with what is read beside them.
func lookAtSettings(home store.Home, m *doctor.Machine, warnings []config.Warning) (list []doctor.Finding) {
	const edit = "change it with hermes-tui config edit"
	switch {
	case is[*config.Error](m.Broken):
		list = append(list, doctor.Finding{About: "config.yaml", State: doctor.Bad, Says: m.Broken.Error(), Fix: edit})
	case m.Broken != nil && !is[*sessions.Error](m.Broken): // which the database has
		list = append(list, doctor.Finding{About: "opening", State: doctor.Bad, Says: m.Broken.Error()})
	}
	for _, w := range warnings {
		f := doctor.Finding{About: "files", State: doctor.Weak, Says: w.String()}
		if w.Wrong {
			f.State = doctor.Bad
		}
		if w.File == home.Config() {
			f.About, f.Fix = "config.yaml", edit
		}
		list = append(list, f)
	}
	if m.App != nil {
		for _, n := range m.App.Notices() {
			list = append(list, doctor.Finding{About: "files", State: doctor.Weak, Says: n})
		}
	}
	if len(list) > 0 {
		return list
	}
	if _, err := os.Stat(home.Config()); errors.Is(err, fs.ErrNotExist) {
		return []doctor.Finding{{About: "config.yaml", State: doctor.Note, Says: "there is none, so that all settings have their defaults"}}
	}
	return []doctor.Finding{{About: "config.yaml", State: doctor.Good, Says: home.Config() + " can be used"}}
}

// lookAtDatabase says whether the database of sessions is whole, or was not and
// what came of mending it; err is why it cannot be looked at, opened or mended.
func lookAtDatabase(home store.Home, faults []string, differs bool, err error, mended string) []doctor.Finding {
	f := doctor.Finding{About: "database", State: doctor.Good}
	info, missing := os.Stat(home.StateDB())
	switch {
	case errors.Is(err, fs.ErrNotExist) || missing != nil && err == nil:
		f.State, f.Says = doctor.Note, "there is none yet"
	case err != nil: // and what to do
		f.State, f.Says = doctor.Bad, err.Error()
	case len(faults) > 0:
		f.State, f.Says, f.Fix = doctor.Bad, "it is damaged: "+strings.Join(faults[:min(len(faults), 3)], "; "),
			"close every other session, then run hermes-tui doctor --fix: it makes a new one of what can be read, and keeps the damaged one"
		if f.Fixed = mended; mended != "" {
			f.State = doctor.Weak
		}
	default:
		if f.Says = "it is whole, " + format.Bytes(info.Size()); differs {
			f.State, f.Says, f.Fix = doctor.Note, f.Says+"; what search looks through was made by another version of SQLite, or is out of date", "run hermes-tui sessions reindex"
		}
	}
	return []doctor.Finding{f}
}

// lookAtSandbox says what this system can confine, and by what.
func (s *sys) lookAtSandbox(ctx context.Context, m *doctor.Machine) []doctor.Finding {
	if !s.confine {
		return nil
	}
	local, err := place.NewLocal(place.Options{Env: s.environ})
	if err != nil {
		return []doctor.Finding{{About: "commands", State: doctor.Bad, Says: err.Error()}}
	}
	defer func() { _ = local.Close() }()
	const fix = "see hermes-tui help safety for what that takes of the system"
	single := doctor.Finding{About: "commands", State: doctor.Good, Says: "each can be confined: it writes in the folder only, and connects to hosts that you allow"}
	if g, err := place.NewGuarded(ctx, local, place.GuardedOptions{Roots: []string{m.Dir}}); err == nil {
		defer func() { _ = g.Close() }()
	} else {
		single.State, single.Says, single.Fix = doctor.Weak, "they cannot be confined, so that you are asked more: "+err.Error(), fix
	}
	whole := doctor.Finding{About: "--sandbox", State: doctor.Good}
	box, err := place.NewSandbox(ctx, local, place.SandboxOptions{Roots: []string{m.Dir}})
	if err != nil {
		whole.State, whole.Says, whole.Fix = doctor.Weak, "it cannot be used: "+err.Error(), fix
		return []doctor.Finding{single, whole}
	}
	defer func() { _ = box.Close() }()
	whole.Says = "it can be used, by way of " + strings.Join(box.Means(), ", ")
	list := []doctor.Finding{single, whole}
	for _, gap := range box.Uncovered() {
		list = append(list, doctor.Finding{About: "not covered", State: doctor.Note, Says: gap})
	}
	return list
}
