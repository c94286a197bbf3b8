package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// newFeature returns the subcommand of a feature: it lists its entries, shows one, and does
// with one what the feature has. more are commands of its own.
func newFeature(s *sys, f *flags, name string, more ...*cobra.Command) *cobra.Command {
	ft, _ := feature.Named(name)
	cmd := &cobra.Command{
		Use: ft.Name, Short: ft.Short, Long: ft.Long, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the " + ft.Many, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withFeature(cmd.Context(), f, ft, func(_ context.Context, _ feature.Host, l feature.List) error { return s.listFeature(ft, l, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(list, s.entryCommand(f, ft, "show", nil, ft.Show, func(ctx context.Context, h feature.Host, e feature.Entry) (feature.Outcome, error) {
		text, err := ft.Read(ctx, h, e)
		return feature.Outcome{Text: text}, err
	}))
	for _, a := range ft.Actions {
		cmd.AddCommand(s.entryCommand(f, ft, a.Verb, a.Also, a.Help, a.Run))
	}
	cmd.AddCommand(more...)
	return cmd
}

// hostOf is the program as features see it without a session.
func hostOf(a *app.App) feature.Host { return feature.Host{Hooks: a, Plugins: a, Now: time.Now} }

// withFeature opens the program and loads a feature.
func (s *sys) withFeature(ctx context.Context, f *flags, ft feature.Feature, do func(context.Context, feature.Host, feature.List) error) error {
	return s.withApp(ctx, f, func(ctx context.Context, a *app.App) error {
		host := hostOf(a)
		l, err := ft.Load(ctx, host)
		if err != nil {
			return err
		}
		return do(ctx, host, l)
	})
}

// entryCommand is a command about one entry.
func (s *sys) entryCommand(f *flags, ft feature.Feature, verb string, also []string, short string, do func(context.Context, feature.Host, feature.Entry) (feature.Outcome, error)) *cobra.Command {
	lists := "hermes-tui " + ft.Name + " list"
	return &cobra.Command{
		Use: verb + " " + strings.ToUpper(ft.Named), Aliases: also, Short: short,
		Args: oneWord(fmt.Sprintf("%s %s takes the %s of one %s, which %s shows", ft.Name, verb, ft.Named, ft.One, lists)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withFeature(cmd.Context(), f, ft, func(ctx context.Context, h feature.Host, l feature.List) error {
				e, err := ft.Find(l, term.Line(args[0]), lists)
				if err != nil {
					return usageError{err}
				}
				out, err := do(ctx, h, e)
				if out.Said != "" {
					out.Said += "\n"
				}
				fmt.Fprint(s.out, term.Plain(out.Said+out.Text))
				return err
			})
		},
	}
}

// listFeature prints the entries of a feature.
func (s *sys) listFeature(ft feature.Feature, l feature.List, asJSON bool) error {
	for _, p := range l.Problems {
		s.complain(p)
	}
	if asJSON {
		values := make([]any, len(l.Entries))
		for i, e := range l.Entries {
			values[i] = e.Value
		}
		return s.printJSON(values)
	}
	waiting := 0
	for _, e := range l.Entries {
		if e.Waits {
			waiting++
		}
		if ft.Named == "id" {
			fmt.Fprint(s.out, e.ID+"  ")
		}
		fmt.Fprintf(s.out, "%-8s  %s  %s\n", e.State, term.Line(e.Label), term.Line(e.Detail))
		for _, more := range e.More {
			fmt.Fprintf(s.out, "          %s\n", term.Line(more))
		}
	}
	if len(l.Entries) == 0 {
		fmt.Fprintln(s.out, ft.Empty)
	}
	if waiting > 0 {
		name, act := "hermes-tui "+ft.Name+" ", ft.Actions[0]
		fmt.Fprintf(s.out, "%s your decision: %sshow %s shows one, %s%s %s lets it count.\n", format.Count(waiting, "needs", "need"), name, strings.ToUpper(ft.Named), name, act.Verb, strings.ToUpper(ft.Named))
	}
	return nil
}
