package bind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/agent/remember"
	"hermes-tui/tools/place"
)

// userVariables are the variables that programs of the user are given that the program
// starts by itself, besides those of the locale: no keys are among them.
var userVariables = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}

// ProviderCommand starts the program of a memory provider on this machine, in home, which
// is HERMES_HOME. A leading ~/ of its name is the user's home; a name without a slash is
// looked for in the PATH of env, which gives the environment in a folder.
func ProviderCommand(p place.Place, env func(dir string) []string, argv []string, home string) remember.Start {
	return func(ctx context.Context, in io.Reader, out, errs io.Writer) (func() (int, error), error) {
		if len(argv) == 0 || argv[0] == "" {
			return nil, errors.New("memory.provider_command names no program")
		}
		name, env := argv[0], env(home)
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = filepath.Join(p.Info().Home, rest)
		}
		var err error
		if !strings.Contains(name, "/") {
			name, err = lookPath(p.FS(), env, name, home)
		}
		if err == nil && !filepath.IsAbs(name) {
			err = fmt.Errorf("%s is neither a name in PATH nor an absolute path", name)
		}
		if err != nil {
			return nil, err
		}
		return startUser(ctx, p, place.Proc{
			Argv: append([]string{name}, argv[1:]...), Dir: home, Env: append(userEnv(env), "HERMES_HOME="+home), Stdin: in, Stdout: out, Stderr: errs,
		})
	}
}

// startUser starts a program of the user, for which PATH is the same in every folder.
func startUser(ctx context.Context, p place.Place, proc place.Proc) (wait func() (code int, err error), err error) {
	proc.Env = place.Settled(proc.Env, "")
	started, err := p.Start(ctx, proc)
	if err != nil {
		return nil, err
	}
	return func() (int, error) {
		exit, err := started.Wait()
		return exit.Code, err
	}, nil
}

func userEnv(env []string) (own []string) {
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(userVariables, name) || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
			own = append(own, kv)
		}
	}
	return own
}
