package cli

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hermes-tui/internal/docstest"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/commands.md again")

// TestCommandsDoc holds docs/commands.md to the commands that there are.
func TestCommandsDoc(t *testing.T) {
	var b strings.Builder
	root := newRoot(&sys{})
	root.InitDefaultHelpCmd()
	table(&b, root)
	docstest.Section(t, "docs/commands.md", "commands", b.String(), *updateDocs)
}

func table(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n", strings.TrimSuffix(c.UseLine(), " [flags]"), strings.TrimSuffix(c.Short, "."))
	var rows strings.Builder
	for _, sub := range c.Commands() {
		if !sub.Hidden && !sub.HasSubCommands() && sub.LocalFlags().FlagUsages() == "" {
			fmt.Fprintf(&rows, "| `%s` | %s |\n", docstest.Cell(strings.TrimSuffix(sub.UseLine(), " [flags]")), docstest.Cell(sub.Short))
		}
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, value, usage := flagWords(f)
		fmt.Fprintf(&rows, "| `%s` | %s |\n", docstest.Cell(name+value), docstest.Cell(usage))
	})
	if rows.Len() > 0 {
		b.WriteString("| | |\n|---|---|\n" + rows.String() + "\n")
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden && (sub.HasSubCommands() || sub.LocalFlags().FlagUsages() != "") {
			table(b, sub)
		}
	}
}
