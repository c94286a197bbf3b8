package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that there is completion for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// newCompletion makes the command that prints completion for a shell.
func newCompletion(s *sys) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print completion for bash, zsh, fish or powershell",
		Long: "completion prints a script that has a shell complete commands, flags, and names of sessions, models, profiles and the\n" +
			"like. Where your shell reads it at its start, it need not be printed again after an update.",
		Example: "  hermes-tui completion bash >>~/.bash_completion\n" +
			"  hermes-tui completion zsh >\"${fpath[1]}/_hermes-tui\"\n" +
			"  hermes-tui completion fish >~/.config/fish/completions/hermes-tui.fish\n" +
			"  hermes-tui completion powershell | Out-String | Invoke-Expression",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("completion takes the name of one shell: %s (see hermes-tui completion --help)", strings.Join(shells, ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(s.out, true)
			case "zsh":
				return root.GenZshCompletion(s.out)
			case "fish":
				return root.GenFishCompletion(s.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(s.out)
			}
			return usageError{fmt.Errorf("there is no completion for %q, but for %s", args[0], strings.Join(shells, ", "))}
		},
	}
}
