package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// Options say how the program is started. The zero value is a fresh home, no
// model, and a terminal of 120 columns and 36 rows.
type Options struct {
	Args []string
	// Env are further variables, NAME=value; they win over those of the driver.
	// Nothing is inherited from the test but PATH.
	Env []string
	// Home is the HERMES_HOME, an existing one to go on with; empty makes one.
	Home string
	// Dir is where the program is started; empty is the folder "project" beside
	// Home, so that a second start with the same Home happens in the same place.
	Dir string
	// Cols and Rows are the size of the terminal.
	Cols, Rows int
	// Terminal is what the terminal is like.
	Terminal Terminal
	// Scenario is what answers: it is served over loopback HTTP, and the settings
	// name it as the custom provider.
	Scenario *script.Scenario
	// Config are further settings for config.yaml. {{url}} in it is the address of
	// the scenario. Settings that name a model replace those of the scenario.
	Config string
	// Bin is the program; empty is the one that [Build] builds.
	Bin string
	// Plain is for a program that does not know the protocol of this package:
	// nothing waits for its first frame, and [Driver.WaitIdle] fails.
	Plain bool
	// StderrOnScreen lets standard error go to the terminal. Otherwise it goes to
	// a file, see [Driver.Stderr].
	StderrOnScreen bool
	// IgnoreRaces lets a data race that the race detector finds in the program
	// pass, for endings that the toolkit itself does not survive without one.
	IgnoreRaces bool
	// Tap is given what the program writes as soon as it was read, before the
	// screen shows it. It runs on the goroutine that reads, must not wait for
	// anything and must not keep the bytes.
	Tap func(output []byte, at time.Time)
	// Timeout bounds every wait; 0 means 10 seconds, three times that with the
	// race detector.
	Timeout time.Duration
}

// Launch is a program ready to be started.
type Launch struct {
	Bin  string
	Args []string
	// Env is the whole environment, NAME=value.
	Env []string
	// Dir is where it is started, Home its HERMES_HOME, User the user's home
	// directory.
	Dir, Home, User string
	// Server plays the scenario, nil without one. It is closed with the test.
	Server *scripttest.Server
}

// Prepare makes everything that the program needs to be started: home, folder,
// settings, server, environment. [Start] does it by itself.
func Prepare(t testing.TB, o Options) Launch {
	t.Helper()
	l := Launch{Bin: o.Bin, Args: o.Args, Dir: o.Dir, Home: o.Home}
	if l.Bin == "" {
		l.Bin = Build(t)
	}
	if l.Home == "" {
		l.Home = filepath.Join(realTemp(t), "home", ".hermes")
	}
	if home, err := filepath.Abs(l.Home); err == nil {
		l.Home = home
	}
	l.User = filepath.Dir(l.Home)
	if l.Dir == "" {
		l.Dir = filepath.Join(l.User, "project")
	}
	for _, dir := range []string{l.Home, l.Dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatalf("prepare the program: %v", err)
		}
	}
	if o.Scenario != nil {
		server, err := scripttest.Serve(o.Scenario, scripttest.Options{})
		if err != nil {
			t.Fatalf("prepare the program: %v", err)
		}
		t.Cleanup(func() {
			if err := server.Close(); err != nil {
				t.Error(err)
			}
		})
		l.Server = server
	}
	if o.Scenario != nil || o.Config != "" || !exists(filepath.Join(l.Home, "config.yaml")) {
		if err := os.WriteFile(filepath.Join(l.Home, "config.yaml"), []byte(l.config(o)), 0o600); err != nil {
			t.Fatalf("prepare the program: %v", err)
		}
	}
	l.Env = l.environment(o)
	if _, measured := t.(*testing.B); !measured {
		l.Env = append([]string{"GOGC=400"}, l.Env...) // what starts afresh for every test has little to collect
	}
	return l
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// realTemp is a temporary folder whose name holds no symbolic link, as the
// program will show it.
func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatalf("prepare the program: %v", err)
	}
	return dir
}

// config is the text of config.yaml.
func (l Launch) config(o Options) string {
	var b strings.Builder
	url := ""
	if l.Server != nil {
		url = l.Server.URL()
		if !hasKey(o.Config, "model") {
			name := "script"
			if len(o.Scenario.Models) > 0 {
				name = o.Scenario.Models[0].ID
			}
			fmt.Fprintf(&b, "model:\n  provider: custom\n  base_url: %s\n  default: %q\n", url, name)
		}
	}
	if !hasKey(o.Config, "probe") {
		b.WriteString("probe:\n  local_servers: false\n")
	}
	b.WriteString(strings.ReplaceAll(o.Config, "{{url}}", url))
	return b.String()
}

// hasKey reports whether settings have a key at the top.
func hasKey(config, key string) bool {
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(key) + `\s*:`).MatchString(config)
}

// environment is the whole environment of the program.
func (l Launch) environment(o Options) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + l.User, "HERMES_HOME=" + l.Home, "PWD=" + l.Dir,
		"TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh", "TZ=UTC",
		"HERMES_TUI_AUTO_TITLE=false", // a scenario answers the conversation and nothing beside it
	}
	if !o.Plain {
		env = append(env, "HERMES_TUI_UITEST=1")
	}
	if raced {
		env = append(env, "GORACE=atexit_sleep_ms=20") // otherwise every end takes a second
	}
	for _, name := range []string{"GOCOVERDIR", "SYSTEMROOT"} { // for coverage, and for Windows to work at all
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+l.User)
	}
	return append(env, o.Env...)
}
