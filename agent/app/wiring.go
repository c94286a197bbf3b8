package app

import (
	"context"
	"errors"
	"strings"

	"hermes-tui/agent"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/network"
	"hermes-tui/tools/shellrisk"
)

// kit is what an agent of a conversation works with.
type kit struct {
	box     *bind.Tools
	unknown []string // toolsets that mean nothing
	review  []tools.Tool
}

// tools makes the tools of an agent. only are the names of the tools
// that a subagent is granted, nil for the root; depth is the agent's.
func (a *App) tools(c *conversation, id event.AgentID, depth int, only []string) (kit, error) {
	o := bind.ToolOptions{
		Settings: a.o.Config, Place: c.place, Root: c.dir, Private: c.private(), Env: c.environ(), Trusted: func() bool { return c.trusted() },
		Jobs: c.jobs, Agent: string(id), Files: a.files, Watch: a.watch, FilesLock: c.filesLock(), Skills: c.skills, Only: only, Delegate: a.delegation(c, id, depth), Now: a.o.IDs.Now,
		Learnings: bind.Learnings(a.learnings), Memory: c.memory, Recall: finder{c}, Past: bind.Past(a.db, func() string { return string(c.Session()) }),
	}
	box, unknown, err := bind.Toolbox(o)
	k := kit{box: box, unknown: unknown}
	if depth == 0 && err == nil {
		k.review = bind.ReviewTools(o, a.o.Config.Memory.Review == config.ReviewMemoryOn)
	}
	return k, err
}

// root is the real path of the workspace in the place.
func (c *conversation) root(root string) string {
	if real, err := c.place.FS().Resolve(root); err == nil {
		return real
	}
	return root
}

// gate makes the gate of a conversation that works in root. notes say what of the
// rules does not hold.
func (a *App) gate(c *conversation, p plan, root string, prompter *bind.Prompter, trust agent.Trust, side *auxiliary.Client) (*approval.Gate, []string) {
	workspace := c.root(root)
	c.trusted = func() bool {
		_, yes, err := trust.Trusted(context.Background(), root)
		return err == nil && yes
	}
	rules, wrong := bind.NewRuleBook(bind.RuleBookOptions{
		Settings: a.o.Config.Approvals, FS: c.place.FS(), Root: root, Trusted: c.trusted,
		At:   shellrisk.RulePlace{Home: c.place.Info().Home, HermesHome: c.private(), Workspace: workspace, FoldsCase: c.place.Info().FoldsCase},
		Tell: func(text string) { c.later(func() { c.Notify(event.LevelWarn, text) }) },
	})
	c.rules = rules
	gate := approval.New(approval.Options{
		Place: c.place, Home: c.place.Info().Home, HermesHome: c.private(), Workspace: workspace,
		Hosts: a.hosts().Match, Rules: rules.Now, Timeout: a.o.Config.Approvals.Timeout.Duration(),
		Judge: side.Judge, JudgeWithin: 2 * a.o.Config.Auxiliary.Approval.Timeout.Duration(), // two services may be asked
		Trusted: func() bool {
			decided, yes, err := trust.Trusted(context.Background(), root)
			if decided || err != nil {
				return err == nil && yes
			}
			if a.o.Unattended && a.o.Config.Approvals.Mode == config.ApprovalOff {
				return true // no one can be asked, and who started it has said that nothing is to be
			}
			_, files := prompter.Instructions() // without any, there is nothing to decide on
			return len(files) == 0
		},
		Undecided: func() bool {
			decided, _, err := trust.Trusted(context.Background(), root)
			return !decided || err != nil
		},
		Grants: bind.Grants(a.db, a.o.IDs, a.seal), Record: bind.Decisions(a.db, a.o.IDs, p.conv), Clock: a.o.IDs.Now,
		Warn: func(err error) { a.log.Warn("permissions", "err", err) },
	})
	if wrong != nil { // it was checked when it was read, for another folder
		return gate, []string{"The rules of approvals do not fit this folder, so everything is asked about: " + wrong.Error()}
	}
	return gate, nil
}

// hosts are those that the settings let confined commands connect to.
func (a *App) hosts() network.Hosts {
	list, err := network.ParseHosts(a.o.Config.Approvals.Hosts)
	if err != nil { // it was checked when it was read
		return network.Hosts{}
	}
	return list
}

// CheckSettings gives the test of the rules, the hosts and the prices in the settings, for
// [config.Options]. home is the user's.
func CheckSettings(home, hermesHome string) func(config.Config) (key, problem string) {
	at := shellrisk.RulePlace{Home: home, HermesHome: hermesHome, Workspace: home + "/project"}
	return func(c config.Config) (key, problem string) {
		_, err := shellrisk.NewRules(bind.RuleSpecs(c.Approvals), at)
		wrong, ok := errors.AsType[*shellrisk.RuleError](err)
		_, noHost := network.ParseHosts(c.Approvals.Hosts)
		switch {
		case err == nil && noHost != nil:
			return "approvals.hosts", "holds what cannot be used: " + noHost.Error()
		case err == nil:
			return models.CheckPrices(c)
		case !ok:
			return "approvals", err.Error()
		}
		return bind.RuleSetting(c.Approvals, wrong.Where), "holds a rule that cannot be used: " + wrong.Error()
	}
}

// prompter makes the prompt builder of a conversation.
func (a *App) prompter(c *conversation, box *bind.Tools) *bind.Prompter {
	return bind.Prompt(bind.PromptOptions{
		Place: c.place, GitEnv: gitEnv(c.environ()), Dir: c.dir, Guidance: box.Guidance, Layers: a.layers(c, box), Soul: a.o.Home.Soul(), Now: a.o.IDs.Now,
		MaxFile: a.o.Config.ContextFileMaxChars, AlsoObeyed: []string{shellrisk.ProjectRulesFile},
		LeftOut: func(sentence string) {
			c.later(func() { c.Notify(event.LevelWarn, sentence+" /instructions shows it.") })
		},
		Taken: a.instructions.Allowed,
	})
}

// gitEnv is the environment in which git is asked about the workspace: nothing
// in it names a program, nothing is asked on a terminal, and nothing is fetched.
func gitEnv(environ []string) []string {
	env := []string{"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C"}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "PATH", "HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME":
			env = append(env, kv)
		}
	}
	return env
}
