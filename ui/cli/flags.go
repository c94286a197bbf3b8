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

// flags are the options that every command knows.
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
	place    string
	sandbox  bool
	warnings []config.Warning
}

func (f *flags) add(set *pflag.FlagSet) {
	set.StringVarP(&f.profile, "profile", "p", "", "use the profile `NAME`, with settings and sessions of its own")
	set.BoolVar(&f.create, "create-profile", false, "make the profile that --profile names")
	set.StringVar(&f.provider, "provider", "", "use this provider: a known one, one of config.yaml, custom, demo or script")
	set.StringVarP(&f.model, "model", "m", "", "use the model `NAME`")
	set.StringVar(&f.baseURL, "base-url", "", "address of an OpenAI-compatible endpoint; with --provider, the address of that provider")
	set.StringSliceVarP(&f.toolsets, "toolsets", "t", nil, "give the agent these toolsets only")
	set.StringVar(&f.scenario, "scenario", "", "play a scenario `FILE`, with --provider script")
	set.StringVarP(&f.resume, "resume", "r", "", "go on with a session: `ID`, its beginning, or title")
	set.BoolVarP(&f.latest, "continue", "c", false, "go on with the session that was used last")
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
	return set
}

// load finds HERMES_HOME and reads the settings.
func (s *sys) load(f *flags) (store.Home, config.Config, func(string) (string, bool), error) {
	none := config.Config{}
	if err := f.check(); err != nil {
		return store.Home{}, none, nil, err
	}
	dir, err := s.dir()
	if err != nil {
		return store.Home{}, none, nil, startError{fmt.Errorf("the current folder cannot be found (%w): change to one that exists", err)}
	}
	home, err := store.Find(store.Where{Profile: f.profile, Env: s.env, WorkDir: dir})
	if err != nil {
		return store.Home{}, none, nil, startError{err}
	}
	if err := f.knownProfile(home); err != nil {
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
	c, warnings, err := config.Load(config.Options{File: home.Config(), Env: env, Flags: f.settings(), Check: app.CheckSettings(userHome(env), home.Dir())})
	f.warnings = nil
	for _, text := range home.Protect() {
		f.warnings = append(f.warnings, config.Warning{Problem: text})
	}
	f.warnings = append(f.warnings, warnings...)
	return home, c, env, err
}

// knownProfile makes sure that a profile of the command line is there, or is to be made.
func (f *flags) knownProfile(home store.Home) error {
	if f.profile == "" || f.create {
		return nil
	}
	if _, err := os.Stat(home.Dir()); home.Profile() == store.DefaultProfile || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	there := "there are none yet"
	if names := home.Profiles(); len(names) > 0 {
		there = "there is " + strings.Join(names, ", ")
	}
	return usageError{fmt.Errorf("there is no profile %q (%s): make it with --profile %s --create-profile", f.profile, there, f.profile)}
}
