package cli

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hermes-tui/agent/app"
	"hermes-tui/agent/models"
	"hermes-tui/docs"
	"hermes-tui/providers/catalog"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/store/sessions"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/term"
)

// offers are the words that can stand in a place, each with a tab and what it means behind
// it where that says something.
type offers func() []string

// completeTime bounds the search for what can be offered to a shell.
const completeTime = 3 * time.Second

// addCompletion says of each command and flag what a shell completes it with. Nothing is
// made for it and no other machine is asked: where there is no home, it offers nothing of it.
func addCompletion(root *cobra.Command, s *sys, f *flags) {
	c := completer{s, f}
	levels := fixed(logLevels...)
	behind := map[string]offers{
		"profile": c.profiles, "like": c.profiles, "log-level": levels, "level": levels,
		"provider": c.providers, "model": c.models, "toolsets": c.toolsets,
		"place":  func() []string { return choices("terminal.backend") },
		"resume": c.sessions, "session": c.sessions,
		"approve": fixed(approveDeny, approveRules, approveAll),
		"format":  fixed(app.ExportFormats()...), "of": c.logs, "auth": fixed("header", "oauth", "none"),
	}
	for _, one := range []struct {
		offers   offers
		commands []string
	}{
		{c.sessions, []string{"sessions show", "sessions export", "sessions rename", "sessions delete", "sessions fork", "context"}},
		{c.allSessions, []string{"sessions archive"}},
		{c.profiles, []string{"profile show", "profile use"}},
		{c.settings, []string{"config get", "config show", "config set"}},
		{services, []string{"auth add", "auth remove", "auth status"}},
		{logins, []string{"auth login", "auth logout", "login", "logout"}},
		{c.toolsets, []string{"tools list", "tools enable", "tools disable"}},
		{c.servers, []string{"mcp test", "mcp allow", "mcp remove", "mcp login", "mcp logout"}},
		{c.installedSkills, []string{"skills update", "skills uninstall"}},
		{fixed(shells...), []string{"completion"}},
	} {
		for _, path := range one.commands {
			if cmd, rest, err := root.Find(strings.Fields(path)); err == nil && len(rest) == 0 {
				cmd.ValidArgsFunction = completion(one.offers, strings.HasSuffix(cmd.Use, "..."))
			}
		}
	}
	for _, ft := range feature.All() {
		for _, a := range append(ft.Actions, feature.Action{Verb: "show"}) {
			if cmd, _, err := root.Find([]string{ft.Name, a.Verb}); err == nil {
				cmd.ValidArgsFunction = completion(c.entries(ft), false)
			}
		}
	}
	var flagsOf func(*cobra.Command)
	flagsOf = func(cmd *cobra.Command) {
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			set.VisitAll(func(flag *pflag.Flag) {
				if list, ok := behind[flag.Name]; ok {
					_ = cmd.RegisterFlagCompletionFunc(flag.Name, completion(list, true)) // it has none yet
				}
			})
		}
		for _, sub := range cmd.Commands() {
			flagsOf(sub)
		}
	}
	flagsOf(root)
}

// completion offers words for the first argument, or for all.
func completion(list offers, all bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0 || all:
			return list(), cobra.ShellCompDirectiveNoFileComp
		case pathOf(cmd) == "config set" && len(args) == 1:
			return choices(args[0]), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func fixed(words ...string) offers { return func() []string { return words } }

// choices are the values of a setting that has only a few.
func choices(name string) []string {
	for _, k := range config.Keys() {
		switch {
		case k.Name != name:
		case k.Type == "on or off":
			return []string{"true", "false"}
		default:
			return k.Allowed
		}
	}
	return nil
}

func topics() (list []string) {
	for _, t := range docs.Topics() {
		list = append(list, t.Name+"\t"+t.Title)
	}
	return list
}

// services are those that take keys.
func services() []string {
	return known(func(p catalog.Provider) bool { return p.Auth != catalog.ByLogin })
}

// logins are those that take logins.
func logins() []string {
	return known(func(p catalog.Provider) bool { return p.Auth == catalog.ByLogin })
}

func known(which func(catalog.Provider) bool) (list []string) {
	for _, p := range catalog.Providers() {
		if which(p) {
			list = append(list, p.ID+"\t"+p.Name)
		}
	}
	return list
}

// completer finds what there is.
type completer struct {
	s *sys
	f *flags
}

// home gives the home, and whether it is there.
func (c completer) home() (store.Home, bool) {
	home, err := c.s.find(c.f)
	if err != nil {
		return home, false
	}
	_, err = os.Stat(home.Dir())
	return home, err == nil
}

func (c completer) profiles() []string {
	home, err := c.s.find(&flags{profile: store.DefaultProfile})
	if err != nil {
		return nil
	}
	return append([]string{store.DefaultProfile}, home.Profiles()...)
}

func (c completer) sessions() []string    { return c.listed(false) }
func (c completer) allSessions() []string { return c.listed(true) }

func (c completer) listed(archived bool) (list []string) {
	home, there := c.home()
	if !there {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	db, err := sessions.Open(ctx, home.StateDB(), sessions.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }() // nothing was written
	all, _ := db.List(ctx, sessions.Filter{Archived: archived})
	for _, one := range all {
		about := one.Title
		if about == "" {
			about = one.Preview
		}
		list = append(list, one.Session+"\t"+term.Line(about))
	}
	return list
}

// models are those that services have listed before.
func (c completer) models() (list []string) {
	_ = c.s.withModels(c.f, func(a *models.Access) error { // what cannot be read offers nothing
		for _, m := range a.Remembered() {
			list = append(list, m.Name+"\t"+m.Provider)
		}
		return nil
	})
	return list
}

func (c completer) providers() []string {
	list := append(append(services(), logins()...), "custom", catalog.DemoID, "script")
	_, set, _, _ := c.s.load(c.f)
	return append(list, slices.Sorted(maps.Keys(set.Providers))...)
}

func (c completer) settings() (list []string) {
	_, set, _, err := c.s.load(c.f)
	if err != nil {
		return nil
	}
	for _, one := range set.Settings() {
		list = append(list, one.Name+"\t"+one.Doc)
	}
	return list
}

func (c completer) servers() []string {
	_, set, _, _ := c.s.load(c.f)
	return slices.Sorted(maps.Keys(set.MCPServers))
}

func (c completer) logs() (list []string) {
	home, _ := c.home()
	files, _ := os.ReadDir(home.Logs())
	for _, file := range files {
		if name, is := strings.CutSuffix(file.Name(), ".log"); is {
			list = append(list, name)
		}
	}
	return list
}

// opened asks the program, where there is a home.
func (c completer) opened(do func(context.Context, *app.App) []string) (list []string) {
	if _, there := c.home(); !there {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	_ = c.s.withApp(ctx, c.f, func(ctx context.Context, a *app.App) error { // what cannot be opened offers nothing
		list = do(ctx, a)
		return nil
	})
	return list
}

// entries are those of a feature.
func (c completer) entries(f feature.Feature) offers {
	return func() []string {
		return c.opened(func(ctx context.Context, a *app.App) (list []string) {
			l, _ := f.Load(ctx, hostOf(a), "") // what cannot be read offers nothing
			for _, e := range l.Entries {
				list = append(list, e.ID+"\t"+term.Line(strings.TrimSpace(e.Label+" "+e.Detail)))
			}
			return list
		})
	}
}

func (c completer) installedSkills() []string {
	return c.opened(func(_ context.Context, a *app.App) (list []string) {
		all, _, _ := a.AllSkills()
		for _, k := range all {
			if k.Installed {
				list = append(list, k.Name)
			}
		}
		return list
	})
}

func (c completer) toolsets() (list []string) {
	if _, there := c.home(); !there {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	_ = c.s.withTools(ctx, c.f, func(all []app.ToolOffer) error { // as with opened
		list = slices.Sorted(maps.Keys(toolsetsOf(all)))
		return nil
	})
	return list
}
