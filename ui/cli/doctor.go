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
		Use: "doctor", Short: "Look whether everything the program needs is there and works", Args: noArgs,
		Example: "  hermes-tui doctor\n  hermes-tui doctor --fix\n  hermes-tui doctor --offline --json",
		Long: "doctor looks at the home, its files and their permissions, the database of sessions, the settings, the endpoints\n" +
			"of models with their keys, proxies and certificates, the terminal and tmux, the clipboard, what this system can\n" +
			"confine, the programs that the agent uses, and the MCP servers. It says what each finding means and what to do.\n" +
			"It ends with 1 when something does not work.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.inspect(cmd.Context(), f, fix, offline, func(_ *app.App, list []doctor.Finding) error { return s.printFindings(list, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "make a new database of a damaged one, which is kept beside it")
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
		m.Out, _ = s.out.(*os.File)
	}
	// Before anything is opened, and made by that:
	folder := lookAtHome(home)
	faults, noFile := sessions.Faults(ctx, home.StateDB())
	mended := ""
	if fix && len(faults) > 0 {
		done, err := sessions.Salvage(ctx, home.StateDB(), sessions.Options{Clock: s.ids.Clock})
		if mended = done.Report(); err != nil {
			mended = "that could not be done: " + err.Error()
		}
	}
	if m.App, m.Broken = s.open(ctx, f); m.App != nil {
		defer func() { err = errors.Join(err, m.App.Close()) }()
	}
	checks := append([]doctor.Check{
		{Name: "home", Look: func(context.Context, *doctor.Machine) []doctor.Finding { return append(folder, lookAtModes(home)...) }},
		{Name: "settings", Look: func(_ context.Context, m *doctor.Machine) []doctor.Finding {
			return lookAtSettings(home, m.Broken, f.notices())
		}},
		{Name: "sessions", Look: func(context.Context, *doctor.Machine) []doctor.Finding {
			return lookAtDatabase(home, faults, noFile, mended)
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

// lookAtModes finds what others can read although the program makes it private when it is
// opened, as on a file system without permissions.
func lookAtModes(home store.Home) (list []doctor.Finding) {
	for _, name := range []string{home.Dir(), home.Env(), home.Auth(), home.StateDB(), home.History(), home.GrantsKey()} {
		if info, err := os.Stat(name); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			list = append(list, doctor.Finding{
				About: filepath.Base(name), State: doctor.Weak, Says: fmt.Sprintf("others can read it (%04o)", info.Mode().Perm()),
				Fix: "chmod go= " + name + ", or set HERMES_HOME to a folder on a file system with permissions",
			})
		}
	}
	return list
}

// lookAtSettings says what is wrong with the settings.
func lookAtSettings(home store.Home, broken error, warnings []string) (list []doctor.Finding) {
	switch {
	case is[*config.Error](broken):
		list = append(list, doctor.Finding{About: "config.yaml", State: doctor.Bad, Says: broken.Error(), Fix: "change it with hermes-tui config edit"})
	case broken != nil:
		list = append(list, doctor.Finding{About: "opening", State: doctor.Bad, Says: broken.Error()})
	}
	for _, w := range warnings {
		list = append(list, doctor.Finding{About: "config.yaml", State: doctor.Weak, Says: w})
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
// what came of mending it.
func lookAtDatabase(home store.Home, faults []string, err error, mended string) []doctor.Finding {
	f := doctor.Finding{About: "database", State: doctor.Good}
	info, missing := os.Stat(home.StateDB())
	switch {
	case errors.Is(err, fs.ErrNotExist) || missing != nil && err == nil:
		f.State, f.Says = doctor.Note, "there is none yet"
	case err != nil:
		f.State, f.Says, f.Fix = doctor.Bad, err.Error(), "see hermes-tui sessions check"
	case len(faults) > 0:
		f.State, f.Says, f.Fix = doctor.Bad, "it is damaged: "+strings.Join(faults[:min(len(faults), 3)], "; "),
			"close every other session, then run hermes-tui doctor --fix: it makes a new one of what can be read, and keeps the damaged one"
		if f.Fixed = mended; mended != "" {
			f.State = doctor.Weak
		}
	default:
		f.Says = "it is whole, " + format.Bytes(info.Size())
	}
	return []doctor.Finding{f}
}

// lookAtSandbox says what this system can confine.
func (s *sys) lookAtSandbox(ctx context.Context, m *doctor.Machine) []doctor.Finding {
	if !s.confine {
		return nil
	}
	local, err := place.NewLocal(place.Options{Env: s.environ})
	if err != nil {
		return []doctor.Finding{{About: "commands", State: doctor.Bad, Says: err.Error()}}
	}
	defer func() { _ = local.Close() }()
	box, err := place.NewSandbox(ctx, local, place.SandboxOptions{Roots: []string{m.Dir}})
	if err != nil {
		return []doctor.Finding{{About: "commands", State: doctor.Weak, Says: "none can be confined here: " + err.Error(),
			Fix: "on Linux this takes Landlock (kernel 5.13 or newer) and user namespaces: see docs/safety.md"}}
	}
	defer func() { _ = box.Close() }()
	list := []doctor.Finding{{About: "commands", State: doctor.Good, Says: "they can be confined to some folders, and kept off the network"}}
	for _, gap := range box.Uncovered() {
		list = append(list, doctor.Finding{About: "not covered", State: doctor.Note, Says: gap})
	}
	return list
}
