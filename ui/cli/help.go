package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/docs"
	"hermes-tui/themes"
	"hermes-tui/ui/pages"
)

// newHelp prints a page of the documentation, or what --help says of a command. Where one
// name is both, the page is meant.
func newHelp(s *sys, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "help [TOPIC|COMMAND]", Short: "Print a page of the documentation, or the help of a command",
		Long: "help prints a page of the documentation: drawn on a terminal, as Markdown elsewhere. Without a topic it lists them.\n" +
			"For a command that is no topic it prints what its --help does.",
		Example:           "  hermes-tui help start\n  hermes-tui help trouble | less",
		ValidArgsFunction: completion(topics, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return s.helpTopics(cmd.Root())
			}
			if text, ok := docs.Page(args[0], "hermes-tui help"); ok && len(args) == 1 {
				return s.printPage(f, text)
			}
			at, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageError{fmt.Errorf("there is no topic or command %q (see hermes-tui help)", strings.Join(args, " "))}
			}
			return at.Help()
		},
	}
}

// helpTopics says what there is.
func (s *sys) helpTopics(root *cobra.Command) error {
	if err := root.Help(); err != nil {
		return err
	}
	fmt.Fprint(s.out, "\nPages of the documentation, for hermes-tui help TOPIC:\n")
	for _, t := range docs.Topics() {
		fmt.Fprintf(s.out, "  %-17s %s\n", t.Name, t.Title)
	}
	return nil
}

// printPage prints a page in the theme of the settings, if they can be read.
func (s *sys) printPage(f *flags, text string) error {
	var set app.Settings
	var skins themes.Library
	if home, c, _, err := s.load(f); err == nil {
		set, skins = app.Settings{Theme: c.Display.Theme, MarkdownStyle: c.Display.MarkdownStyle}, themes.Library{Dir: home.Skins()}
	}
	if draw := s.drawing(set, skins, pages.Render); draw != nil {
		text = draw(text) + "\n"
	}
	fmt.Fprint(s.out, text)
	return nil
}
