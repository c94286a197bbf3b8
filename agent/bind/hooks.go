package bind

import (
	"context"

	"hermes-tui/agent/hooks"
	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// HookCommand starts hooks on this machine, with the variables that programs of the user
// get, those that pass names, and the hook's own; env gives the environment in a folder. What a hook leaves running ends with it,
// and all of it with this program. confine has them confined, nil not.
func HookCommand(p place.Place, env func(dir string) []string, pass func() []string, home string, confine *place.Confine) hooks.Start {
	return func(ctx context.Context, h hooks.Process) (func() (int, error), error) {
		argv := h.Argv
		if h.Command != "" {
			argv = []string{p.Info().Shell, "-c", h.Command}
		}
		env := env(h.Dir)
		own := append(userEnv(env), passed(env, pass())...)
		own = append(append(own, "HERMES_HOME="+home), h.Env...)
		return startUser(ctx, p, place.Proc{Argv: argv, Dir: h.Dir, Env: own, Stdin: h.In, Stdout: h.Out, Stderr: h.Errs, Whole: true, Leashed: true, Confine: confine})
	}
}

// passed are the variables with some names.
func passed(env, names []string) (list []string) {
	for _, name := range names {
		if value, ok := tools.Variable(env, name); ok {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// HookKind is the kind under which hooks are approved.
const HookKind = "hook"

// PluginKind is the kind under which plugins are enabled.
const PluginKind = "plugin"
