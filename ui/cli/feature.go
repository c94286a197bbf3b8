package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// newFeature returns the subcommand of a feature: it lists its entries, shows one, does what
// the feature has, and lists its views. more are commands of its own, which come before those.
func newFeature(s *sys, f *flags, name string, more ...*cobra.Command) *cobra.Command {
	ft, _ := feature.Named(name)
	cmd := &cobra.Command{
		Use: ft.Name, Short: ft.Short, Long: ft.Long, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	add := func(list ...*cobra.Command) {
		for _, c := range list {
			if _, rest, err := cmd.Find([]string{c.Name()}); err != nil || len(rest) > 0 {
				cmd.AddCommand(c)
			}
		}
	}
	add(more...)
	add(listCommand(s, f, ft, cmp.Or(ft.Lists, "list"), "List the "+ft.Many), actCommand(s, f, ft, feature.Action{
		Verb: "show", Help: ft.Show, Do: func(ctx context.Context, h feature.Host, e feature.Entry, _ string) (feature.Outcome, error) {
			text, err := ft.Read(ctx, h, e)
			return feature.Outcome{Text: text}, err
		},
	}))
	for _, a := range ft.Actions {
		if !a.Session {
			add(actCommand(s, f, ft, a))
		}
	}
	for _, v := range ft.Views {
		add(listCommand(s, f, v.Of(), v.Verb, v.Help))
	}
	return cmd
}

// hostOf is the program as features see it without a session.
func hostOf(a *app.App) feature.Host {
	return feature.Host{Hooks: a, Plugins: a, Servers: a, Learnings: a, Memory: a, Now: time.Now}
}

// listCommand is a command that lists a feature, or a view.
func listCommand(s *sys, f *flags, ft feature.Feature, verb, short string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: verb, Short: short, Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withFeature(cmd.Context(), f, ft, strings.Join(args, " "), func(_ context.Context, _ feature.Host, l feature.List) error {
				return s.listFeature(ft, l, asJSON)
			})
		},
	}
	if ft.Words != "" {
		cmd.Use, cmd.Args = verb+" "+ft.Words+" ...", some(ft.Words+", what to look for")
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// withFeature opens the program and loads a feature.
func (s *sys) withFeature(ctx context.Context, f *flags, ft feature.Feature, words string, do func(context.Context, feature.Host, feature.List) error) error {
	load := func(ctx context.Context, host feature.Host) error {
		l, err := ft.Load(ctx, host, words)
		if err != nil {
			return err
		}
		return do(ctx, host, l)
	}
	if ft.Session {
		return s.withNew(ctx, f, func(ctx context.Context, a *app.App, c app.Conversation) error {
			host := hostOf(a)
			host.Here = c
			return load(ctx, host)
		})
	}
	return s.withApp(ctx, f, func(ctx context.Context, a *app.App) error { return load(ctx, hostOf(a)) })
}

// actCommand is a command that does something with one entry, or with the list.
func actCommand(s *sys, f *flags, ft feature.Feature, a feature.Action) *cobra.Command {
	lists := "hermes-tui " + ft.Name + " " + cmp.Or(ft.Lists, "list")
	if a.Whole {
		return &cobra.Command{
			Use: strings.TrimSpace(a.Verb + " " + a.Takes()), Aliases: a.Also, Short: a.Help, Args: textArgs(a, 0, ""),
			RunE: func(cmd *cobra.Command, args []string) error {
				return s.withApp(cmd.Context(), f, func(ctx context.Context, p *app.App) error {
					return s.act(ctx, hostOf(p), a, feature.Entry{}, strings.Join(args, " "))
				})
			},
		}
	}
	return &cobra.Command{
		Use: strings.TrimSpace(a.Verb + " " + strings.ToUpper(ft.Named) + " " + a.Takes()), Aliases: a.Also, Short: a.Help,
		Args: textArgs(a, 1, fmt.Sprintf("%s %s takes the %s of one %s, which %s shows", ft.Name, a.Verb, ft.Named, ft.One, lists)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withFeature(cmd.Context(), f, ft, "", func(ctx context.Context, h feature.Host, l feature.List) error {
				e, err := ft.Find(l, term.Line(args[0]), lists)
				if err != nil {
					return usageError{err}
				}
				return s.act(ctx, h, a, e, strings.Join(args[1:], " "))
			})
		},
	}
}

// textArgs takes n words and the text of an action behind them.
func textArgs(a feature.Action, n int, one string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch text := a.Text; {
		case n == 1 && len(args) == 0, n == 1 && text == nil:
			return oneWord(one)(cmd, args)
		case text == nil:
			return noArgs(cmd, args)
		case !text.Optional && len(args) <= n:
			return usageError{fmt.Errorf("%s needs %s", a.Verb, a.Takes())}
		}
		return nil
	}
}

// act does something and prints what came of it.
func (s *sys) act(ctx context.Context, h feature.Host, a feature.Action, e feature.Entry, text string) error {
	return s.told(a.Run(ctx, h, e, text))
}

// told prints what came of an action.
func (s *sys) told(out feature.Outcome, err error) error {
	if out.Said != "" && err == nil {
		out.Said += "\n"
	}
	fmt.Fprint(s.out, term.Plain(out.Said+out.Text))
	return err
}

// listFeature prints the entries of a feature.
func (s *sys) listFeature(ft feature.Feature, l feature.List, asJSON bool) error {
	for _, p := range l.Problems {
		s.complain(p)
	}
	all := len(l.Entries)
	aside := ""
	l.Entries = slices.DeleteFunc(l.Entries, func(e feature.Entry) bool {
		aside = cmp.Or(aside, e.Aside)
		return e.Aside != ""
	})
	if asJSON {
		values := []any{}
		for _, e := range l.Entries {
			values = append(values, e.Value)
		}
		return s.printJSON(values)
	}
	waiting := ""
	for _, e := range l.Entries {
		if i := slices.IndexFunc(ft.Actions, func(a feature.Action) bool { return a.Fits(e) == nil }); e.Waits && waiting == "" && i >= 0 {
			waiting = ft.Actions[i].Verb
		}
		if ft.Named == "id" {
			fmt.Fprint(s.out, e.ID+"  ")
		}
		fmt.Fprintln(s.out, strings.TrimRight(fmt.Sprintf("%-8s  %s  %s", e.State, term.Line(e.Label), term.Line(e.Detail)), " "))
		for _, more := range e.More {
			fmt.Fprintf(s.out, "          %s\n", term.Line(more))
		}
	}
	switch {
	case len(l.Entries) > 0:
	case ft.Words != "":
		s.complain(strings.ToLower(ft.Empty[:1]) + strings.TrimSuffix(ft.Empty[1:], "."))
	default:
		fmt.Fprintln(s.out, ft.Empty)
	}
	if l.Note != "" {
		fmt.Fprintln(s.out, l.Note+".")
	}
	if n := all - len(l.Entries); n > 0 {
		fmt.Fprintf(s.out, "%s your decision: hermes-tui %s %s lists them.\n", format.Count(n, "needs", "need"), ft.Name, aside)
	}
	if waiting == "" {
		return nil
	}
	n := len(slices.DeleteFunc(slices.Clone(l.Entries), func(e feature.Entry) bool { return !e.Waits }))
	name, id := "hermes-tui "+strings.Fields(ft.Name)[0]+" ", strings.ToUpper(ft.Named)
	show := name + "show " + id + " shows one, "
	if ft.Lists == "show" {
		show = ""
	}
	fmt.Fprintf(s.out, "%s your decision: %s%s%s %s lets it count.\n", format.Count(n, "needs", "need"), show, name, waiting, id)
	return nil
}
