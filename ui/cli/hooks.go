package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

func newHooks(s *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "hooks", Short: "List, approve and try programs that run at points of a session",
		Long: "Hooks are commands of yours that run at points of a session: see docs/hooks.md. One runs only as you approved it.\n" +
			"What is listed is what a session in this folder would have.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the hooks and whether they run", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error { return s.listHooks(ctx, a, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(list,
		s.hookCommand(f, "show", "Show all of a hook, with the files it consists of", func(_ context.Context, a *app.App, h app.Hook) error {
			s.printHook(h)
			fmt.Fprint(s.out, term.Plain(a.ReadHook(h)))
			return nil
		}),
		s.hookCommand(f, "approve", "Let a hook run as it is now", func(ctx context.Context, a *app.App, h app.Hook) error {
			if err := a.ApproveHook(ctx, h, true); err != nil {
				return err
			}
			fmt.Fprintln(s.out, "Approved as it is now; when it or a file of it changes it does not run until you approve it again.")
			return nil
		}),
		s.hookCommand(f, "refuse", "Let a hook run no more", func(ctx context.Context, a *app.App, h app.Hook) error {
			if err := a.ApproveHook(ctx, h, false); err != nil {
				return err
			}
			fmt.Fprintln(s.out, "It runs no more.")
			return nil
		}),
		s.hookCommand(f, "test", "Run an approved hook with a sample of its event", func(ctx context.Context, a *app.App, h app.Hook) error {
			text, err := a.TestHook(ctx, h)
			fmt.Fprint(s.out, term.Plain(text))
			return err
		}))
	return cmd
}

// hookCommand is a command about one hook.
func (s *sys) hookCommand(f *flags, use, short string, do func(ctx context.Context, a *app.App, h app.Hook) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " ID", Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("hooks %s takes the id of one hook, which hermes-tui hooks list shows", use)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				list, _ := a.Hooks(ctx)
				list = slices.DeleteFunc(list, func(h app.Hook) bool { return !strings.HasPrefix(h.ID, args[0]) })
				if len(list) == 0 || slices.ContainsFunc(list, func(h app.Hook) bool { return h.ID != list[0].ID }) {
					return usageError{errors.New("no hook, or more than one, has the id " + term.Line(args[0]) + ": hermes-tui hooks list shows them")}
				}
				return do(ctx, a, list[0])
			})
		},
	}
}

func (s *sys) listHooks(ctx context.Context, a *app.App, asJSON bool) error {
	list, problems := a.Hooks(ctx)
	for _, p := range problems {
		s.complain(p)
	}
	if asJSON {
		if list == nil {
			list = []app.Hook{}
		}
		return s.printJSON(list)
	}
	for _, h := range list {
		s.printHook(h)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "There are no hooks: docs/hooks.md says how to make one.")
	}
	if n := len(slices.DeleteFunc(list, func(h app.Hook) bool { return h.State != "new" && h.State != "changed" })); n > 0 {
		fmt.Fprintf(s.out, "%s for you: hermes-tui hooks show ID shows one, hermes-tui hooks approve ID lets it run.\n", format.Count(n, "waits", "wait"))
	}
	return nil
}

// printHook prints a hook in a few lines.
func (s *sys) printHook(h app.Hook) {
	fmt.Fprintf(s.out, "%s  %-8s  %s  %s\n", h.ID, h.State, h.Event, term.Line(h.Command))
	if h.Why != "" {
		fmt.Fprintf(s.out, "          %s\n", term.Line(h.Why))
	}
	if h.Matcher != "" {
		fmt.Fprintf(s.out, "          only for %s\n", term.Line(h.Matcher))
	}
	if h.Outside {
		fmt.Fprintln(s.out, "          runs with all your rights")
	}
	for _, file := range h.Files {
		fmt.Fprintf(s.out, "          %s\n", term.Line(file))
	}
}
