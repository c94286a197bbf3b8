package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/exec"
	"hermes-tui/ui/mcpserve"
)

func newMCPServe(sys *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Offer sessions and the agent to other agents, over standard input and output",
		Long: "serve is a server of the Model Context Protocol on its standard input and output. Its tools list, search and\n" +
			"read the sessions on this machine, with secrets masked, and ask the agent, which works in the current folder.\n" +
			"No one is there to ask: what needs your consent is denied, and the answer says so.",
		Example: "  claude mcp add hermes -- hermes-tui mcp serve",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if sys.closed() {
				return startError{errors.New("the standard output is closed: a client of the Model Context Protocol starts this command")}
			}
			heedPipes()
			ctx := sys.heed(cmd.Context(), func() {})
			a, err := sys.open(ctx, f)
			if err != nil {
				return err
			}
			for _, text := range f.notices() {
				sys.complain(text)
			}
			err = mcpserve.Serve(ctx, mcpserve.Options{App: served{a}, Version: Version(), Now: sys.ids.Now, In: sys.in, Out: sys.out})
			return errors.Join(err, a.Close())
		},
	}
	f.choosing(cmd.Flags())
	f.working(cmd.Flags())
	f.trusting(cmd.Flags())
	return cmd
}

// served is the program as the server sees it: its conversations take a prompt and answer.
type served struct{ *app.App }

// Start implements [mcpserve.App].
func (p served) Start(ctx context.Context) (exec.Conversation, error) { return p.App.Start(ctx) }

// Resume implements [mcpserve.App].
func (p served) Resume(ctx context.Context, ref string) (exec.Conversation, error) {
	return p.App.Resume(ctx, ref)
}
