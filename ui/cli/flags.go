package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"hermes-tui/agent/app"
	"hermes-tui/store"
	"hermes-tui/store/config"
)

// flags are the options that several commands know. A command has the groups of them
// that change what it does.
type flags struct {
	profile  string
	provider string
	model    string
	baseURL  string
	toolsets []string
	scenario string
	resume   string
	latest   bool
	yolo     bool
	plan     bool
	create   bool
	linear   bool
	trust    bool
	place    string
	sandbox  bool
	limits   limits
	logLevel string
	warnings []config.Warning
}

// everywhere adds what every command has.
func (f *flags) everywhere(set *pflag.FlagSet) {
	set.StringVarP(&f.profile, "profile", "p", "", "use the profile `NAME`, with settings and sessions of its own")
	set.StringVar(&f.logLevel, "log-level", "", "write into the log what is of this `LEVEL` or above: debug, info, warning or error")
	set.BoolVar(&f.create, "create-profile", false, "make the profile that --profile names")
}

// choosing adds what says which model answers.
func (f *flags) choosing(set *pflag.FlagSet) {
	set.StringVar(&f.provider, "provider", "", "use this `PROVIDER`: a known one, one of config.yaml, custom, demo or script")
	set.StringVarP(&f.model, "model", "m", "", "use the model `NAME`")
	set.StringVar(&f.baseURL, "base-url", "", "`ADDRESS` of an OpenAI-compatible endpoint; with --provider, that of the provider")
	set.StringVar(&f.scenario, "scenario", "", "play a scenario `FILE`, with --provider script")
}

// resuming adds what says which session goes on.
func (f *flags) resuming(set *pflag.FlagSet) {
	set.StringVarP(&f.resume, "resume", "r", "", "go on with a session: `ID`, its beginning, or title")
	set.BoolVarP(&f.latest, "continue", "c", false, "go on with the session that was used last")
}

// working adds what says where an agent works and what it may do.
func (f *flags) working(set *pflag.FlagSet) {
	set.StringSliceVarP(&f.toolsets, "toolsets", "t", nil, "give the agent these `TOOLSETS` only, separated by commas")
	set.BoolVar(&f.yolo, "yolo", false, "ask nothing before commands run (what is always blocked stays blocked)")
	set.StringVar(&f.place, "place", "", "work in this `PLACE`: local, sandbox, docker, ssh or singularity (settings: terminal)")
	set.BoolVar(&f.sandbox, "sandbox", false, "the same as --place sandbox: writes only in the workspace, no network")
	set.BoolVar(&f.plan, "plan", false, "allow reading only")
}

// check finds combinations that mean nothing.
func (f *flags) check() error {
	switch {
	case f.create && f.profile == "":
		return usageError{errors.New("--create-profile needs the name of a profile: --profile NAME")}
	case f.yolo && f.plan:
		return usageError{errors.New("--yolo and --plan exclude each other: choose one")}
	case f.sandbox && f.place != "" && f.place != "sandbox":
		return usageError{fmt.Errorf("--sandbox and --place %s exclude each other: choose one", f.place)}
	case f.limits.approve != "" && (f.yolo || f.plan):
		return usageError{errors.New("--approve says already what --yolo and --plan do: choose one")}
	case f.resume != "" && f.latest:
		return usageError{errors.New("--resume and --continue exclude each other: choose one")}
	case f.scenario != "" && f.provider != "" && f.provider != "script":
		return usageError{fmt.Errorf("--scenario goes with --provider script, not with %s", f.provider)}
	}
	return nil
}

// settings are the flags that override settings.
func (f *flags) settings() map[string]string {
	set := map[string]string{}
	put := func(key, value string) {
		if value != "" {
			set[key] = value
		}
	}
	put("model.provider", f.provider)
	put("model.default", f.model)
	put("model.base_url", f.baseURL)
	put("terminal.backend", f.place)
	if f.sandbox {
		set["terminal.backend"] = string(config.BackendSandbox)
	}
	put("toolsets", strings.Join(f.toolsets, ","))
	if f.baseURL != "" && f.provider == "" {
		set["model.provider"] = "custom"
	}
	if f.scenario != "" {
		set["model.provider"] = "script"
	}
	if f.yolo {
		set["approvals.mode"] = "off"
	}
	if f.plan {
		set["approvals.mode"] = "plan"
	}
	put("logging.level", f.logLevel)
	f.limits.settings(set)
	return set
}

// find checks the flags and finds HERMES_HOME.
func (s *sys) find(f *flags) (store.Home, error) {
	if err := f.check(); err != nil {
		return store.Home{}, err
	}
	dir, err := s.dir()
	if err != nil {
		return store.Home{}, startError{err}
	}
	where := store.Where{Profile: f.profile, Env: s.env, WorkDir: dir}
	home, err := store.Find(where)
	if err != nil {
		return store.Home{}, startError{err}
	}
	if f.profile != "" || home.Profile() != store.DefaultProfile {
		return home, f.knownProfile(home)
	}
	if where.Profile, err = home.Remembered(); err != nil {
		return store.Home{}, usageError{err}
	}
	if home, err = store.Find(where); err != nil {
		return store.Home{}, startError{err}
	}
	if !isThere(home) {
		return store.Home{}, usageError{fmt.Errorf("the profile %q, which hermes-tui profile use has chosen, is not there any more: hermes-tui profile use default goes back to the default one", home.Profile())}
	}
	return home, nil
}

// isThere reports whether a profile has its folder; the default one needs none. One whose
// folder cannot be looked at counts as there, so that what is wrong with it is said.
func isThere(home store.Home) bool {
	_, err := os.Stat(home.Dir())
	return home.Profile() == store.DefaultProfile || !errors.Is(err, fs.ErrNotExist)
}

// load finds HERMES_HOME and reads the settings.
func (s *sys) load(f *flags) (store.Home, config.Config, func(string) (string, bool), error) {
	none := config.Config{}
	home, err := s.find(f)
	if err != nil {
		return store.Home{}, none, nil, err
	}
	if info, err := os.Stat(home.Dir()); err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		if err := home.Ensure(); err != nil {
			return store.Home{}, none, nil, startError{err}
		}
	}
	file, err := config.LoadEnv(home.Env())
	if err != nil {
		return store.Home{}, none, nil, err
	}
	env := config.Layered(s.env, file)
	for name, value := range maps.All(file) {
		if _, set := s.env(name); !set {
			s.environ = append(s.environ, name+"="+value)
		}
	}
	c, warnings, err := config.Load(f.loading(home, env))
	f.warnings = nil
	for _, text := range home.Protect() {
		f.warnings = append(f.warnings, config.Warning{Problem: text})
	}
	f.warnings = append(f.warnings, warnings...)
	return home, c, env, err
}

// loading says how settings are read.
func (f *flags) loading(home store.Home, env func(string) (string, bool)) config.Options {
	return config.Options{File: home.Config(), Env: env, Flags: f.settings(), Narrow: f.limits.narrow(), Check: app.CheckSettings(userHome(env), home)}
}

// knownProfile makes sure that a profile of the command line is there, or is to be made.
func (f *flags) knownProfile(home store.Home) error {
	if f.profile == "" || f.create || isThere(home) {
		return nil
	}
	there := "there are none yet"
	if names := home.Profiles(); len(names) > 0 {
		there = "there is " + strings.Join(names, ", ")
	}
	return usageError{fmt.Errorf("there is no profile %q (%s): make it with --profile %s --create-profile", f.profile, there, f.profile)}
}
