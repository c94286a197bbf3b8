package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/agent/models"
	"hermes-tui/providers/catalog"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// newTools makes the commands about tools.
func newTools(s *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "tools", Short: "List the tools of the agent, and switch toolsets on and off", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list [TOOLSET]", Short: "List the tools that there are, with toolset, state and tokens", Args: words(0, 1),
		Long: "list shows what a new session in this folder would have. A tool is on, off, searched (the model has to look for it\n" +
			"first) or missing, with the reason. Tokens are what telling the model of it takes in every request, about.",
		Example: "  hermes-tui tools list\n  hermes-tui tools list web\n  hermes-tui tools list --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withTools(cmd.Context(), f, func(all []app.ToolOffer) error {
				if len(args) > 0 {
					set := memberOf(args[0], all)
					if set == nil {
						return noToolset(args[0], all)
					}
					all = slices.DeleteFunc(slices.Clone(all), func(t app.ToolOffer) bool { return !slices.Contains(set, t.Name) })
				}
				return s.printTools(all, asJSON)
			})
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	f.choosing(list.Flags())
	f.working(list.Flags())
	cmd.AddCommand(list, newToolSwitch(s, f, "enable", true), newToolSwitch(s, f, "disable", false))
	return cmd
}

func newToolSwitch(s *sys, f *flags, name string, on bool) *cobra.Command {
	about, example := "Take toolsets away from the agent, from the next session on", "web"
	if on {
		about = "Give the agent toolsets, from the next session on"
	}
	return &cobra.Command{
		Use: name + " TOOLSET ...", Short: about, Args: some("TOOLSET, which hermes-tui tools list names"),
		Long: name + " changes agent.disabled_toolsets, and toolsets if need be, in config.yaml. For one session alone there is -t,\n" +
			"and /context leaves out single tools.",
		Example: "  hermes-tui tools " + name + " " + example,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withTools(cmd.Context(), f, func(all []app.ToolOffer) error { return s.switchTools(cmd.Context(), f, all, args, on) })
		},
	}
}

// withTools hands over the tools that a new session would have.
func (s *sys) withTools(ctx context.Context, f *flags, do func([]app.ToolOffer) error) error {
	return s.withNew(ctx, f, func(ctx context.Context, _ *app.App, c app.Conversation) error { return do(c.Tools(ctx)) })
}

// withNew opens the program with a session that nothing is said in, which leaves nothing
// behind. Where no model is there, the demonstration stands in for it.
func (s *sys) withNew(ctx context.Context, f *flags, do func(context.Context, *app.App, app.Conversation) error) error {
	begun := false
	begin := func(ctx context.Context, a *app.App) error {
		c, err := a.Start(ctx)
		if err != nil {
			return err
		}
		begun = true
		return do(ctx, a, c)
	}
	err := s.withApp(ctx, f, begin)
	if !begun && (is[*models.NoModelError](err) || is[*catalog.MissingKeyError](err)) {
		f.provider = catalog.DemoID
		err = s.withApp(ctx, f, begin)
	}
	return err
}

func (s *sys) printTools(all []app.ToolOffer, asJSON bool) error {
	if asJSON {
		return s.printJSON(all)
	}
	w := s.grid()
	on, sum := 0, 0
	for _, t := range all {
		if t.State == "on" {
			on++
			sum += t.Tokens
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", term.Line(t.Toolset), term.Line(t.Name), t.State, format.Tokens(int64(t.Tokens)), term.Line(t.Why))
	}
	fmt.Fprintf(w, "on\t%s\t\t%s\n", format.Count(on, "tool", "tools"), format.Tokens(int64(sum)))
	return w.Flush()
}

// memberOf are the tools of a toolset, or of one that has others in it; nil for none.
func memberOf(toolset string, all []app.ToolOffer) []string {
	names, unknown := tools.Resolve([]string{toolset}, nil, toolsetsOf(all))
	if len(unknown) > 0 {
		return nil
	}
	return append([]string{}, names...)
}

func toolsetsOf(all []app.ToolOffer) map[string][]string {
	sets := map[string][]string{}
	for _, t := range all {
		sets[t.Toolset] = append(sets[t.Toolset], t.Name)
	}
	return sets
}

// noToolset says that there is no such toolset; a tool is named with its own.
func noToolset(name string, all []app.ToolOffer) error {
	for _, t := range all {
		if t.Name == name {
			return usageError{fmt.Errorf("%s is a tool of the toolset %s, which is switched as a whole", name, t.Toolset)}
		}
	}
	return usageError{fmt.Errorf("there is no toolset %q: hermes-tui tools list names them", name)}
}

// switchTools writes into the settings which toolsets are on.
func (s *sys) switchTools(ctx context.Context, f *flags, all []app.ToolOffer, sets []string, on bool) error {
	home, c, env, err := s.load(f)
	if err != nil {
		return err
	}
	off, given := slices.Clone(c.Agent.DisabledToolsets), slices.Clone(c.Toolsets)
	for _, set := range sets {
		members := memberOf(set, all)
		if members == nil {
			return noToolset(set, all)
		}
		off = slices.DeleteFunc(off, func(o string) bool { return o == set })
		if !on {
			off = append(off, set)
			continue
		}
		has, _ := tools.Resolve(given, nil, toolsetsOf(all))
		if slices.ContainsFunc(members, func(name string) bool { return !slices.Contains(has, name) }) {
			given = append(given, set)
		}
		if has, _ = tools.Resolve(given, off, toolsetsOf(all)); len(members) > 0 && !slices.Contains(has, members[0]) {
			return fmt.Errorf("%s stays off: agent.disabled_toolsets takes it away with %s", set, strings.Join(off, ", "))
		}
	}
	o := f.loading(home, env)
	for key, list := range map[string][2][]string{"agent.disabled_toolsets": {c.Agent.DisabledToolsets, off}, "toolsets": {c.Toolsets, given}} {
		if !slices.Equal(list[0], list[1]) {
			err = errors.Join(err, config.Set(ctx, o, key, list[1]))
		}
	}
	if err != nil {
		return err
	}
	what := "on"
	if !on {
		what = "off"
	}
	fmt.Fprintf(s.out, "%s: %s from the next session on.\n", strings.Join(sets, ", "), what)
	return nil
}
