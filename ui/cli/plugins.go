package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui"
	"hermes-tui/ui/term"
)

func newPlugins(s *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "plugins", Short: "Install, enable and remove plugins",
		Long: "A plugin is a folder with skills, tools and hooks: see docs/plugins.md. It counts once it is enabled, which is bound to\n" +
			"its content.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the plugins", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withApp(cmd.Context(), f, func(_ context.Context, a *app.App) error { return s.listPlugins(a, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	var ref string
	install := &cobra.Command{
		Use: "install FROM [NAME]", Short: "Take a plugin in, without enabling it",
		Long: "FROM is a folder, an archive (.zip, .tar, .tar.gz), or the address of a git repository; NAME is the plugin that is wanted,\n" +
			"where it has a list of several (marketplace.json). What is taken in stays off until you enable it.",
		Example: "  hermes-tui plugins install ./tidy.zip\n  hermes-tui plugins install https://git.example/tidy\n  hermes-tui plugins install https://git.example/plugins tidy",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usageError{errors.New("plugins install takes a folder, an archive or an address, and the name of one of several plugins")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				p, err := a.InstallPlugin(ctx, args[0], ref, strings.Join(args[1:], ""))
				if err != nil {
					return err
				}
				fmt.Fprint(s.out, term.Plain(ui.PluginText(p)))
				fmt.Fprintf(s.out, "\nIt is installed and off: hermes-tui plugins enable %s lets it count.\n", p.Name)
				return nil
			})
		},
	}
	install.Flags().StringVar(&ref, "ref", "", "take this `COMMIT` of a repository, by its 40 digits; its newest without it")
	cmd.AddCommand(list, install,
		s.pluginCommand(f, "show", "Show what a plugin brings", func(_ context.Context, _ *app.App, p app.Plugin) error {
			fmt.Fprint(s.out, term.Plain(ui.PluginText(p)))
			return nil
		}),
		s.pluginCommand(f, "enable", "Let a plugin count as it is now", func(ctx context.Context, a *app.App, p app.Plugin) error {
			if err := a.EnablePlugin(ctx, p, true); err != nil {
				return err
			}
			fmt.Fprint(s.out, term.Plain(ui.PluginText(p)))
			fmt.Fprintln(s.out, "\nEnabled as it is now. When it changes it is off until you enable it again. Hooks are approved one by one: hermes-tui hooks list.")
			return nil
		}),
		s.pluginCommand(f, "disable", "Let a plugin count no more", func(ctx context.Context, a *app.App, p app.Plugin) error {
			return a.EnablePlugin(ctx, p, false)
		}),
		s.pluginCommand(f, "remove", "Delete a plugin", func(ctx context.Context, a *app.App, p app.Plugin) error {
			return a.RemovePlugin(ctx, p.Name)
		}))
	return cmd
}

// oneWord wants one word, or says what is wanted.
func oneWord(wants string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{errors.New(wants)}
		}
		return nil
	}
}

// pluginCommand is a command about one plugin.
func (s *sys) pluginCommand(f *flags, use, short string, do func(ctx context.Context, a *app.App, p app.Plugin) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: oneWord("plugins " + use + " takes the name of one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				list, err := a.Plugins()
				if err != nil {
					return err
				}
				for _, p := range list {
					if p.Name != args[0] {
						continue
					}
					if p.State == "broken" && (use == "enable" || use == "disable") {
						return fmt.Errorf("the plugin %s cannot be read: %s", p.Name, p.Why)
					}
					return do(ctx, a, p)
				}
				return usageError{errors.New("there is no plugin " + term.Line(args[0]) + ": hermes-tui plugins list shows them")}
			})
		},
	}
}

func (s *sys) listPlugins(a *app.App, asJSON bool) error {
	list, err := a.Plugins()
	if err != nil {
		return err
	}
	if asJSON {
		if list == nil {
			list = []app.Plugin{}
		}
		return s.printJSON(list)
	}
	for _, p := range list {
		fmt.Fprintf(s.out, "%-8s  %s %s  %s\n", p.State, term.Line(p.Name), term.Line(p.Version), term.Line(p.Description))
		if p.Why != "" {
			fmt.Fprintf(s.out, "          %s\n", term.Line(p.Why))
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "There are no plugins: hermes-tui plugins install takes one in.")
	}
	return nil
}
