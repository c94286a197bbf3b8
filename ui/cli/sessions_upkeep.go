package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/store/sessions"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// addSessionUpkeep adds the commands that look after the database of sessions.
func addSessionUpkeep(cmd *cobra.Command, s *sys, f *flags) {
	var o app.PruneOptions
	var size string
	var yes bool
	prune := &cobra.Command{
		Use: "prune", Short: "Delete old sessions", Args: noArgs, Example: "  hermes-tui sessions prune --older-than 90d\n  hermes-tui sessions prune --to-size 500MB --yes",
		Long: "prune lists the sessions that fit, and deletes them with --yes. What is archived stays unless --archived is given,\n" +
			"and so does what is open in a program.",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if size != "" {
				if o.ToSize, err = bytesOf(size); err != nil {
					return usageError{err}
				}
			}
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error { return s.prune(ctx, a, o, yes) })
		},
	}
	prune.Flags().StringVar(&o.OlderThan, "older-than", "", "what was last used before an `AGE` like 90d or 12w, or a day like 2026-01-31")
	prune.Flags().StringVar(&size, "to-size", "", "the oldest, until the database has about this `SIZE`, like 500MB")
	prune.Flags().BoolVar(&o.Archived, "archived", false, "what is archived, too")
	prune.Flags().BoolVar(&yes, "yes", false, "delete; without it they are only listed")
	cmd.AddCommand(prune,
		s.upkeep(f, "vacuum", "Reclaim disk space", func(ctx context.Context, a *app.App) error {
			before, after, err := a.Vacuum(ctx)
			if err == nil {
				fmt.Fprintf(s.out, "The database had %s and has %s.\n", format.Bytes(before), format.Bytes(after))
			}
			return err
		}),
		s.upkeep(f, "reindex", "Rebuild the search index", func(ctx context.Context, a *app.App) error { return a.RebuildSearch(ctx) }),
		s.check(f))
}

// check looks whether the database is whole, and makes a new one of a damaged one on
// request. It opens nothing but the file: a damaged one may not be opened otherwise.
func (s *sys) check(f *flags) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use: "check", Short: "Look whether the database is whole", Args: noArgs,
		Long: "check says what is wrong with the database. With --repair it makes a new one of what can be read of a damaged one,\n" +
			"says what could not, and keeps the damaged one beside it. No other program may have it open.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, _, _, err := s.load(f)
			if err != nil {
				return err
			}
			faults, differs, err := sessions.Faults(cmd.Context(), home.StateDB())
			switch {
			case errors.Is(err, fs.ErrNotExist):
				fmt.Fprintln(s.out, "There is no database yet.")
				return nil
			case err != nil:
				return err
			case len(faults) == 0:
				fmt.Fprintln(s.out, "The database is whole.")
				if differs {
					fmt.Fprintln(s.out, "What search looks through was made by another version of SQLite, or is out of date: hermes-tui sessions reindex makes it again.")
				}
				return nil
			case !repair:
				return errors.New("the database of sessions is damaged: " + strings.Join(faults, "; ") + ". With --repair a new one is made of what can be read, and the damaged one is kept")
			}
			done, err := sessions.Salvage(cmd.Context(), home.StateDB(), sessions.Options{Clock: s.ids.Clock})
			if err == nil {
				fmt.Fprintln(s.out, term.Plain(done.Report()))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "make a new database of what can be read; the damaged one is kept")
	return cmd
}

// upkeep is a command without words.
func (s *sys) upkeep(f *flags, use, short string, do func(ctx context.Context, a *app.App) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.withApp(cmd.Context(), f, do) },
	}
}

func (s *sys) prune(ctx context.Context, a *app.App, o app.PruneOptions, yes bool) error {
	list, err := a.PlanPrune(ctx, o)
	if err != nil {
		return usageError{err}
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "No session fits.")
		return nil
	}
	sum := int64(0)
	for _, d := range list {
		fmt.Fprintf(s.out, "%s  %s  %s  %s\n", term.Line(d.Session), age(s.ids.Now(), d.LastActive), format.Bytes(d.Bytes), term.Line(name(d.SessionInfo)))
		sum += d.Bytes
	}
	if !yes {
		fmt.Fprintf(s.out, "%s, about %s: --yes deletes them for good.\n", format.Exact(len(list), "session", "sessions"), format.Bytes(sum))
		return nil
	}
	p, err := a.Prune(ctx, list)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Deleted %s. The database had %s and has %s.\n", format.Exact(p.Deleted, "session", "sessions"), format.Bytes(p.Before), format.Bytes(p.After))
	if p.Open > 0 {
		fmt.Fprintf(s.out, "%s stay, since they are open in a program.\n", format.Exact(p.Open, "session", "sessions"))
	}
	return nil
}

// bytesOf reads a size such as 500MB.
func bytesOf(text string) (int64, error) {
	number := strings.TrimRight(strings.ToUpper(strings.TrimSpace(text)), "BKMGT ")
	n, err := strconv.ParseFloat(number, 64)
	unit, known := map[string]float64{"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}[strings.TrimSpace(strings.ToUpper(text)[len(number):])]
	if err != nil || !known || n <= 0 {
		return 0, fmt.Errorf("%q is no size: give one like 500MB or 2GB", text)
	}
	return int64(n * unit), nil
}
