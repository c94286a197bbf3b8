package app

import (
	"strings"

	"hermes-tui/agent/bind"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/shell"
)

// tools makes the shell and the tools of a conversation's root agent.
func (a *App) tools(p plan) (sh *shell.Shell, box *bind.Tools, unknown []string, err error) {
	t := a.o.Config.Terminal
	sh = shell.New(shell.Options{
		Place: a.place, Dir: p.dir, Env: a.o.Environ, PassEnv: t.EnvPassthrough, DenyEnv: a.o.Config.KeyVariables(),
		Timeout: t.Timeout.Duration(), MaxTimeout: max(t.Timeout.Duration(), shell.DefaultMaxTimeout),
		InitFiles: a.initFiles(), NoInit: !t.AutoSourceBashrc && len(t.ShellInitFiles) == 0,
		MaxOutput: a.o.Config.ToolOutput.MaxBytes,
	})
	box, unknown, err = bind.Toolbox(bind.ToolOptions{
		Place: a.place, Root: p.dir, Private: a.o.Home.Dir(), Shell: sh, Now: a.o.IDs.Now,
		Enabled: a.o.Config.Toolsets, Disabled: a.o.Config.Agent.DisabledToolsets,
	})
	return sh, box, unknown, err
}

// initFiles are the configured start-up files with ~ resolved.
func (a *App) initFiles() []string {
	var out []string
	for _, f := range a.o.Config.Terminal.ShellInitFiles {
		if rest, ok := strings.CutPrefix(f, "~/"); ok {
			f = a.place.Info().Home + "/" + rest
		}
		out = append(out, f)
	}
	return out
}

// gate makes the gate of a conversation that works in root.
func (a *App) gate(root string) *approval.Gate {
	if real, err := a.place.FS().Resolve(root); err == nil {
		root = real
	}
	return approval.New(approval.Options{
		Place: a.place, Home: a.place.Info().Home, HermesHome: a.o.Home.Dir(), Workspace: root,
		Grants: bind.Grants(a.db, a.o.IDs), Clock: a.o.IDs.Now,
		Warn: func(err error) { a.log.Warn("permission not stored", "err", err) },
	})
}

// prompter makes the prompt builder of a conversation that works in dir.
func (a *App) prompter(dir string, guidance func() []string) *bind.Prompter {
	return bind.Prompt(bind.PromptOptions{
		Place: a.place, GitEnv: a.gitEnv(), Dir: dir, Guidance: guidance, Soul: a.o.Home.Soul(), Now: a.o.IDs.Now,
		MaxFile: a.o.Config.ContextFileMaxChars,
	})
}

// gitEnv is the environment in which git is asked about the workspace: nothing
// in it names a program, and nothing is asked on a terminal.
func (a *App) gitEnv() []string {
	env := []string{"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}
	for _, kv := range a.o.Environ {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "PATH", "HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME":
			env = append(env, kv)
		}
	}
	return env
}
