package app

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"hermes-tui/agent"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/hooks"
	"hermes-tui/agent/models"
	"hermes-tui/providers/transport"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/skills"
	"hermes-tui/themes"
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
	options bind.ToolOptions
}

// tools makes the tools of an agent. only are the names of the tools
// that a subagent is granted, nil for the root; depth is the agent's.
func (a *App) tools(c *conversation, id event.AgentID, depth int, only []string) (kit, error) {
	o := bind.ToolOptions{
		Settings: *c.cfg, Place: c.place, Root: c.dir, Private: c.private(), Env: c.environ(), Trusted: func() bool { return c.trusted() },
		Jobs: c.jobs, Agent: string(id), Files: a.files, Watch: a.watch, FilesLock: c.filesLock(), Skills: c.skills, Only: only, Delegate: a.delegation(c, id, depth), Now: a.o.IDs.Now,
		Learnings: bind.Learnings(a.learnings), Memory: c.memory, Recall: finder{c}, Past: bind.Past(a.db, a.here(c)),
	}
	o.Eyes = eyes{c}
	o.Web, o.Search, o.PDF = a.webFor(c), a.searchFor(c), c.pdf
	o.Servers, o.Coming, o.Window = c.mcpTools, c.mcpComing, c.window
	if depth == 0 {
		o.Servers = c.lentTools
	}
	if a.mcp != nil {
		o.Aside = a.mcp.servers.Aside
	}
	o.Commands = a.commandTools()
	o.Left = func(t tools.Tool) bool { return agent.LeftOut(*c.left.Load(), t) }
	box, unknown, err := bind.Toolbox(o)
	k := kit{box: box, unknown: unknown, options: o}
	if depth == 0 && err == nil {
		k.review = bind.ReviewTools(o, c.cfg.Memory.Review == config.ReviewMemoryOn)
	}
	return k, err
}

// here is what the tools of a conversation look back from.
func (a *App) here(c *conversation) bind.Here {
	home, _ := a.o.Env("HOME")
	return bind.Here{Session: func() string { return string(c.Session()) }, Dir: c.dir, Home: home, Now: a.o.IDs.Now}
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
		Settings: c.cfg.Approvals, FS: c.place.FS(), Root: root, Trusted: c.trusted,
		At:   shellrisk.RulePlace{Home: c.place.Info().Home, HermesHome: c.private(), Workspace: workspace, FoldsCase: c.place.Info().FoldsCase},
		Tell: func(text string) { c.later(func() { c.Notify(event.LevelWarn, text) }) },
	})
	c.rules = rules
	o := approval.Options{
		Place: c.place, Home: c.place.Info().Home, HermesHome: c.private(), Workspace: workspace,
		Hosts: func(name string, port int) bool { return a.hosts().Match(name, port) }, Rules: rules.Now, Timeout: c.cfg.Approvals.Timeout.Duration(),
		Edits: func() bool { return a.config().Approvals.Edits == config.ApprovalEditsAsk },
		Judge: side.Judge, JudgeWithin: 2 * c.cfg.Auxiliary.Approval.Timeout.Duration(), // two services may be asked
		Trusted: func() bool {
			decided, yes, err := trust.Trusted(context.Background(), root)
			if decided || err != nil {
				return err == nil && yes
			}
			if a.o.Unattended && c.cfg.Approvals.Mode == config.ApprovalOff {
				return true // no one can be asked, and who started it has said that nothing is to be
			}
			_, files := prompter.Instructions() // without any, there is nothing to decide on
			return len(files) == 0
		},
		Grants: bind.Grants(a.db, a.o.IDs, a.seal), Record: bind.Decisions(a.db, a.o.IDs, p.conv), Clock: a.o.IDs.Now,
		Warn: func(err error) { a.log.Warn("permissions", "err", err) },
	}
	if a.o.NoPermissions {
		o.Grants = nil
	}
	gate := approval.New(o)
	if wrong != nil { // it was checked when it was read, for another folder
		return gate, []string{rulesDoNotFit + wrong.Error()}
	}
	return gate, nil
}

// hosts are those that the settings let confined commands connect to.
func (a *App) hosts() network.Hosts {
	list, err := network.ParseHosts(a.config().Approvals.Hosts)
	if err != nil { // it was checked when it was read
		return network.Hosts{}
	}
	return list
}

// dialer is the one way out, but for requests to models: it judges every host, and takes the
// proxy of the environment. private is as in [network.Dialer].
func (a *App) dialer(private func(host string, port int) bool) *network.Dialer {
	parent := transport.ProxyFrom(func(name string) string {
		v, _ := a.o.Env(name)
		return v
	})
	return &network.Dialer{Private: private, Fake: a.fake, Parent: parent}
}

// fake reports whether an address is one that a VPN makes up, by the settings.
func (a *App) fake(addr netip.Addr) bool {
	in, err := network.ParseRanges(a.config().Security.FakeIPs)
	return err == nil && in(addr) // it was checked when it was read
}

// CheckSettings gives the test of the rules, the hosts, the theme and the prices in the
// settings, for [config.Options]. user is the user's home.
func CheckSettings(user string, home store.Home) func(config.Config) (key, problem string) {
	at := shellrisk.RulePlace{Home: user, HermesHome: home.Dir(), Workspace: user + "/project"}
	skins := themes.Library{Dir: home.Skins()}
	return func(c config.Config) (key, problem string) {
		_, err := shellrisk.NewRules(bind.RuleSpecs(c.Approvals), at)
		wrong, ok := errors.AsType[*shellrisk.RuleError](err)
		_, noHost := network.ParseHosts(c.Approvals.Hosts)
		_, noRange := network.ParseRanges(c.Security.FakeIPs)
		switch {
		case err == nil && noHost != nil:
			return "approvals.hosts", "holds what cannot be used: " + noHost.Error()
		case err == nil && noRange != nil:
			return "security.fake_ip_ranges", "holds what cannot be used: " + noRange.Error()
		case err == nil:
			if err := skins.Exists(c.Display.Theme); err != nil {
				return "display.theme", fmt.Sprintf("is %.80q, which is no theme: %s", c.Display.Theme, err)
			}
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
		MaxFile: c.cfg.ContextFileMaxChars, Percent: c.cfg.Context.InstructionsPercent, AlsoObeyed: []string{shellrisk.ProjectRulesFile}, AlsoNamed: c.untold,
		LeftOut: func(sentence string) {
			c.later(func() { c.Notify(event.LevelWarn, sentence+" /instructions shows it.") })
		},
		Taken: a.instructions.Allowed, Fresh: c.isFresh, Skip: func(layer string) bool { return agent.PartLeftOut(*c.left.Load(), layer) },
	})
}

// untold are what else a folder has that counts once it is trusted, for those who cannot be
// asked: where hooks are, and folders of skills.
func (c *conversation) untold(root string) (names []string) {
	a := c.app
	if !a.o.Unattended || c.remote != nil || a.within(root, a.place.Info().Home) {
		return nil
	}
	if list, _ := hooks.OfFolder(root); len(list) > 0 {
		names = append(names, list[0].File)
	}
	for _, r := range skills.ProjectRoots(c.root(c.dir), root, false) {
		if found, err := os.ReadDir(r.Dir); err == nil && len(found) > 0 && a.config().Skills.Projects {
			names = append(names, r.Dir)
		}
	}
	return names
}

// isFresh reports whether an instruction file is new or another one since its folder was
// trusted. What was there then is kept, so that it counts whenever it is the same again. The
// clocks of other machines say nothing.
func (c *conversation) isFresh(file, hash string) bool {
	if c.remote != nil || c.prompt == nil {
		return false
	}
	root, _ := c.prompt.Instructions()
	if c.app.trustsOnce(root) {
		return false
	}
	since := bind.TrustedSince(context.Background(), c.app.db, c.app.seal, root)
	at, err := bind.Files(c.place).Changed(file)
	if since.IsZero() || err == nil && at.After(since) {
		return !since.IsZero()
	}
	if c.app.writable() == nil {
		if err := c.app.instructions.Allow(context.Background(), file, hash); err != nil {
			c.app.log.Warn("instructions", "file", file, "err", err)
		}
	}
	return false
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
