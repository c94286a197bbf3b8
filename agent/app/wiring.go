package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"hermes-tui/agent"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/store/config"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/network"
	"hermes-tui/tools/shellrisk"
)

// kit is what an agent of a conversation works with.
type kit struct {
	box     *bind.Tools
	unknown []string // toolsets that mean nothing
}

// tools makes the tools of an agent. only are the names of the tools
// that a subagent is granted, nil for the root; depth is the agent's.
func (a *App) tools(c *conversation, id event.AgentID, depth int, only []string) (kit, error) {
	box, unknown, err := bind.Toolbox(bind.ToolOptions{
		Settings: a.o.Config, Place: c.place, Root: c.dir, Private: c.private(), Env: c.environ(), Trusted: c.trusted,
		Jobs: c.jobs, Agent: string(id), Files: a.files, FilesLock: c.filesLock(), Only: only, Delegate: a.delegation(c, id, depth), Now: a.o.IDs.Now,
	})
	return kit{box, unknown}, err
}

// trusted reports whether the user has said that they trust the folder.
func (c *conversation) trusted() bool { return c.rules != nil && c.rules.trusted() }

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
	rules := &ruleBook{c: c, root: root}
	c.rules = rules
	gate := approval.New(approval.Options{
		Place: c.place, Home: c.place.Info().Home, HermesHome: c.private(), Workspace: c.root(root),
		Hosts: a.hosts().Match, Rules: rules.now, Timeout: a.o.Config.Approvals.Timeout.Duration(),
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
	rules.at = gate.RulePlace()
	rules.trusted = func() bool {
		_, yes, err := trust.Trusted(context.Background(), root)
		return err == nil && yes
	}
	own, err := shellrisk.NewRules(ruleSpecs(a.o.Config.Approvals), rules.at)
	rules.own = own
	if err != nil { // it was checked when it was read, for another folder
		rules.own = askAll(rules.at)
		return gate, []string{"The rules of approvals do not fit this folder, so everything is asked about: " + err.Error()}
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

// askAll is the rule that holds when rules cannot be read.
func askAll(at shellrisk.RulePlace) *shellrisk.Rules {
	rules, err := shellrisk.NewRules([]shellrisk.RuleSpec{{Ask: "*"}}, at)
	if err != nil {
		panic(err) // a constant
	}
	return rules
}

// ruleSpecs are the rules of the settings.
func ruleSpecs(s config.Approvals) []shellrisk.RuleSpec {
	specs := shellrisk.Lists("approvals.", s.Allow, s.Ask, s.Deny)
	for i, r := range s.Rules {
		specs = append(specs, shellrisk.RuleSpec{
			Allow: r.Allow, Ask: r.Ask, Deny: r.Deny, Examples: r.Examples, Not: r.Not, Reason: r.Reason,
			Where: fmt.Sprintf("approvals.rules, entry %d", i+1),
		})
	}
	return specs
}

// CheckSettings gives the test of the rules, the hosts and the prices in the settings, for
// [config.Options]. home is the user's.
func CheckSettings(home, hermesHome string) func(config.Config) (key, problem string) {
	at := shellrisk.RulePlace{Home: home, HermesHome: hermesHome, Workspace: home + "/project"}
	return func(c config.Config) (key, problem string) {
		_, err := shellrisk.NewRules(ruleSpecs(c.Approvals), at)
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
		return settingOf(c.Approvals, wrong.Where), "holds a rule that cannot be used: " + wrong.Error()
	}
}

// settingOf is the key of the setting that a rule stands in.
func settingOf(s config.Approvals, where string) string {
	list, entry, _ := strings.Cut(where, ", entry ")
	n, err := strconv.Atoi(entry)
	if list != "approvals.rules" || err != nil || n < 1 || n > len(s.Rules) {
		return list
	}
	r := s.Rules[n-1]
	for effect, text := range map[string]string{"allow": r.Allow, "ask": r.Ask, "deny": r.Deny} {
		if text != "" {
			return fmt.Sprintf("%s.%d.%s", list, n, effect)
		}
	}
	return list
}

// ruleBook holds the rules of a conversation: the user's own, and those of a
// trusted project, which are read when they first count.
type ruleBook struct {
	c       *conversation
	root    string
	at      shellrisk.RulePlace
	own     *shellrisk.Rules
	trusted func() bool

	mu      sync.Mutex
	read    bool
	project *shellrisk.Rules
}

// now are the rules that hold. A project's rules only tighten.
func (b *ruleBook) now() *shellrisk.Rules {
	if !b.trusted() {
		return b.own
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.read {
		b.read = true
		if err := b.load(); err != nil {
			b.project = askAll(b.at)
			b.tell("The project's rules cannot be used, so everything is asked about: " + err.Error())
		}
	}
	return b.own.Tightened(b.project)
}

// load reads the rules of the project, if there are any.
func (b *ruleBook) load() error {
	file, err := b.c.place.FS().Open(b.root + "/" + shellrisk.ProjectRulesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return err
	}
	specs, ignored, err := shellrisk.ProjectRules(data)
	for _, text := range ignored {
		b.tell(text)
	}
	if err != nil {
		return err
	}
	b.project, err = shellrisk.NewRules(specs, b.at)
	return err
}

// tell says something about rules in the conversation.
func (b *ruleBook) tell(text string) {
	b.c.later(func() { b.c.Notify(event.LevelWarn, text) })
}

// prompter makes the prompt builder of a conversation.
func (a *App) prompter(c *conversation, guidance func() []string) *bind.Prompter {
	return bind.Prompt(bind.PromptOptions{
		Place: c.place, GitEnv: gitEnv(c.environ()), Dir: c.dir, Guidance: guidance, Soul: a.o.Home.Soul(), Now: a.o.IDs.Now,
		MaxFile: a.o.Config.ContextFileMaxChars, AlsoObeyed: []string{shellrisk.ProjectRulesFile},
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
