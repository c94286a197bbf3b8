package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/feature"
)

// newMemory makes the commands about what is remembered.
func newMemory(s *sys, f *flags) *cobra.Command {
	return newFeature(s, f, "memory", newMemoryAdd(s, f), newMemoryArchive(s, f))
}

func newMemoryAdd(s *sys, f *flags) *cobra.Command {
	var user, here bool
	cmd := &cobra.Command{
		Use: "add TEXT", Short: "Remember a text", Args: some("TEXT, what to remember"),
		Example: "  hermes-tui memory add \"The staging database is read only\"\n  hermes-tui memory add --here \"Tests need docker\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			add := func(ctx context.Context, a *app.App, project string) error {
				said, err := a.AddMemory(ctx, user, project, strings.Join(args, " "))
				return s.told(feature.Outcome{Said: said}, err)
			}
			if here {
				return s.withNew(cmd.Context(), f, func(ctx context.Context, a *app.App, c app.Conversation) error { return add(ctx, a, c.Project()) })
			}
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error { return add(ctx, a, "") })
		},
	}
	cmd.Flags().BoolVar(&user, "user", false, "it is about you")
	cmd.Flags().BoolVar(&here, "here", false, "it is about the project of this folder alone")
	return cmd
}

func newMemoryArchive(s *sys, f *flags) *cobra.Command {
	ft, _ := feature.Named("memory archive")
	cmd := listCommand(s, f, ft, "archive", "List what had to make room, or put it back")
	back, list := "", cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if back == "" {
			return list(cmd, args)
		}
		return s.withFeature(cmd.Context(), f, ft, "", func(ctx context.Context, h feature.Host, l feature.List) error {
			e, err := ft.Find(l, back, "hermes-tui memory archive")
			if err != nil {
				return usageError{fmt.Errorf("the archive has no entry %q: hermes-tui memory archive lists them", back)}
			}
			a, _ := ft.Action("back")
			return s.act(ctx, h, a, e, "")
		})
	}
	cmd.Flags().StringVar(&back, "back", "", "remember the entry with this `ID` again")
	return cmd
}
