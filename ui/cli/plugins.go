package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/term"
)

func newPlugins(s *sys, f *flags) *cobra.Command {
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
				fmt.Fprint(s.out, term.Plain(feature.PluginText(p)))
				fmt.Fprintf(s.out, "\nIt is installed and off: hermes-tui plugins enable %s lets it count.\n", p.Name)
				return nil
			})
		},
	}
	install.Flags().StringVar(&ref, "ref", "", "take this `COMMIT` of a repository, by its 40 digits; its newest without it")
	return newFeature(s, f, "plugins", install)
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
